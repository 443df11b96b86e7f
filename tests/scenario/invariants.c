/* SPDX-License-Identifier: GPL-2.0-or-later
 * What must hold of the scheduler's state whenever all run-queue locks are held: of each queue what sched/check.c says, and what
 * holds between them. Nothing here is taken from what the scheduler prints: the time is from the clock.
 */
#include "tests/scenario/invariants.h"

#include "sched/rq.h"

bool on_real_cpus;

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

static struct known_task *find_known(struct known_task *known, unsigned nr, const struct task *t)
{
	for (unsigned i = 0; i < nr; i++)
		if (known[i].task == t)
			return &known[i];
	return NULL;
}

/* Where it is allowed to be. */
static void find_queued(struct rq *rq, const struct task *t, struct known_task *k)
{
	if (!k)
		return;
	require(k->moving || mask_has(&t->allowed, rq->cpu), "%s is on CPU %u and may be on 0x%llx", t->name, rq->cpu,
		(unsigned long long)t->allowed.word[0]);
	k->queued++;
}

static void find_on_queue(struct rq *rq, struct known_task *known, unsigned nr)
{
	struct known_task *runs = find_known(known, nr, rq->curr);
	struct sched_entity *se;
	struct task *t;

	TAILQ_FOREACH(se, &rq->cfs.tasks, peers)
		find_queued(rq, task_of(se), find_known(known, nr, task_of(se)));
	for (unsigned level = 0; level < RT_LEVELS; level++)
		TAILQ_FOREACH(t, &rq->rt.list[level], rt.peers)
			find_queued(rq, t, find_known(known, nr, t));
	if (runs)
		runs->running++;
}

/* Borrowing neither makes nor loses any. */
static void check_runtime(void)
{
	u64 runtime = 0, each = knob.sched_rt_runtime_us * NSEC_PER_USEC;

	for (unsigned cpu = 0; cpu < nr_cpus; cpu++)
		runtime += cpu_rq(cpu)->rt.runtime;
	require(runtime == each * nr_cpus, "%llu on all CPUs, %llu for each", (unsigned long long)runtime,
		(unsigned long long)each);
}

/* ---- idle CPUs and waiting tasks ---- */

enum { MOST_WAITING = 256 };

static struct waiting {
	struct task *task[MOST_WAITING];
	unsigned cpu_of[MOST_WAITING]; /* in the matching; MAX_CPUS: none */
	bool tried[MOST_WAITING];
	unsigned nr;
} waiting;

static bool is_idle(unsigned cpu)
{
	return cpu_rq(cpu)->curr == cpu_rq(cpu)->idle;
}

static void add_waiting(struct task *t)
{
	if (t->class == &stop_class)
		return;
	require(waiting.nr < MOST_WAITING, "more than %u tasks wait", waiting.nr);
	waiting.cpu_of[waiting.nr] = MAX_CPUS;
	waiting.task[waiting.nr++] = t;
}

/* On the queues, and on the lists of those that were woken from afar. */
static void find_waiting(void)
{
	waiting.nr = 0;
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++) {
		struct rq *rq = cpu_rq(cpu);
		struct sched_entity *se;

		TAILQ_FOREACH(se, &rq->cfs.tasks, peers)
			if (rq->curr != task_of(se))
				add_waiting(task_of(se));
		for (unsigned level = 0; level < RT_LEVELS; level++) {
			struct task *t;

			TAILQ_FOREACH(t, &rq->rt.list[level], rt.peers)
				if (rq->curr != t)
					add_waiting(t);
		}
		for (struct task *t = rq->wake_list; t; t = t->wake_next)
			add_waiting(t);
	}
}

static unsigned count_waiting(void)
{
	unsigned counted = 0;

	for (unsigned cpu = 0; cpu < nr_cpus; cpu++)
		for (unsigned k = MASK_HERE; k < NR_MASK_KINDS; k++)
			counted += __atomic_load_n(&cpu_rq(cpu)->waiting[k], __ATOMIC_SEQ_CST);
	return counted;
}

/* Somebody who is on its way to a queue counts as waiting already, and is on no list yet; that does not last. */
static bool somebody_is_between(void)
{
	enum { MOST_IN_A_ROW = 100 };
	static unsigned in_a_row;
	unsigned counted = count_waiting();

	in_a_row = counted == waiting.nr ? 0 : in_a_row + 1;
	require(counted >= waiting.nr && (on_real_cpus || in_a_row < MOST_IN_A_ROW), "%u wait, %u counted", waiting.nr, counted);
	return in_a_row;
}

static bool find_task_for(unsigned cpu)
{
	for (unsigned i = 0; i < waiting.nr; i++) {
		if (waiting.tried[i] || !mask_has(&waiting.task[i]->allowed, cpu))
			continue;
		waiting.tried[i] = true;
		if (waiting.cpu_of[i] == MAX_CPUS || find_task_for(waiting.cpu_of[i])) {
			waiting.cpu_of[i] = cpu;
			return true;
		}
	}
	return false;
}

static struct waste waste_seen(void)
{
	struct waste seen = { 0 };
	bool counted[MOST_WAITING] = { false };

	for (unsigned cpu = 0; cpu < nr_cpus; cpu++) {
		unsigned may_run = 0;

		if (!is_idle(cpu))
			continue;
		for (unsigned i = 0; i < waiting.nr; i++) {
			if (!mask_has(&waiting.task[i]->allowed, cpu))
				continue;
			may_run++;
			seen.wait_ns += !counted[i];
			counted[i] = true;
		}
		seen.idle_ns += may_run != 0;
		seen.pairs_ns += may_run;
		memset(waiting.tried, 0, sizeof(waiting.tried));
		seen.ns += find_task_for(cpu);
	}
	return seen;
}

