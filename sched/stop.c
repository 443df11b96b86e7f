/* SPDX-License-Identifier: GPL-2.0-or-later
 * The class above all others: one stopper per CPU that runs short jobs there at once, such as moving the task it has just
 * preempted. */
#include "sched/rq.h"

#include "base/text.h"

/* ---- the class ---- */

/* Being queued is a stopper's own on_rq; it counts in rq->nr_running but has no weight. */
static void stop_enqueue(struct rq *rq, struct task *t, unsigned enqueue_flags)
{
	(void)rq, (void)t, (void)enqueue_flags;
}

static void stop_dequeue(struct rq *rq, struct task *t, unsigned dequeue_flags)
{
	(void)rq, (void)t, (void)dequeue_flags;
}

static struct task *stop_pick(struct rq *rq)
{
	if (!rq->stop || !rq->stop->on_rq)
		return NULL;
	rq->stop->se.exec_start = rq->clock;
	return rq->stop;
}

/* Its time is time of tasks like any other, but nobody's slice or share. */
void stop_update_curr(struct rq *rq)
{
	u64 delta;

	if (rq->curr != rq->stop)
		return;
	delta = rq->clock - rq->stop->se.exec_start;
	rq->stop->se.exec_start = rq->clock;
	rq->stop->se.sum_exec += delta;
	rq->count.exec_ns += delta;
}

static void stop_put(struct rq *rq, struct task *t)
{
	(void)t;
	stop_update_curr(rq);
}

static void stop_check_preempt(struct rq *rq, struct task *t, unsigned wake_flags)
{
	(void)rq, (void)t, (void)wake_flags;
}

static void stop_tick(struct rq *rq, struct task *t)
{
	(void)rq, (void)t;
}

static void stop_waking(struct task *t)
{
	(void)t;
}

static unsigned stop_select_cpu(struct task *t, enum select_kind kind, unsigned wake_flags)
{
	(void)kind, (void)wake_flags;
	return t->cpu;
}

const struct sched_class stop_class = {
	.lower = &rt_class,
	.enqueue = stop_enqueue,
	.dequeue = stop_dequeue,
	.pick = stop_pick,
	.put = stop_put,
	.check_preempt = stop_check_preempt,
	.tick = stop_tick,
	.waking = stop_waking,
	.select_cpu = stop_select_cpu,
};

/* ---- the stoppers ---- */

static void run_list(struct stop_work *work)
{
	struct stop_work *oldest = NULL;

	while (work) {
		struct stop_work *next = work->next;

		work->next = oldest;
		oldest = work;
		work = next;
	}
	while (oldest) {
		struct stop_work *next = oldest->next; /* fn may free or reuse it */

		oldest->fn(oldest->argument);
		oldest = next;
	}
}

static void stopper(void *argument)
{
	struct rq *rq = argument;

	current()->preempt_off++;
	for (;;) {
		task_set_sleeping();
		if (!READ_ONCE(rq->stop_list))
			schedule();
		task_set_running();
		run_list(__atomic_exchange_n(&rq->stop_list, NULL, __ATOMIC_SEQ_CST));
	}
}

void stop_init(unsigned cpu)
{
	struct rq *rq = cpu_rq(cpu);
	char name[24];
	struct task *t;

	text_format(name, sizeof(name), "stopper/%u", cpu);
	t = task_new(name, stopper, rq);
	bug_on(!t);
	t->class = &stop_class;
	t->cpu = cpu;
	t->warm_cpu = cpu;
	mask_clear(&t->allowed);
	mask_set(&t->allowed, cpu);
	t->nr_allowed = 1;
	t->mask_kind = MASK_NOBODY;
	t->state = TASK_SLEEPING; /* its first job wakes it */
	rq->stop = t;
}

void stop_queue(unsigned cpu, struct stop_work *work)
{
	struct rq *rq = cpu_rq(cpu);
	struct stop_work *first = READ_ONCE(rq->stop_list);

	do
		work->next = first;
	while (!__atomic_compare_exchange_n(&rq->stop_list, &first, work, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
	task_wake(rq->stop, 0);
}

struct stop_call {
	struct stop_work work;
	void (*fn)(void *);
	void *argument;
	struct task *caller;
};

static void stop_call_run(void *argument)
{
	struct stop_call *call = argument;

	call->fn(call->argument);
	task_complete(&call->caller);
}

void stop_run(unsigned cpu, void (*fn)(void *), void *argument)
{
	struct stop_call call = {
		.work = { .fn = stop_call_run, .argument = &call }, .fn = fn, .argument = argument, .caller = current()
	};

	stop_queue(cpu, &call.work);
	preempt_point(); /* with preempt=full the stopper goes first, and finds the caller still queued */
	task_await(&call.caller);
}
