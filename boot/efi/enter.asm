; SPDX-License-Identifier: GPL-2.0-or-later
; From the firmware's 64-bit mode to the state in which a multiboot2 kernel begins: 32-bit protected mode without paging. Runs as a copy in
; a page of its own below 4 GiB, so it names nothing outside itself. The kernel's image is copied here and not before, because only
; without paging is all memory writable and nobody else's.

PAE_LA57	equ (1 << 5) | (1 << 12)
CR0_PLAIN	equ (1 << 0) | (1 << 4)		; PE, ET: no paging, caches on
MSR_EFER	equ 0xc0000080
SEL_CODE32	equ 0x08
SEL_DATA	equ 0x10
MB2_LOADED	equ 0x36d76289

section .text

global enter_kernel:data hidden
global enter_kernel_end:data hidden

; RDI: entry, RSI: information, RDX: where the image goes, RCX: where it is, R8: its bytes, a multiple of 4; all below 4 GiB.
bits 64
enter_kernel:
	cli
	cld
	mov	ebp, edi
	mov	ebx, esi
	mov	edi, edx
	mov	esi, ecx
	lea	rsp, [rel stack_top]
	push	r8
	mov	rax, cr4			; what may not be on when paging ends: process contexts, control-flow checks
	and	eax, PAE_LA57
	mov	cr4, rax
	lea	rax, [rel gdt]
	mov	[rel gdtr + 2], rax
	lgdt	[rel gdtr]
	lea	rax, [rel protected]
	push	SEL_CODE32
	push	rax
	o64 retf

; Compatibility mode, this page mapped to where it is.
bits 32
protected:
	mov	eax, CR0_PLAIN
	mov	cr0, eax
	mov	eax, SEL_DATA
	mov	ds, eax
	mov	es, eax
	mov	fs, eax
	mov	gs, eax
	mov	ss, eax
	xor	eax, eax
	xor	edx, edx
	mov	cr4, eax
	mov	ecx, MSR_EFER
	wrmsr
	pop	ecx
	shr	ecx, 2
	rep movsd
	mov	eax, MB2_LOADED
	jmp	ebp

align 8
gdt:
	dq 0
	dq 0x00cf9b000000ffff			; 32-bit code, 4 GiB
	dq 0x00cf93000000ffff			; data, 4 GiB
gdtr:
	dw gdtr - gdt - 1
	dq 0
align 16
	times 64 db 0
stack_top:
enter_kernel_end:

section .note.GNU-stack noalloc noexec nowrite progbits
