/* SPDX-License-Identifier: GPL-2.0-or-later
 * What must hold of the scheduler's state whenever all run-queue locks are held. Nothing here is taken from what the scheduler
 * prints: the sums are made anew from the queued tasks, the order from their virtual runtimes, the time from the clock.
 */
#include "tests/scenario/invariants.h"

#include "base/text.h"
#include "sched/rq.h"

void (*require_describe)(void);

_Noreturn void require_failed(const char *rule, const char *fmt, ...)
{
	char seen[160];
	va_list args;

	say_panic();
	va_start(args, fmt);
	text_vformat(seen, sizeof(seen), fmt, args);
	va_end(args);
	say("Broken: %s\n  %s\n", rule, seen);
	if (require_describe)
		require_describe();
	bug(rule);
}

unsigned long invariants_lock(void)
{
	unsigned long flags = machine_irq_save();

	for (unsigned cpu = 0; cpu < nr_cpus; cpu++)
		spin_lock(&cpu_rq(cpu)->lock);
	return flags;
}

void invariants_unlock(unsigned long flags)
{
	for (unsigned cpu = nr_cpus; cpu-- > 0;)
		spin_unlock(&cpu_rq(cpu)->lock);
	machine_irq_restore(flags);
}

/* ---- one queue ---- */

static u64 latest_min_vruntime[MAX_CPUS];

static struct known_task *find_known(struct known_task *known, unsigned nr, const struct task *t)
{
	for (unsigned i = 0; i < nr; i++)
		if (known[i].task == t)
			return &known[i];
	return NULL;
}

static void check_queued_task(struct rq *rq, struct task *t, struct known_task *k)
{
	require(t->class == &fair_class, "%s on CPU %u", t->name, rq->cpu);
	require(t->on_rq && t->se.on_rq, "%s on CPU %u: task %u, entity %u", t->name, rq->cpu, t->on_rq, t->se.on_rq);
	require(t->cpu == rq->cpu, "%s is on the queue of CPU %u and says %u", t->name, rq->cpu, t->cpu);
	require(mask_weight(&t->allowed) == t->nr_allowed, "%s: %u, %u", t->name, mask_weight(&t->allowed), t->nr_allowed);
	if (k && !k->moving)
		require(mask_has(&t->allowed, rq->cpu), "%s is on CPU %u and may be on 0x%llx", t->name, rq->cpu,
			(unsigned long long)t->allowed.word[0]);
	if (k)
		k->queued++;
}

/* The list has all that are queued, once. */
static void check_sums(struct rq *rq, struct known_task *known, unsigned nr)
{
	struct cfs_rq *cfs = &rq->cfs;
	struct sched_entity *se;
	u32 count = 0;
	u64 weight = 0;

	TAILQ_FOREACH(se, &cfs->tasks, peers) {
		require(count < cfs->nr_running, "CPU %u: more tasks than %u are listed", rq->cpu, cfs->nr_running);
		check_queued_task(rq, task_of(se), find_known(known, nr, task_of(se)));
		count++;
		weight += se->load.weight;
	}
	require(count == cfs->nr_running, "CPU %u: %u listed, %u counted", rq->cpu, count, cfs->nr_running);
	require(weight == cfs->load.weight, "CPU %u: %llu listed, %llu counted", rq->cpu, (unsigned long long)weight,
		(unsigned long long)cfs->load.weight);
	count += rq->stop->on_rq;
	require(count == rq->nr_running, "CPU %u: %u with the stopper, %u counted", rq->cpu, count, rq->nr_running);
}

static bool is_listed(struct cfs_rq *cfs, const struct sched_entity *wanted)
{
	struct sched_entity *se;

	TAILQ_FOREACH(se, &cfs->tasks, peers)
		if (se == wanted)
			return true;
	return false;
}

