/* SPDX-License-Identifier: GPL-2.0-or-later
 * How a context begins; stubs.asm has the switch from one to the next. */
#include "arch/x86/cpu.h"

void context_begin(void);

void machine_context_init(struct context *c, void *stack_top, void (*entry)(struct context *prev))
{
	u64 *sp = stack_top;

	*--sp = 0; /* two words, so that the stack is aligned where context_begin calls */
	*--sp = 0;
	*--sp = (u64)context_begin;
	*--sp = 0;	    /* rbp: the end of every backtrace */
	*--sp = (u64)entry; /* rbx */
	for (unsigned i = 12; i <= 15; i++)
		*--sp = 0;
	c->sp = sp;
}