/* The rates of the ledger, made anew task by task. */
static void check_waste(void)
{
	struct waste sum, rate, seen;
	u64 by[NR_WASTE_CAUSES], parts = 0;

	find_waiting();
	if (somebody_is_between() || !sched_waste_is_exact())
		return;
	seen = waste_seen();
	waste_read(&sum, &rate, by);
	if (count_waiting() != waiting.nr) /* a wakeup from afar, which needs no queue's lock, has come since */
		return;
	for (unsigned i = 0; i < NR_WASTE_CAUSES; i++)
		parts += by[i];
	require(parts == sum.ns, "%llu by cause, %llu in all", (unsigned long long)parts, (unsigned long long)sum.ns);
	require(rate.ns == seen.ns, "%llu, seen %llu", (unsigned long long)rate.ns, (unsigned long long)seen.ns);
	require(rate.idle_ns == seen.idle_ns, "%llu, seen %llu", (unsigned long long)rate.idle_ns,
		(unsigned long long)seen.idle_ns);
	require(rate.wait_ns == seen.wait_ns, "%llu, seen %llu", (unsigned long long)rate.wait_ns,
		(unsigned long long)seen.wait_ns);
	require(rate.pairs_ns == seen.pairs_ns, "%llu, seen %llu", (unsigned long long)rate.pairs_ns,
		(unsigned long long)seen.pairs_ns);
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
		rq_check(cpu_rq(cpu));
		find_on_queue(cpu_rq(cpu), known, nr);
	}
	check_runtime();
	for (unsigned i = 0; i < nr; i++)
		check_known(&known[i]);
	check_waste();
}

/* ---- where the time went ---- */

struct ledger {
	u64 clock, exec, idle;
	u64 schedules, passes;
} opened[MAX_CPUS];

static struct ledger read_ledger(struct rq *rq)
{
	struct ledger l;

	rq_charge(rq);
	l.clock = rq->clock;
	l.exec = rq->count.exec_ns;
	l.idle = rq->count.idle_ns + (rq->curr == rq->idle ? rq->clock - rq->idle_since : 0);
	l.schedules = rq->count.schedules;
	l.passes = rq->count.balance_attempts[CPU_NEWLY_IDLE];
	return l;
}

/* ---- what became of wakeups ---- */

/* Less those that found the task running; those after which it has run; and those after which it has not yet. */
struct wakeups {
	u64 made, counted, open;
};

static u64 count_latencies(const struct rq *rq)
{
	u64 n = 0;

	for (unsigned d = 0; d < NR_WAKE_DISTANCES; d++)
		for (unsigned i = 0; i < LATENCY_BUCKETS; i++)
			n += rq->latency[d].bucket[i];
	return n;
}

/* No task exists but the one that asks, and the stoppers. */
static struct wakeups read_wakeups(void)
{
	struct wakeups w = { 0 };

	for (unsigned cpu = 0; cpu < nr_cpus; cpu++) {
		const struct rq *rq = cpu_rq(cpu);

		w.made += rq->count.wakeups_local + rq->count.wakeups_remote - rq->count.wakeups_running;
		w.counted += count_latencies(rq);
		w.open += rq->stop->woken_at != 0;
	}
	return w;
}

static struct wakeups wakeups_before;

void invariants_check_wakeups(void)
{
	unsigned long flags = invariants_lock();
	struct wakeups a = wakeups_before, b = read_wakeups();
	u64 made = b.made - a.made, found = b.counted - a.counted + b.open - a.open;

	require(made == found, "%llu made, %llu found", (unsigned long long)made, (unsigned long long)found);
	invariants_unlock(flags);
}

void invariants_begin(void)
{
	unsigned long flags = invariants_lock();

	wakeups_before = read_wakeups();

	for (unsigned cpu = 0; cpu < nr_cpus; cpu++)
		opened[cpu] = read_ledger(cpu_rq(cpu));
	invariants_unlock(flags);
}

/*
 * Tasks of all classes are charged from pick to put, and a switch belongs to who comes. Only the way of a CPU that has run out of
 * tasks through its domains is nobody's, between the clock at which the last task left and the one at which the next is picked. So
 * no CPU can account for more time than has passed, to the nanosecond, nor for less than that minus its newidle passes and a few
 * readings of the clock in each schedule(). By cost.def each of these takes a few us at most on 16 CPUs, waiting for locks
 * included; the limits leave room for other costs.
 */
void invariants_check_time(void)
{
	enum { PASS_NS = 20000, SCHEDULE_NS = 2000 };
	unsigned long flags = invariants_lock();

	for (unsigned cpu = 0; cpu < nr_cpus; cpu++) {
		struct ledger a = opened[cpu], b = read_ledger(cpu_rq(cpu));
		u64 passed = b.clock - a.clock, accounted = b.exec - a.exec + b.idle - a.idle;
		u64 lost = (b.passes - a.passes) * PASS_NS + (b.schedules - a.schedules) * SCHEDULE_NS;

		require(accounted <= passed, "CPU %u: %llu of %llu ns", cpu, (unsigned long long)accounted,
			(unsigned long long)passed);
		require(passed - accounted <= lost || on_real_cpus, "CPU %u: %llu of %llu ns; %llu may be missing", cpu,
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
	rt_update_curr(rq);
	ns = current()->se.sum_exec;
	spin_unlock_irq(&rq->lock, flags);
	return ns;
}