/* In the tree is who is listed and does not run, by rising vruntime. */
static void check_tree(struct rq *rq)
{
	struct cfs_rq *cfs = &rq->cfs;
	struct sched_entity *se, *previous = NULL;
	u32 count = 0, expected = cfs->nr_running - (cfs->curr && cfs->curr->on_rq);

	for (se = RB_MIN(entity_tree, &cfs->tree); se; se = RB_NEXT(entity_tree, &cfs->tree, se)) {
		require(count < expected, "CPU %u: more tasks than %u are in the tree", rq->cpu, expected);
		require(se != cfs->curr, "CPU %u: %s runs and is in the tree", rq->cpu, task_of(se)->name);
		require(is_listed(cfs, se), "CPU %u: %s is in the tree only", rq->cpu, task_of(se)->name);
		require(!previous || vruntime_lead(se, previous) >= 0, "CPU %u: %llu after %llu", rq->cpu,
			(unsigned long long)se->vruntime, (unsigned long long)previous->vruntime);
		previous = se;
		count++;
	}
	require(count == expected, "CPU %u: %u in the tree, %u queued and not running", rq->cpu, count, expected);
	require(cfs->leftmost == RB_MIN(entity_tree, &cfs->tree), "CPU %u", rq->cpu);
}

static void check_buddies(struct rq *rq)
{
	struct cfs_rq *cfs = &rq->cfs;

	require(!cfs->next || is_listed(cfs, cfs->next), "CPU %u", rq->cpu);
	require(!cfs->last || is_listed(cfs, cfs->last), "CPU %u", rq->cpu);
	require(!cfs->skip || is_listed(cfs, cfs->skip), "CPU %u", rq->cpu);
}

/* One on its way to sleep has left the queue and may still run, while its CPU looks for other work. */
static void check_running(struct rq *rq, struct known_task *known, unsigned nr)
{
	struct task *t = rq->curr;
	struct known_task *k = find_known(known, nr, t);

	require(t->cpu == rq->cpu, "%s runs on CPU %u and says %u", t->name, rq->cpu, t->cpu);
	require(t->on_cpu, "%s on CPU %u", t->name, rq->cpu);
	if (t->class == &fair_class) {
		require(rq->cfs.curr == &t->se, "%s on CPU %u", t->name, rq->cpu);
		require(t->on_rq == is_listed(&rq->cfs, &t->se), "%s on CPU %u", t->name, rq->cpu);
		require(t->on_rq || t->state != TASK_RUNNING, "%s on CPU %u", t->name, rq->cpu);
	} else {
		require(!rq->cfs.curr, "%s on CPU %u", t->name, rq->cpu);
		require(t == rq->idle || t == rq->stop, "%s on CPU %u", t->name, rq->cpu);
	}
	if (k)
		k->running++;
}

static void check_min_vruntime(struct rq *rq)
{
	u64 *latest = &latest_min_vruntime[rq->cpu];

	require((s64)(rq->cfs.min_vruntime - *latest) >= 0, "CPU %u: %llu after %llu", rq->cpu,
		(unsigned long long)rq->cfs.min_vruntime, (unsigned long long)*latest);
	*latest = rq->cfs.min_vruntime;
}

/* A CPU that runs a task has its tick, and one without is known to who balances for it, unless it is about to look for itself. */
static void check_nohz(struct rq *rq)
{
	require(!rq->tick_stopped || rq->curr == rq->idle, "CPU %u runs %s", rq->cpu, rq->curr->name);
	require(!rq->tick_stopped || mask_has(&nohz.idle, rq->cpu) || rq->idle->need_resched || !cpu_is_idle(rq->cpu), "CPU %u",
		rq->cpu);
}

/* ---- all of them ---- */

