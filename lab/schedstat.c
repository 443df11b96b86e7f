/* SPDX-License-Identifier: GPL-2.0-or-later
 * The scheduler's statistics for people and for the tools they have: the text of /proc/schedstat, and a table of tasks. */
#include "lab/lab.h"

#include "base/text.h"

static void say_numbers(const u64 *number, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++)
		say(" %llu", (unsigned long long)number[i]);
	say("\n");
}

/* Groups of 32 CPUs, the highest first and with no more digits than there are CPUs for. */
static void say_mask(const struct cpumask *mask)
{
	unsigned nr = machine_nr_cpus();
	int digits = (int)((nr - 1) % 32 / 4 + 1);

	for (unsigned group = (nr + 31) / 32; group-- > 0; digits = 8)
		say("%0*x%s", digits, (u32)(mask->word[group / 2] >> group % 2 * 32), group ? "," : "");
}

static void say_cpu(unsigned cpu)
{
	u64 number[DOMAIN_STATS];
	const struct cpumask *span;

	sched_cpu_stats(cpu, number);
	say("cpu%u", cpu);
	say_numbers(number, CPU_STATS);
	for (unsigned level = 0; (span = sched_domain_stats(cpu, level, number)); level++) {
		say("domain%u ", level);
		say_mask(span);
		say_numbers(number, DOMAIN_STATS);
	}
}

/* Version 15, which both 2.6.32 and 3.8 have. Our jiffies begin at 0. */
void say_schedstat(void)
{
	say("version 15\ntimestamp %llu\n", (unsigned long long)tick_now());
	for (unsigned cpu = 0; cpu < machine_nr_cpus(); cpu++)
		say_cpu(cpu);
}

/* ---- tasks, in the manner of the table in /proc/sched_debug ---- */

static void say_ms(u64 ns)
{
	say(" %8llu.%06llu", (unsigned long long)(ns / NSEC_PER_MSEC), (unsigned long long)(ns % NSEC_PER_MSEC));
}

static void say_task(const struct task_record *t)
{
	say("%16s %6u %9llu %9llu %11llu %10llu", t->name, t->id, (unsigned long long)(t->voluntary + t->involuntary),
		(unsigned long long)t->voluntary, (unsigned long long)t->involuntary, (unsigned long long)t->migrations);
	say_ms(t->exec_ns);
	say_ms(t->run_delay_ns);
	say_ms(t->wait_max_ns);
	say("\n");
}

/* Nothing where no records were kept. */
void say_tasks(void)
{
	u64 left_out;
	const struct task_record *t = sched_take_tasks(&left_out);

	if (t)
		say("%16s %6s %9s %9s %11s %10s %15s %15s %15s\n", "task", "PID", "switches", "voluntary", "involuntary",
			"migrations", "run ms", "wait ms", "longest wait ms");
	for (; t; t = t->next)
		say_task(t);
	if (left_out)
		say("There was no memory to note %llu more tasks\n", (unsigned long long)left_out);
}
