/* SPDX-License-Identifier: GPL-2.0-or-later
 * A kernel that runs the random programs of tests/scenario on real CPUs: the same actors and the same invariants, but the CPUs race
 * freely. Words of its command line are in actors.def, besides those of the machine.
 */
#include "arch/machine.h"
#include "base/bug.h"
#include "base/knobs.h"
#include "base/text.h"
#include "tests/scenario/actors.h"
#include "tests/scenario/invariants.h"
#include "tests/scenario/program.h"

static struct {
#define KNOB_LIST "tests/boot/actors.def"
#include "base/knob_struct.inc"
#undef KNOB_LIST
} told;

#define KNOB_LIST   "tests/boot/actors.def"
#define KNOB_STRUCT told
#include "base/knob_table.inc"

static const struct knob_table table = { "random program", knob_table_entries, ARRAY_SIZE(knob_table_entries) };

_Noreturn void kernel_main(void)
{
	const struct knob_table *tables[] = { &table };
	static struct program program;

	on_real_cpus = true;
	knobs_parse_known(tables, 1, machine_info()->cmdline);
	program = (struct program){ told.seed, told.steps, told.tasks, told.runs };
	if (!program.tasks)
		program.tasks = 2 + draw(&told.seed, MOST_ACTORS - 1);
	say("Random program: seed=%llu steps=%llu tasks=%llu runs=%llu\n", (unsigned long long)program.seed,
		(unsigned long long)program.steps, (unsigned long long)program.tasks, (unsigned long long)program.runs);
	program_main(&program);
}
