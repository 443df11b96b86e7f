/* SPDX-License-Identifier: GPL-2.0-or-later
 * The idle loop's inside: HLT, or a loop that never sleeps, or a deeper sleep by MWAIT. */
#include "arch/x86/idle.h"

#include "arch/machine.h"
#include "arch/x86/x86.h"

static struct {
	u8 way; /* enum idle_way; atomic */
	u32 hint;
} idle;

/* Nobody writes here: kicks are interrupts. */
static u8 watched[MAX_CPUS][CACHE_LINE] cache_aligned;

void idle_choose(enum idle_way way, u32 hint)
{
	WRITE_ONCE(idle.hint, hint);
	STORE_RELEASE(idle.way, (u8)way);
}

/* STI takes effect after the next instruction, so nothing can come between it and HLT or MWAIT. */

static void halt(void)
{
	__asm__ volatile("sti; hlt; cli" ::: "memory");
}

/* Nothing is lost between these, and emulators that leave at PAUSE must find interrupts allowed there. */
static void poll(void)
{
	__asm__ volatile("sti; nop; pause; cli" ::: "memory");
}

static void mwait(void)
{
	__asm__ volatile("monitor" ::"a"(watched[machine_cpu()]), "c"(0), "d"(0) : "memory");
	__asm__ volatile("sti; mwait; cli" ::"a"(READ_ONCE(idle.hint)), "c"(0) : "memory");
}

/* Most CPUs stand here when a fault is reported: without a frame of its own their backtraces would leave out who called. */
static inline void want_frame(void)
{
	__asm__ volatile("" ::"r"(frame_pointer()));
}

void machine_idle(void)
{
	want_frame();
	switch (LOAD_ACQUIRE(idle.way)) {
	case IDLE_POLL:
		poll();
		break;
	case IDLE_MWAIT:
		mwait();
		break;
	default:
		halt();
	}
}
