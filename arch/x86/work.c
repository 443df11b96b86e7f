/* SPDX-License-Identifier: GPL-2.0-or-later
 * Consuming CPU time by a counted loop: time spent preempted does not count, since the loop does not turn then. */
#include "arch/x86/work.h"

#include "arch/machine.h"

enum { SHIFT = 24 };

static u64 turns_scale; /* turns per ns, shifted by SHIFT */

static void turn(u64 n)
{
	__asm__ volatile("1: decq %0; jnz 1b" : "+r"(n)::"cc");
}

static u64 time_turns(u64 n)
{
	u64 start = machine_clock_ns();

	turn(n);
	return machine_clock_ns() - start;
}

/* The fastest of five windows of about a millisecond: what disturbs a window only makes it slower. */
void work_calibrate(void)
{
	u64 n = 1000, best = ~0ull;

	while (time_turns(n) < NSEC_PER_MSEC)
		n *= 2;
	for (unsigned i = 0; i < 5; i++)
		best = min_u64(best, time_turns(n));
	turns_scale = max_u64((n << SHIFT) / max_u64(best, 1), 1);
}

/* In slices of at most a second, so that the product does not overflow. */
void machine_work_ns(u64 n)
{
	while (n) {
		u64 slice = min_u64(n, NSEC_PER_SEC), turns = slice * turns_scale >> SHIFT;

		if (turns)
			turn(turns);
		n -= slice;
	}
}
