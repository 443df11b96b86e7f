/* SPDX-License-Identifier: GPL-2.0-or-later
 * A gate at which tasks wait until somebody opens it for good. */
#include "ipc/gate.h"

void gate_init(struct gate *g)
{
	waitq_init(&g->waiting);
	g->open = false;
}

void gate_pass(struct gate *g)
{
	struct waiter w = { .queued = false };

	syscall_enter();
	for (waitq_prepare(&g->waiting, &w, false); !LOAD_ACQUIRE(g->open); waitq_prepare(&g->waiting, &w, false))
		schedule();
	waitq_finish(&g->waiting, &w);
	syscall_exit();
}

void gate_open(struct gate *g)
{
	STORE_RELEASE(g->open, true);
	waitq_wake(&g->waiting, 0, 0);
	preempt_point();
}
