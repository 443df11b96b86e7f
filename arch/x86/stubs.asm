; SPDX-License-Identifier: GPL-2.0-or-later
; Taking an interrupt.

extern interrupt_dispatch
global interrupt_stubs

section .text

; One stub of 16 bytes per vector. The CPU pushes an error code for some; the others push 0, so that all frames look the same.

%define HAS_ERROR(v) ((v) == 8 || ((v) >= 10 && (v) <= 14) || (v) == 17 || (v) == 21 || (v) == 29 || (v) == 30)

align 16
interrupt_stubs:
%assign vector 0
%rep 256
	align 16
  %if !(HAS_ERROR(vector))
	push	0
  %endif
	push	vector
	jmp	near interrupt_common
  %assign vector vector + 1
%endrep

; Builds struct frame (trap.h) and calls interrupt_dispatch(frame).
interrupt_common:
	cld
	push	rax
	push	rbx
	push	rcx
	push	rdx
	push	rsi
	push	rdi
	push	rbp
	push	r8
	push	r9
	push	r10
	push	r11
	push	r12
	push	r13
	push	r14
	push	r15
	mov	rdi, rsp
	xor	ebp, ebp
	call	interrupt_dispatch
	pop	r15
	pop	r14
	pop	r13
	pop	r12
	pop	r11
	pop	r10
	pop	r9
	pop	r8
	pop	rbp
	pop	rdi
	pop	rsi
	pop	rdx
	pop	rcx
	pop	rbx
	pop	rax
	add	rsp, 16			; vector, error code
	iretq

section .note.GNU-stack noalloc noexec nowrite progbits
