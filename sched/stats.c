/* SPDX-License-Identifier: GPL-2.0-or-later
 * Statistics: how long tasks wait for a CPU, and what Linux counts of each CPU, domain and task (cfs.md 11). What decides counts
 * its own decisions; here is what belongs to nobody, and the reading of all of it. */
#include "sched/rq.h"

#include "base/mem.h"

/* ---- waiting: who is queued and does not run has waited since queued_at, by the clock of that queue ---- */

static void credit_wait(struct rq *rq, struct task *t)
{
	u64 waited = rq->clock - t->queued_at;

	t->run_delay_ns += waited;
	rq->count.run_delay_ns += waited;
}

/* Moved while waiting, it goes on waiting elsewhere, from what that queue's clock says. */
void stats_leave(struct rq *rq, struct task *t)
{
	credit_wait(rq, t);
}

/* A wait that went over several queues is one. */
static void end_wait(struct rq *rq, struct task *t)
{
	credit_wait(rq, t);
	t->wait_max_ns = max_u64(t->wait_max_ns, t->run_delay_ns - t->run_delay_before_wait);
	t->run_delay_before_wait = t->run_delay_ns;
	t->pcount++;
	rq->count.timeslices++;
}

/* ---- what a newidle pull is good for ---- */

/* One of several pulls from a queue at a time is followed. */
void stats_pull(struct rq *rq, struct task *t)
{
	t->pulled = true;
	if (rq->pulled.since)
		return;
	rq->pulled.since = rq->clock;
	rq->pulled.vruntime = t->se.vruntime;
}

/* Its turn would have come by now: the queue is empty, or goes on with a fair task that is not before it. */
static void follow_pull(struct rq *rq, const struct task *next)
{
	if (!next->is_idle && (next->class != &fair_class || (s64)(next->se.vruntime - rq->pulled.vruntime) < 0))
		return;
	rq->count.newidle_followed++;
	rq->count.newidle_saved_ns += rq->clock - rq->pulled.since;
	rq->pulled.since = 0;
}

void stats_cold(struct task *t, u64 ns)
{
	struct sched_counts *count = &this_rq()->count;

	count->cold_ns += ns;
	if (t->pulled)
		count->newidle_cold_ns += ns;
	t->pulled = false;
}

/* Only a real switch: picked again, a task has neither waited nor got another slice of time. */
void stats_switch(struct rq *rq, struct task *prev, struct task *next)
{
	prev->queued_at = rq->clock;
	if (unlikely(rq->pulled.since))
		follow_pull(rq, next);
	if (next->is_idle)
		return;
	end_wait(rq, next);
	latency_end(rq, next);
}

/* ---- waking ---- */

static void count_wakeup_elsewhere(struct rq *rq, unsigned cpu)
{
	struct sched_domain *sd = common_domain(rq->cpu, cpu);

	rq->count.wakeups_remote++;
	if (sd)
		sd->wake_remote++;
}

/* 3.8 counts on the CPU that wakes; 2.6.32 counted ttwu_count, but not ttwu_local, on the target. */
void stats_wakeup(struct rq *rq, unsigned cpu)
{
	if (cpu == rq->cpu)
		rq->count.wakeups_local++;
	else
		count_wakeup_elsewhere(rq, cpu);
}

/* ---- reading, as /proc/schedstat has it ---- */

/* The second was a counter that nothing ever raised; 3.8 prints a literal 0. */
void sched_cpu_stats(unsigned cpu, u64 out[CPU_STATS])
{
	struct rq *rq = cpu_rq(cpu);
	const struct sched_counts *c = &rq->count;
	unsigned long flags = spin_lock_irq(&rq->lock);

	rq_charge(rq);
	out[0] = c->yields;
	out[1] = 0;
	out[2] = c->schedules;
	out[3] = c->went_idle;
	out[4] = c->wakeups_local + c->wakeups_remote;
	out[5] = c->wakeups_local;
	out[6] = c->exec_ns;
	out[7] = c->run_delay_ns;
	out[8] = c->timeslices;
	spin_unlock_irq(&rq->lock, flags);
}

/* The balancing of exec and fork was never counted, nor what ttwu_move_balance was meant for. */
static void put_domain(const struct sched_domain *sd, u64 out[DOMAIN_STATS])
{
	static_assert(sizeof(sd->counts) == 24 * sizeof(u64), "eight numbers for each idle type");

	memset(out, 0, DOMAIN_STATS * sizeof(u64));
	memcpy(out, sd->counts, sizeof(sd->counts));
	out[24] = sd->alb_count;
	out[25] = sd->alb_failed;
	out[26] = sd->alb_pushed;
	out[33] = sd->wake_remote;
	out[34] = sd->move_affine;
}

const struct cpumask *sched_domain_stats(unsigned cpu, unsigned level, u64 out[DOMAIN_STATS])
{
	const struct sched_domain *sd = cpu_rq(cpu)->sd;

	while (sd && level--)
		sd = sd->parent;
	if (!sd)
		return NULL;
	put_domain(sd, out);
	return &sd->span;
}

/* ---- reading in the middle of a run ---- */

/* The queue's own clock may be behind, and ahead of this CPU's by as much as clocks differ. */
static u64 idle_so_far(const struct rq *rq)
{
	u64 now = machine_clock_ns();

	return rq->curr == rq->idle && now > rq->idle_since ? now - rq->idle_since : 0;
}

void sched_sample(unsigned cpu, struct sched_sample *out)
{
	struct rq *rq = cpu_rq(cpu);
	const struct sched_counts *c = &rq->count;
	unsigned long flags = spin_lock_irq(&rq->lock);

	out->queued = rq->nr_running;
	out->switches = c->switches;
	out->migrations = c->migrations;
	out->ticks = c->ticks;
	out->idle_ns = c->idle_ns + idle_so_far(rq);
	spin_unlock_irq(&rq->lock, flags);
}

/* ---- records of tasks: made at birth, filled in at the end ---- */

static struct {
	bool keep;		    /* changes between runs */
	struct task_record *newest; /* atomic */
	u64 left_out;		    /* atomic */
} records;

void sched_keep_tasks(bool keep)
{
	records.keep = keep;
}

static void push_record(struct task_record *r)
{
	r->next = READ_ONCE(records.newest);
	while (!__atomic_compare_exchange_n(&records.newest, &r->next, r, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

void stats_birth(struct task *t)
{
	if (!records.keep)
		return;
	t->record = mem_alloc_shared(sizeof(*t->record));
	if (!t->record) {
		__atomic_add_fetch(&records.left_out, 1, __ATOMIC_RELAXED);
		return;
	}
	text_copy(t->record->name, sizeof(t->record->name), t->name);
	t->record->id = t->id;
	push_record(t->record);
}

/* Nobody refers to t any more: all it has done is counted. */
void stats_death(struct task *t)
{
	struct task_record *r = t->record;

	if (!r)
		return;
	r->voluntary = t->nr_voluntary;
	r->involuntary = t->nr_involuntary;
	r->migrations = t->nr_migrations;
	r->exec_ns = t->se.sum_exec;
	r->run_delay_ns = t->run_delay_ns;
	r->wait_max_ns = t->wait_max_ns;
}

struct task_record *sched_take_tasks(u64 *left_out)
{
	struct task_record *newest = __atomic_exchange_n(&records.newest, NULL, __ATOMIC_ACQUIRE), *oldest = NULL;

	while (newest) {
		struct task_record *older = newest->next;

		newest->next = oldest;
		oldest = newest;
		newest = older;
	}
	*left_out = __atomic_exchange_n(&records.left_out, 0, __ATOMIC_RELAXED);
	return oldest;
}
