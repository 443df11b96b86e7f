/* SPDX-License-Identifier: GPL-2.0-or-later
 * Work conservation: for how long was a CPU idle while a task that may run there waited on a queue? (docs/waste.md)
 *
 * The state that decides this is which CPUs are idle and how many tasks wait under each affinity mask. It changes at queue
 * transitions only, so between two of them the time is multiplied by what holds, and the sum is exact. What is cheap is done
 * always: each queue counts its own waiting tasks by mask. The ledger, which is shared, is looked at only while some CPU is idle,
 * and opened by the first that becomes so.
 */
#include "sched/waste.h"

static struct {
	struct spinlock lock;
	u32 nr_idle;	     /* lock to write */
	struct cpumask idle; /* lock, like all below */
	u64 at;		     /* ns; all before is in the sum */
	u32 waiting[NR_MASK_KINDS];
	u32 others;		     /* of those, behind MASK_ALL */
	u32 nr_waiting;		     /* all of them */
	u32 bound_cpus, bound_tasks; /* idle CPUs where tasks wait that may go nowhere else, and these */
	struct waste rate;	     /* ns per ns */
	struct waste sum;
	struct idlers wanted; /* others: the idle CPUs that some waiting task may run on */
	u64 by[NR_WASTE_CAUSES];
	bool closed; /* atomic; nothing is noted */
} ledger = { .lock = SPINLOCK_INIT(RANK_LEDGER) };

/* ---- kinds of masks ---- */

/* The masks behind MASK_ALL, as tasks are first bound to them. */
static struct {
	struct spinlock lock;
	u32 nr; /* lock to write; atomic */
	struct cpumask mask[NR_MASK_KINDS];
} kinds = { .lock = SPINLOCK_INIT(RANK_LEDGER), .nr = MASK_FIRST };

static u8 find_kind(const struct cpumask *allowed)
{
	for (u32 i = MASK_FIRST; i < kinds.nr; i++)
		if (mask_equal(&kinds.mask[i], allowed))
			return (u8)i;
	if (kinds.nr == NR_MASK_KINDS)
		return MASK_HERE;
	kinds.mask[kinds.nr] = *allowed;
	__atomic_store_n(&kinds.nr, kinds.nr + 1, __ATOMIC_SEQ_CST);
	return (u8)(kinds.nr - 1);
}

/* A task that may go to one CPU only waits there, once it has got there. One whose mask finds no room in the list is taken for
 * such. */
u8 waste_kind(const struct cpumask *allowed, unsigned cpu)
{
	unsigned long flags;
	u8 kind;

	if (mask_equal(allowed, &cpus_online))
		return MASK_ALL;
	if (mask_weight(allowed) == 1 && mask_has(allowed, cpu))
		return MASK_HERE;
	flags = spin_lock_irq(&kinds.lock);
	kind = find_kind(allowed);
	spin_unlock_irq(&kinds.lock, flags);
	return kind;
}

static const struct cpumask *kind_mask(u32 kind)
{
	return kind == MASK_ALL ? &cpus_online : &kinds.mask[kind];
}

/* ---- what holds now ---- */

static void add_bound(struct waste *rate, struct cpumask *free)
{
	for_each_cpu(cpu, &ledger.idle) {
		u32 n = cpu_rq(cpu)->reported[MASK_HERE];

		if (!n)
			continue;
		rate->ns++;
		rate->wait_ns += n;
		rate->pairs_ns += n;
		mask_unset(free, cpu);
	}
}

/* Give the CPU to a waiting task of some mask, if need be by finding another CPU's task a different one: a step of a matching. */
static bool match(unsigned cpu, u8 task_of_cpu[], u32 left[], bool tried[])
{
	for (u32 k = MASK_ALL; k < kinds.nr; k++) {
		if (tried[k] || !ledger.waiting[k] || !mask_has(kind_mask(k), cpu))
			continue;
		tried[k] = true;
		if (left[k]) {
			left[k]--;
			task_of_cpu[cpu] = (u8)k;
			return true;
		}
		for_each_cpu(other, &ledger.idle)
			if (task_of_cpu[other] == k && match(other, task_of_cpu, left, tried)) {
				task_of_cpu[cpu] = (u8)k;
				return true;
			}
	}
	return false;
}

static u32 count_matches(const struct cpumask *free)
{
	static u8 task_of_cpu[MAX_CPUS];
	u32 left[NR_MASK_KINDS], n = 0;

	memcpy(left, ledger.waiting, sizeof(left));
	memset(task_of_cpu, 0, sizeof(task_of_cpu));
	for_each_cpu(cpu, free) {
		bool tried[NR_MASK_KINDS] = { false };

		n += match(cpu, task_of_cpu, left, tried);
	}
	return n;
}

