; SPDX-License-Identifier: GPL-2.0-or-later
; Ways into the kernel: multiboot2 (GRUB) and PVH (QEMU -kernel). Both arrive in 32-bit protected mode without paging, with nothing else
; to rely on; both leave for x86_boot(magic, info) in 64-bit mode, the low 4 GiB mapped one to one.

%include "boot/modes.inc"

MB2_MAGIC	equ 0xe85250d6
PVH_MAGIC	equ 0x336ec578

extern x86_boot
global multiboot2_entry
global pvh_entry

; ---- headers ----

section .multiboot2 align=8
mb2_header:
	dd MB2_MAGIC, 0, mb2_end - mb2_header, -(MB2_MAGIC + (mb2_end - mb2_header)) & 0xffffffff
	align 8				; tag 3: where to enter
	dw 3, 0
	dd 12, multiboot2_entry
	align 8				; tag 5, optional: a screen of whatever size the loader likes; without it UEFI gives none
	dw 5, 1
	dd 20, 0, 0, 0
	align 8				; tag 0: the end
	dw 0, 0
	dd 8
mb2_end:

section .note.pvh note align=4
	dd 4, 4, 18			; name and value are 4 bytes; XEN_ELFNOTE_PHYS32_ENTRY
	db "Xen", 0
	dd pvh_entry

; ---- 32-bit entry ----

section .boot.text exec align=16
bits 32

; EAX: loader's magic, EBX: multiboot2 information
multiboot2_entry:
	mov	esi, eax
	jmp	enter

; EBX: hvm_start_info
pvh_entry:
	mov	esi, PVH_MAGIC

; ESI: magic, EBX: information. The stack and all descriptor tables are the loader's and not to be trusted.
enter:
	cli
	cld
	mov	esp, boot_stack_top
	push	ebx			; cpuid overwrites it
	mov	eax, 0x80000000
	cpuid
	cmp	eax, 0x80000001
	jb	no_long_mode
	mov	eax, 0x80000001
	cpuid
	pop	ebx
	bt	edx, 29
	jnc	no_long_mode
	mov	ebp, EFER_LME
	bt	edx, 20			; no-execute pages?
	jnc	.tables
	or	ebp, EFER_NXE

; Four page directories of 2 MiB pages map 0..4 GiB one to one.
.tables:
	mov	dword [boot_pml4], boot_pdpt + PAGE_PW
	mov	ecx, 4
	mov	eax, boot_pds + PAGE_PW
	mov	edi, boot_pdpt
.pdpt:
	mov	[edi], eax
	add	eax, 4096
	add	edi, 8
	loop	.pdpt
	mov	ecx, 4 * 512
	mov	eax, PAGE_PW + PAGE_LARGE
	mov	edi, boot_pds
.pd:
	mov	[edi], eax
	add	eax, 1 << 21
	add	edi, 8
	loop	.pd

; Whole values, not bits set in what the firmware left: it may have anything on.
	mov	eax, CR4_BOOT
	mov	cr4, eax
	mov	eax, boot_pml4
	mov	cr3, eax
	mov	ecx, MSR_EFER
	xor	edx, edx
	mov	eax, ebp
	wrmsr
	mov	eax, CR0_BOOT
	mov	cr0, eax
	lgdt	[boot_gdtr]
	jmp	SEL_CODE:.long

bits 64
.long:
	mov	eax, SEL_DATA
	mov	ds, eax
	mov	es, eax
	mov	ss, eax
	xor	eax, eax
	mov	fs, eax
	mov	gs, eax
	mov	rsp, boot_stack_top
	xor	ebp, ebp		; the end of every backtrace
	mov	edi, esi
	mov	esi, ebx
	call	x86_boot
	ud2

bits 32
; Nothing works yet but the VGA text buffer and the first serial port.
no_long_mode:
	mov	esi, .text
.next:
	lodsb
	test	al, al
	jz	.stop
	mov	dx, 0x3f8
	out	dx, al
	jmp	.next
.stop:
	hlt
	jmp	.stop
.text:	db "Fairmetal needs a 64-bit x86 processor.", 13, 10, 0

; ---- data ----

section .boot.data write align=8
boot_gdt:
	dq 0
	dq GDT_CODE64
	dq GDT_DATA
boot_gdtr:
	dw boot_gdtr - boot_gdt - 1
	dd boot_gdt

section .bss nobits alloc write align=4096
		resb 16384
boot_stack_top:	resb 16			; left zero: ends every backtrace
		alignb 4096
boot_pml4:	resb 4096
boot_pdpt:	resb 4096
boot_pds:	resb 4 * 4096

section .note.GNU-stack noalloc noexec nowrite progbits
