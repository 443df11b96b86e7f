/* SPDX-License-Identifier: GPL-2.0-or-later
 * The per-CPU timer queues. */
#include "base/timer.h"

#include "arch/machine.h"
#include "base/bug.h"

static int sooner(const struct timer *a, const struct timer *b)
{
	return a->deadline_ns < b->deadline_ns ? -1 : 1; /* equal ones stay in the order of arming */
}

RB_HEAD(timer_tree, timer);
RB_PROTOTYPE(timer_tree, timer, node, sooner)
RB_GENERATE(timer_tree, timer, node, sooner)

static struct timer_queue {
	struct timer_tree tree;
	u64 first_ns; /* of the tree */
	u64 tick_ns;
	bool firing;
} cache_aligned queues[MAX_CPUS] = { [0 ... MAX_CPUS - 1] = { .first_ns = TIMER_NEVER, .tick_ns = TIMER_NEVER } }; /* owner CPU */

static void queue_arm(struct timer_queue *q)
{
	if (!q->firing)
		machine_timer_arm(min_u64(q->first_ns, q->tick_ns));
}

void timer_start(struct timer *t)
{
	struct timer_queue *q = &queues[machine_cpu()];

	debug_bug_on(!machine_irqs_off());
	RB_INSERT(timer_tree, &q->tree, t);
	if (t->deadline_ns >= q->first_ns)
		return;
	q->first_ns = t->deadline_ns;
	if (q->first_ns < q->tick_ns)
		queue_arm(q);
}

/* The machine may still raise its interrupt, which then finds nothing due. */
void timer_stop(struct timer *t)
{
	debug_bug_on(!machine_irqs_off());
	RB_REMOVE(timer_tree, &queues[machine_cpu()].tree, t);
}

void timer_set_tick(u64 deadline_ns)
{
	struct timer_queue *q = &queues[machine_cpu()];

	q->tick_ns = deadline_ns;
	queue_arm(q);
}

bool timer_run(u64 now_ns)
{
	struct timer_queue *q = &queues[machine_cpu()];
	struct timer *t;

	q->firing = true;
	while ((t = RB_MIN(timer_tree, &q->tree)) && t->deadline_ns <= now_ns) {
		RB_REMOVE(timer_tree, &q->tree, t);
		t->fire(t);
	}
	q->first_ns = t ? t->deadline_ns : TIMER_NEVER;
	q->firing = false;
	if (q->tick_ns <= now_ns)
		return true;
	queue_arm(q);
	return false;
}

u64 timer_next_ns(unsigned cpu)
{
	return READ_ONCE(queues[cpu].first_ns);
}
