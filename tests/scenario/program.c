/* SPDX-License-Identifier: GPL-2.0-or-later
 * A random program: random switches, then actors, some times over. */
#include "tests/scenario/program.h"

#include "arch/machine.h"
#include "base/bug.h"
#include "sched/sched.h"
#include "tests/scenario/actors.h"
#include "tests/scenario/invariants.h"

/* Half of the numbers keep their default, the others are drawn from all orders of magnitude. */
static void draw_number(u64 *state, const struct knob *k)
{
	u64 bits = ilog2(k->most - k->least + 1), n = draw(state, 2ull << draw(state, bits + 1));

	if (draw(state, 2))
		*(u64 *)k->value = min_u64(k->least + n, k->most);
}

/* Periods so short and runtimes so long that throttled tasks go on soon: who waits a second is taken for lost. Sometimes no limit.
 */
static void draw_bandwidth(u64 *state)
{
	knob.sched_rt_period_us = 1000 + draw(state, 50000);
	knob.sched_rt_runtime_us = knob.sched_rt_period_us * (1 + draw(state, 10)) / 8;
}

static void draw_knobs(u64 *state)
{
	knobs_reset(&sched_knob_table);
	for (unsigned i = 0; i < sched_knob_table.nr; i++) {
		const struct knob *k = &sched_knob_table.knob[i];
		unsigned words = 0;

		while (k->kind == KNOB_CHOICE && k->words[words])
			words++;
		if (k->kind == KNOB_NUMBER)
			draw_number(state, k);
		else
			*(u8 *)k->value = (u8)draw(state, words ? words : 2);
	}
	draw_bandwidth(state);
	sched_knobs_settle(machine_nr_cpus());
}

static void wait_until_quiet(void)
{
	while (task_count() > 1)
		task_sleep_ns(100 * NSEC_PER_USEC);
}

static void run_once(const struct program *p, u64 *state)
{
	u64 jitter;

	draw_knobs(state);
	jitter = draw(state, 2) * random_next(state);
	sched_apply_knobs();
	machine_perturb(jitter);
	sched_set_tick_phases(jitter);
	invariants_begin();
	actors_run(random_next(state), p->steps, (unsigned)p->tasks);
	wait_until_quiet();
	invariants_check_time();
	invariants_check_wakeups();
}

static void run_program(void *argument)
{
	const struct program *p = argument;
	u64 state = ~p->seed;

	sched_keep_latencies(true);
	for (u64 run = 0; run < p->runs; run++)
		run_once(p, &state);
	machine_end(END_POWEROFF, VERDICT_OK);
}

_Noreturn void program_main(struct program *p)
{
	knobs_reset(&sched_knob_table);
	sched_knobs_settle(machine_nr_cpus());
	sched_init();
	bug_on(machine_start_cpus(sched_secondary));
	sched_await_cpus();
	bug_on(!task_spawn("main", run_program, p, false));
	sched_run_cpu();
}
