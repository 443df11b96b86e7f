; SPDX-License-Identifier: GPL-2.0-or-later
; Switching from one context to another, by the System V ABI: the same on metal, under the engine and in a host process.

global context_switch
global context_begin

section .text

; struct context *context_switch(struct context *from, struct context *to)
; Interrupts are off. What a C function must preserve goes on the stack of `from`; RAX carries `from` across to whoever resumes.
context_switch:
	push	rbp
	push	rbx
	push	r12
	push	r13
	push	r14
	push	r15
	mov	[rdi], rsp		; from->sp
	mov	rsp, [rsi]		; to->sp
	mov	rax, rdi
	pop	r15
	pop	r14
	pop	r13
	pop	r12
	pop	rbx
	pop	rbp
	ret

; Where a new context is resumed: RBX holds its entry, RAX the context before it. The stack is empty and aligned.
context_begin:
	mov	rdi, rax
	xor	ebp, ebp
	call	rbx
	ud2

section .note.GNU-stack noalloc noexec nowrite progbits