/* Sums over the kinds of masks; how many CPUs are wanted by any. The only kind there is, or 0. */
static u32 add_kinds(struct waste *rate, struct cpumask *wanted)
{
	u32 only = 0, nr = 0;

	for (u32 k = MASK_ALL; k < kinds.nr; k++) {
		struct cpumask overlap = ledger.idle;
		u32 cpus;

		if (!ledger.waiting[k])
			continue;
		mask_and(&overlap, kind_mask(k));
		cpus = mask_weight(&overlap);
		if (!cpus)
			continue;
		mask_or(wanted, &overlap);
		rate->wait_ns += ledger.waiting[k];
		rate->pairs_ns += (u64)ledger.waiting[k] * cpus;
		only = k;
		nr++;
	}
	return nr == 1 ? only : 0;
}

static void rates_by_masks(struct waste *rate)
{
	struct cpumask free = ledger.idle, wanted = { .word = { 0 } };
	u32 only, cpus;

	if (ledger.waiting[MASK_HERE])
		add_bound(rate, &free);
	only = add_kinds(rate, &wanted);
	mask_and(&free, &wanted);
	cause_of(&free, &ledger.wanted);
	ledger.wanted.arriving += (u32)rate->ns; /* those bound to their CPUs are there */
	cpus = mask_weight(&free);
	rate->idle_ns = rate->ns + cpus;
	if (cpus)
		rate->ns += only ? min_u64(cpus, ledger.waiting[only]) : count_matches(&free);
}

/* Nobody waits under a mask that is neither one CPU nor all: whoever is bound takes its CPU, the rest goes to the rest. */
static struct waste rates_without_masks(void)
{
	u32 waiting = ledger.waiting[MASK_ALL];

	return (struct waste){
		.ns = ledger.bound_cpus + min_u64(ledger.nr_idle - ledger.bound_cpus, waiting),
		.idle_ns = waiting ? ledger.nr_idle : ledger.bound_cpus,
		.wait_ns = ledger.bound_tasks + waiting,
		.pairs_ns = ledger.bound_tasks + (u64)ledger.nr_idle * waiting,
	};
}

static void set_rates(void)
{
	memset(&ledger.rate, 0, sizeof(ledger.rate));
	if (!ledger.nr_idle)
		return;
	if (unlikely(ledger.others))
		rates_by_masks(&ledger.rate);
	else
		ledger.rate = rates_without_masks();
}

/* ---- the ledger ---- */

/* CPUs' clocks may differ by a little; time that is in the sum already is not counted twice. */
static void advance(u64 now)
{
	u64 delta = now - ledger.at;

	if ((s64)delta <= 0)
		return;
	ledger.at = now;
	if (likely(!ledger.rate.pairs_ns)) /* then nothing is wasted by any measure */
		return;
	ledger.sum.ns += ledger.rate.ns * delta;
	ledger.sum.idle_ns += ledger.rate.idle_ns * delta;
	ledger.sum.wait_ns += ledger.rate.wait_ns * delta;
	ledger.sum.pairs_ns += ledger.rate.pairs_ns * delta;
	cause_charge(ledger.others ? &ledger.wanted : cause_all(), ledger.rate.ns, delta, ledger.by);
}

/* Some queue has so many more waiting than was known. */
static void count_waiting(struct rq *rq, u32 more)
{
	rq->reported_all += more;
	if (!ledger.nr_waiting && more)
		cause_forget();
	ledger.nr_waiting += more;
}

/* Bring the ledger to what the queue counts. Doing so twice does no harm, which makes it safe to read other CPUs' counts. */
static void take_report(struct rq *rq, u32 kind)
{
	u32 n = __atomic_load_n(&rq->waiting[kind], __ATOMIC_SEQ_CST), more = n - rq->reported[kind];

	cause_count_out(rq);
	count_waiting(rq, more);
	cause_count_in(rq, mask_has(&ledger.idle, rq->cpu));
	ledger.waiting[kind] += more;
	if (kind > MASK_ALL)
		ledger.others += more;
	if (kind == MASK_HERE && mask_has(&ledger.idle, rq->cpu)) {
		ledger.bound_cpus += (n != 0) - (rq->reported[kind] != 0);
		ledger.bound_tasks += more;
	}
	rq->reported[kind] = n;
}

