/* SPDX-License-Identifier: GPL-2.0-or-later
 * Breaking the machine on purpose, so that a test can see whether it is reported. */
#include "lab/provoke.h"

#include "base/bug.h"
#include "lab/plan.h"

static __attribute__((noinline)) void write_to_nowhere(void)
{
	volatile uintptr_t nowhere = 8;

	*(volatile u32 *)nowhere = 1;
}

static __attribute__((noinline)) void write_to_code(void)
{
	void (*volatile code)(void) = write_to_nowhere;

	*(volatile u8 *)(uintptr_t)code = 0;
}

static __attribute__((noinline)) void divide_by_zero(void)
{
	volatile u32 seven = 7, zero = 0;

	seven = seven / zero; /* cppcheck-suppress zerodiv */
}

static u32 recurse(u32 n);
static u32 (*volatile again)(u32) = recurse; /* so that the compiler neither sees through it nor makes it a loop */

static u32 recurse(u32 n)
{
	volatile u32 frame[64] = { n };

	return again(n + 1) + frame[n % 64];
}

void provoke(void)
{
	switch (param.provoke) {
	case PROVOKE_NULL:
		write_to_nowhere();
		break;
	case PROVOKE_CODE:
		write_to_code();
		break;
	case PROVOKE_DIVIDE:
		divide_by_zero();
		break;
	case PROVOKE_OVERFLOW:
		recurse(0);
		break;
	case PROVOKE_BUG:
		bug_on(param.provoke == PROVOKE_BUG);
		break;
	case PROVOKE_NOTHING:
		break;
	}
}
