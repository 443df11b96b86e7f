/* SPDX-License-Identifier: GPL-2.0-or-later
 * The rounds of the watchdog. */
#include "base/watchdog.h"

struct watched watchdog_of[MAX_CPUS] = { [0 ... MAX_CPUS - 1] = { .deadline = TIMER_NEVER } };

static struct {
	u64 limit_ns, round_ns;
	u64 next_ns; /* atomic; when the next round is due */
	u32 still;   /* rounds in a row in which all CPUs were idle for good */
} watchdog;

void watchdog_init(u64 limit_ns)
{
	watchdog.limit_ns = limit_ns;
	watchdog.round_ns = limit_ns / WATCHDOG_ROUNDS;
	watchdog.next_ns = limit_ns ? machine_clock_ns() + watchdog.round_ns : TIMER_NEVER;
}

u64 watchdog_limit_ns(void)
{
	return watchdog.limit_ns;
}

void watchdog_stop(void)
{
	WRITE_ONCE(watchdog.next_ns, TIMER_NEVER);
}

static void count(u32 *rounds, bool so)
{
	*rounds = so ? *rounds + 1 : 0;
}

static void look_at(unsigned cpu, u64 now_ns, struct pulse *p)
{
	struct watched *w = &watchdog_of[cpu];
	u64 deadline = READ_ONCE(w->deadline);
	u32 bound = READ_ONCE(w->bound);

	kernel_pulse(cpu, p);
	count(&w->seen.late, deadline < now_ns && deadline == w->seen.deadline);
	count(&w->seen.held, bound > w->seen.bound && p->passed == w->seen.passed);
	count(&w->seen.deaf, p->wanted && p->passed == w->seen.passed);
	w->seen.deadline = deadline;
	w->seen.bound = bound;
	w->seen.passed = p->passed;
}

static enum watchdog_finding finding_of(const struct watched *w)
{
	if (w->seen.late >= WATCHDOG_ROUNDS)
		return WATCHDOG_LATE;
	if (w->seen.held >= WATCHDOG_ROUNDS)
		return WATCHDOG_HELD;
	return w->seen.deaf >= WATCHDOG_ROUNDS ? WATCHDOG_DEAF : WATCHDOG_FINE;
}

static enum watchdog_finding look_at_all(u64 now_ns, unsigned *which)
{
	enum watchdog_finding worst = WATCHDOG_FINE;
	bool still = true;

	for (unsigned cpu = 0; cpu < machine_nr_cpus(); cpu++) {
		enum watchdog_finding finding;
		struct pulse p;

		look_at(cpu, now_ns, &p);
		still = still && p.idle;
		finding = finding_of(&watchdog_of[cpu]);
		if (finding == WATCHDOG_FINE || worst != WATCHDOG_FINE)
			continue;
		worst = finding;
		*which = cpu;
	}
	count(&watchdog.still, still);
	if (worst != WATCHDOG_FINE || watchdog.still < WATCHDOG_ROUNDS)
		return worst;
	*which = machine_cpu();
	return WATCHDOG_STILL;
}

enum watchdog_finding watchdog_look(u64 now_ns, unsigned *cpu)
{
	u64 due = READ_ONCE(watchdog.next_ns);

	if (now_ns < due || !__atomic_compare_exchange_n(
				    &watchdog.next_ns, &due, now_ns + watchdog.round_ns, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return WATCHDOG_FINE;
	return look_at_all(now_ns, cpu);
}

bool watchdog_all_late(void)
{
	for (unsigned cpu = 0; cpu < machine_nr_cpus(); cpu++)
		if (watchdog_of[cpu].seen.late < WATCHDOG_ROUNDS)
			return false;
	return true;
}