void waste_report(struct rq *rq, u32 kind, u64 now)
{
	spin_lock(&ledger.lock);
	advance(now);
	take_report(rq, kind);
	set_rates();
	spin_unlock(&ledger.lock);
}

/* While no CPU was idle nobody reported. Whoever changes its counts from here on sees nr_idle. */
static void open_ledger(void)
{
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++)
		for (u32 k = MASK_HERE; k < kinds.nr; k++)
			take_report(cpu_rq(cpu), k);
}

bool waste_watching(void)
{
	return __atomic_load_n(&ledger.nr_idle, __ATOMIC_SEQ_CST);
}

/* The ledger is open before this CPU's finding is noted: tasks may have waited all the time. */
static void idle_begins(struct rq *rq)
{
	if (__atomic_add_fetch(&ledger.nr_idle, 1, __ATOMIC_SEQ_CST) == 1)
		open_ledger();
	mask_set(&ledger.idle, rq->cpu);
	ledger.bound_cpus += rq->reported[MASK_HERE] != 0;
	ledger.bound_tasks += rq->reported[MASK_HERE];
	cause_set(rq, knob.newidle <= NEWIDLE_OFF ? WASTE_OFF : (enum waste_cause)rq->look);
	cause_count_in(rq, true);
}

static void idle_ends(struct rq *rq)
{
	cause_count_out(rq);
	mask_unset(&ledger.idle, rq->cpu);
	ledger.bound_cpus -= rq->reported[MASK_HERE] != 0;
	ledger.bound_tasks -= rq->reported[MASK_HERE];
	__atomic_sub_fetch(&ledger.nr_idle, 1, __ATOMIC_SEQ_CST);
}

void waste_cpu_starts(struct rq *rq)
{
	spin_lock(&ledger.lock);
	advance(rq->clock);
	idle_begins(rq);
	set_rates();
	spin_unlock(&ledger.lock);
}

static void note_switch(struct rq *rq, const struct task *prev, const struct task *next)
{
	advance(rq->clock);
	if (mask_has(&ledger.idle, rq->cpu))
		idle_ends(rq);
	else if (prev->on_rq)
		take_report(rq, prev->mask_kind);
	if (next->is_idle)
		idle_begins(rq);
	else
		take_report(rq, next->mask_kind);
	set_rates();
}

void waste_report_switch(struct rq *rq, const struct task *prev, const struct task *next)
{
	if (READ_ONCE(ledger.closed))
		return;
	spin_lock(&ledger.lock);
	if (!ledger.closed)
		note_switch(rq, prev, next);
	spin_unlock(&ledger.lock);
}

/* No CPU counts as idle any more. */
static void close_ledger(void)
{
	struct cpumask idle = ledger.idle;

	advance(machine_clock_ns());
	for_each_cpu(cpu, &idle)
		idle_ends(cpu_rq(cpu));
	set_rates();
}

/* Opened again, it learns of each CPU when that next becomes idle. */
void waste_keep(bool keep)
{
	unsigned long flags = spin_lock_irq(&ledger.lock);

	if (!keep)
		close_ledger();
	WRITE_ONCE(ledger.closed, !keep);
	spin_unlock_irq(&ledger.lock, flags);
}

/* An idle CPU looks for work, or somebody does on its behalf, and has found what rq->look says. */
void waste_note_look(struct rq *rq, enum waste_cause found)
{
	unsigned long flags;

	if (!waste_watching())
		return;
	flags = spin_lock_irq(&ledger.lock);
	if (mask_has(&ledger.idle, rq->cpu)) {
		advance(machine_clock_ns());
		cause_count_out(rq);
		cause_set(rq, found);
		cause_count_in(rq, true);
		set_rates();
	}
	spin_unlock_irq(&ledger.lock, flags);
}

bool sched_waste_is_exact(void)
{
	return READ_ONCE(kinds.nr) < NR_MASK_KINDS;
}

void waste_forget_kinds(void)
{
	unsigned long flags = spin_lock_irq(&ledger.lock);

	open_ledger();
	bug_on(ledger.others);
	kinds.nr = MASK_FIRST;
	set_rates();
	spin_unlock_irq(&ledger.lock, flags);
	current()->mask_kind = waste_kind(&current()->allowed, current()->cpu);
}

void waste_read(struct waste *sum, struct waste *rate, u64 by[NR_WASTE_CAUSES])
{
	unsigned long flags = spin_lock_irq(&ledger.lock);

	advance(machine_clock_ns());
	*sum = ledger.sum;
	*rate = ledger.rate;
	memcpy(by, ledger.by, sizeof(ledger.by));
	spin_unlock_irq(&ledger.lock, flags);
}
