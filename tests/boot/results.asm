; SPDX-License-Identifier: GPL-2.0-or-later
; A kernel for tests of the UEFI loader. The first time it leaves a results area (AREA, a file) in memory, and behind it a word that says so,
; and resets the machine warm; when it finds that word, memory has outlived the reset and, if the loader has cleared the area's signature, it
; ends QEMU with the status of success (33). With an empty AREA it does that at once.

RESULTS_ADDR	equ 0x2000000
MARK_ADDR	equ RESULTS_ADDR + 0xffff8
MARK		equ 0x600dbeef

section .text
bits 32
header:
	dd 0xe85250d6, 0, header_end - header, -(0xe85250d6 + (header_end - header)) & 0xffffffff
	dw 0, 0
	dd 8
header_end:

global start
start:
	cmp	eax, 0x36d76289
	jne	fail
	mov	ecx, area_end - area
	jecxz	succeed
	cmp	dword [MARK_ADDR], MARK
	je	again
	mov	dword [MARK_ADDR], MARK
	mov	esi, area
	mov	edi, RESULTS_ADDR
	cld
	rep movsb
	wbinvd
	mov	dx, 0xcf9
	mov	al, 0x06
	out	dx, al
	jmp	$

again:
	cmp	dword [RESULTS_ADDR], "FRES"
	je	fail
succeed:
	mov	al, 0x10
	out	0xf4, al
	jmp	$
fail:
	mov	al, 0x13
	out	0xf4, al
	jmp	$

area:	incbin AREA
area_end:

section .note.GNU-stack noalloc noexec nowrite progbits
