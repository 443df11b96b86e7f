/* SPDX-License-Identifier: GPL-2.0-or-later
 * The kernel's main: scheduler up, all CPUs at work, then the experiment and the end. */
#include "lab/lab.h"

#include "base/bug.h"
#include "base/mem.h"
#include "base/record.h"
#include "base/results.h"
#include "base/text.h"
#include "lab/provoke.h"
#include "lab/shell.h"

static struct plan plan;

/* ---- every CPU shows that it works ---- */

static u32 proofs; /* atomic */

static void prove(void *argument)
{
	unsigned cpu = (unsigned)(uintptr_t)argument;
	struct cpumask only = { .word = { 0 } };

	mask_set(&only, cpu);
	bug_on(task_set_allowed(current(), &only));
	machine_work_ns(10 * NSEC_PER_USEC);
	bug_on(machine_cpu() != cpu);
	__atomic_add_fetch(&proofs, 1, __ATOMIC_RELAXED);
}

static void prove_cpus(void)
{
	for (unsigned cpu = 0; cpu < machine_nr_cpus(); cpu++)
		bug_on(!task_spawn("prove", prove, (void *)(uintptr_t)cpu, false));
	for (unsigned cpu = 0; cpu < machine_nr_cpus(); cpu++)
		task_reap(REAP_ANY);
	bug_on(proofs != machine_nr_cpus());
	say("%u CPU%s online; each has run a task\n", proofs, proofs == 1 ? "" : "s");
}

/* ---- the end ---- */

static _Noreturn void finish(enum machine_verdict verdict, const struct outcome *outcome)
{
	static const enum machine_end how[] = { [THEN_POWEROFF] = END_POWEROFF, [THEN_RESET] = END_RESET, [THEN_HALT] = END_HALT };
	static const char *const status[] = { [VERDICT_OK] = "ok", [VERDICT_FAILED] = "failed", [VERDICT_REFUSED] = "refused" };

	report_end(status[verdict], outcome);
	machine_end(how[param.then], verdict);
}

static _Noreturn void refuse(const char *error)
{
	struct outcome outcome = { .message = error };

	say("Error: %s\n", error);
	finish(VERDICT_REFUSED, &outcome);
}

static void lab_main(void *argument)
{
	struct outcome outcome = { .message = "" };
	char error[TRACE_ERROR_BYTES];

	(void)argument;
	prove_cpus();
	if (plan_parse(&plan, machine_info()->cmdline))
		refuse(plan.error);
	if (machine_info()->refusal)
		refuse(machine_info()->refusal);
	if (param.help) {
		report_help();
		finish(VERDICT_OK, &outcome);
	}
	if (plan.list) {
		say_workloads();
		finish(VERDICT_OK, &outcome);
	}
	if (!strcmp(param.exp, "list")) {
		say_experiments();
		finish(VERDICT_OK, &outcome);
	}
	report_plan(&plan);
	report_knobs();
	if (!plan.nr_workloads && !param.shell)
		say("Nothing to run: give run=\"hackbench -g 2\" or the like; help=1 lists what there is\n");
	if (trace_prepare(error))
		refuse(error);
	provoke();
	experiment_run(&plan, &outcome);
	if (param.shell)
		shell_run(&plan, &outcome);
	finish(outcome.failed ? VERDICT_FAILED : VERDICT_OK, &outcome);
}

_Noreturn void kernel_main(void)
{
	struct outcome outcome = { .message = "CPUs that the firmware lists did not start" };

	knobs_reset(&sched_knob_table);
	plan_foresee_end(machine_info()->cmdline);
	sched_knobs_settle(machine_nr_cpus());
	results_init();
	sched_init();
	report_machine();
	if (machine_start_cpus(sched_secondary))
		finish(VERDICT_FAILED, &outcome);
	sched_await_cpus();
	bug_on(!task_spawn("main", lab_main, NULL, false));
	sched_run_cpu();
}
