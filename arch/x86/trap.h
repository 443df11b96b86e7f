/* SPDX-License-Identifier: GPL-2.0-or-later
 * Interrupts and exceptions. */
#ifndef ARCH_X86_TRAP_H
#define ARCH_X86_TRAP_H

#include "base/types.h"

/* As stubs.asm pushes it. */
struct frame {
	u64 r15, r14, r13, r12, r11, r10, r9, r8, rbp, rdi, rsi, rdx, rcx, rbx, rax;
	u64 vector, error_code;
	u64 rip, cs, rflags, rsp, ss;
};

enum vector {
	VECTOR_NMI = 2,
	VECTOR_INVALID_OPCODE = 6,
	VECTOR_DOUBLE_FAULT = 8,
	VECTOR_GENERAL_PROTECTION = 13,
	VECTOR_PAGE_FAULT = 14,
	VECTOR_MACHINE_CHECK = 18,
	VECTOR_PIC = 0x20, /* 16 of them; the PIC is masked, but spurious ones still come */
	VECTOR_TIMER = 0xe0,
	VECTOR_KICK = 0xe1,
	VECTOR_START = 0xe2, /* ends the wait of a CPU that has just been started */
	VECTOR_CALL = 0xe3,  /* smp_call_all() */
	VECTOR_SPURIOUS = 0xff,
};

/* In inline assembly: if the instruction at label `at` is refused (#GP, or #UD where it does not exist), go on at label `go`, with
 * all registers as they were. */
#define FIXUP(at, go) ".pushsection .fixups, \"a\"\n\t.quad " at ", " go "\n\t.popsection\n"

/* Return addresses from a frame pointer upward, innermost first. */
unsigned host_backtrace(u64 frame, u64 *address, unsigned max);

/* Load the (shared) interrupt table on this CPU. */
void idt_load(void);

/* What the machine (metal or lockstep) makes of a vector; false: nothing. Interrupts are off. */
bool interrupt_handle(struct frame *f);

/* Called by stubs.asm. */
void interrupt_dispatch(struct frame *f);

#endif