/* A task that wants to run is on one queue; who has been woken from afar is on none yet. */
static void check_known(const struct known_task *k)
{
	const struct task *t = k->task;

	require(k->queued == t->on_rq, "%s: on %u queues, on_rq %u", t->name, k->queued, t->on_rq);
	require(k->running == t->on_cpu, "%s: on %u CPUs, on_cpu %u", t->name, k->running, t->on_cpu);
	require(t->state != TASK_RUNNING || t->on_rq, "%s", t->name);
	require(t->state != TASK_WAKING || !t->on_rq, "%s", t->name);
}

void invariants_check(struct known_task *known, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++)
		known[i].queued = known[i].running = 0;
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++) {
		struct rq *rq = cpu_rq(cpu);

		check_sums(rq, known, nr);
		check_tree(rq);
		check_buddies(rq);
		check_running(rq, known, nr);
		check_min_vruntime(rq);
		check_nohz(rq);
	}
	for (unsigned i = 0; i < nr; i++)
		check_known(&known[i]);
}

/* ---- where the time went ---- */

struct ledger {
	u64 clock, exec, idle;
	u64 schedules, passes, stops;
} opened[MAX_CPUS];

static struct ledger read_ledger(struct rq *rq)
{
	struct ledger l;

	rq_update_clock(rq);
	cfs_update_curr(&rq->cfs);
	l.clock = rq->clock;
	l.exec = rq->count.exec_ns;
	l.idle = rq->count.idle_ns + (rq->curr == rq->idle ? rq->clock - rq->idle_since : 0);
	l.schedules = rq->count.schedules;
	l.passes = rq->count.balance_attempts[CPU_NEWLY_IDLE];
	l.stops = rq->stop->nr_voluntary + 1; /* one may be under way */
	return l;
}

void invariants_begin(void)
{
	unsigned long flags = invariants_lock();

	for (unsigned cpu = 0; cpu < nr_cpus; cpu++) {
		opened[cpu] = read_ledger(cpu_rq(cpu));
		opened[cpu].stops--;
		latest_min_vruntime[cpu] = cpu_rq(cpu)->cfs.min_vruntime;
	}
	invariants_unlock(flags);
}

/*
 * Fair tasks are charged from pick to put, the idle task likewise, and a switch belongs to who comes. Exactly two things are
 * nobody's: the stopper from pick to put, and the way of a CPU that has run out of tasks through its domains, between the clock at
 * which the last task left and the one at which the next is picked. So no CPU can account for more time than has passed, to the
 * nanosecond, nor for less than that minus its stops, its newidle passes and a few readings of the clock in each schedule(). By
 * cost.def each of these takes a few us at most on 16 CPUs, waiting for locks included; the limits leave room for other costs.
 */
void invariants_check_time(void)
{
	enum { PASS_NS = 20000, STOP_NS = 20000, SCHEDULE_NS = 2000 };
	unsigned long flags = invariants_lock();

	for (unsigned cpu = 0; cpu < nr_cpus; cpu++) {
		struct ledger a = opened[cpu], b = read_ledger(cpu_rq(cpu));
		u64 passed = b.clock - a.clock, accounted = b.exec - a.exec + b.idle - a.idle;
		u64 lost =
			(b.passes - a.passes) * PASS_NS + (b.stops - a.stops) * STOP_NS + (b.schedules - a.schedules) * SCHEDULE_NS;

		require(accounted <= passed, "CPU %u: %llu of %llu ns", cpu, (unsigned long long)accounted,
			(unsigned long long)passed);
		require(passed - accounted <= lost, "CPU %u: %llu of %llu ns; %llu may be missing", cpu,
			(unsigned long long)accounted, (unsigned long long)passed, (unsigned long long)lost);
	}
	invariants_unlock(flags);
}

u64 own_exec_ns(void)
{
	unsigned long flags = machine_irq_save();
	struct rq *rq = this_rq();
	u64 ns;

	spin_lock(&rq->lock);
	rq_update_clock(rq);
	cfs_update_curr(&rq->cfs);
	ns = current()->se.sum_exec;
	spin_unlock_irq(&rq->lock, flags);
	return ns;
}
