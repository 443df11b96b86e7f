/* SPDX-License-Identifier: GPL-2.0-or-later
 * Named costs: what they are in the sim, and how lockstep measures them. */
#include "arch/vcpu/cost.h"

#include "arch/vcpu/engine.h"
#include "base/text.h"

static const struct {
	u64 picoseconds;
	const char *name, *unit, *meaning;
} costs[NR_COSTS] = {
#define COST(name, picoseconds, unit, meaning) { picoseconds, #name, unit, meaning },
#include "arch/vcpu/cost.def"
#undef COST
};

static u64 carried; /* ps */

void cost_reset(void)
{
	carried = 0;
}

/* Fractions of a nanosecond are carried over, so that many small costs add up to what they should. */
u64 cost_ns(enum cost cost, u64 units)
{
	u64 picoseconds = costs[cost].picoseconds * units + carried;

	carried = picoseconds % 1000;
	return picoseconds / 1000;
}

static struct {
	u64 ns, units;
} measured[NR_COSTS];

void cost_note(enum cost cost, u64 units)
{
	measured[cost].ns += running->clock - running->mark;
	measured[cost].units += units;
	running->mark = running->clock;
}

void cost_say_table(void)
{
	for (unsigned i = 0; i < NR_COSTS; i++) {
		u64 units = measured[i].units, picoseconds = units ? measured[i].ns * 1000 / units : costs[i].picoseconds;

		say("COST(%s, %llu, \"%s\", \"%s\")\n", costs[i].name, (unsigned long long)picoseconds, costs[i].unit,
			costs[i].meaning);
	}
}
