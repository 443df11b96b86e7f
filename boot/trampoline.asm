; SPDX-License-Identifier: GPL-2.0-or-later
; Where the other CPUs begin: real mode, at the start of a page below 1 MiB to which this code is copied. They leave for
; ap_boot() of smp.c in 64-bit mode, each on a stack of its own.

%include "boot/modes.inc"

section .rodata.trampoline align=16

global trampoline_start
global trampoline_end
global trampoline_params

%define AT(label) ((label) - trampoline_start)

bits 16
trampoline_start:
	cli
	cld
	mov	ax, cs
	mov	ds, ax
	xor	ebx, ebx
	mov	bx, ax
	shl	ebx, 4			; EBX: linear address of this page
	lea	eax, [ebx + AT(gdt)]
	mov	[AT(gdtr) + 2], eax	; every CPU writes the same
	lea	eax, [ebx + AT(protected)]
	mov	[AT(to32)], eax
	o32 lgdt [AT(gdtr)]
	mov	eax, 1			; protected mode; CD and NW, which INIT sets, off
	mov	cr0, eax
	o32 jmp far [AT(to32)]

bits 32
protected:
	mov	ax, SEL_DATA
	mov	ds, ax
	mov	es, ax
	mov	ss, ax
	mov	eax, CR4_BOOT
	mov	cr4, eax
	mov	ecx, MSR_EFER		; before the page tables: they may have no-execute bits
	xor	edx, edx
	mov	eax, [ebx + AT(efer)]
	wrmsr
	mov	eax, [ebx + AT(root)]
	mov	cr3, eax
	mov	eax, CR0_BOOT
	mov	cr0, eax
	lea	eax, [ebx + AT(long_mode)]
	mov	[ebx + AT(to64)], eax
	jmp	far [ebx + AT(to64)]

bits 64
long_mode:
	mov	ebx, ebx		; the upper half is not defined until written
	mov	edi, 1
	lock xadd [rbx + AT(ticket)], edi
	cmp	edi, [rbx + AT(tickets)]
	jae	.stray			; a CPU nobody counted on
	mov	rax, [rbx + AT(stacks)]
	mov	rsp, [rax + rdi * 8]
	xor	ebp, ebp
	push	rbp			; no caller: a backtrace ends here
	jmp	[rbx + AT(entry)]
.stray:
	cli
	hlt
	jmp	.stray

align 8
gdt:
	dq 0
	dq GDT_CODE32
	dq GDT_DATA
	dq GDT_CODE64
gdtr:
	dw gdtr - gdt - 1
	dd 0
align 4
to32:	dd 0
	dw SEL_CODE
align 4
to64:	dd 0
	dw 0x18

; Filled in by smp.c: struct trampoline_params.
align 8
trampoline_params:
root:	 dd 0
efer:	 dd 0
ticket:	 dd 0
tickets: dd 0
stacks:	 dq 0
entry:	 dq 0
trampoline_end:

section .note.GNU-stack noalloc noexec nowrite progbits
