/* SPDX-License-Identifier: GPL-2.0-or-later
 * Sched domains for people: a line for all CPUs whose domains look alike. */
#include "sched/rq.h"

#include "base/text.h"

struct ring_summary {
	u32 groups, smallest, largest; /* CPUs */
};

static struct ring_summary summarize(const struct sched_domain *sd)
{
	struct ring_summary s = { 0, sd->groups->weight, sd->groups->weight };
	const struct sched_group *g = sd->groups;

	do {
		s.groups++;
		s.smallest = (u32)min_u64(s.smallest, g->weight);
		s.largest = (u32)max_u64(s.largest, g->weight);
		g = g->next;
	} while (g != sd->groups);
	return s;
}

static bool domains_alike(const struct sched_domain *a, const struct sched_domain *b)
{
	struct ring_summary x, y;

	if (a->name != b->name || a->flags != b->flags || a->weight != b->weight)
		return false;
	x = summarize(a);
	y = summarize(b);
	return !memcmp(&x, &y, sizeof(x));
}

static bool chains_alike(unsigned cpu, unsigned other)
{
	const struct sched_domain *a = cpu_rq(cpu)->sd, *b = cpu_rq(other)->sd;

	for (; a && b; a = a->parent, b = b->parent)
		if (!domains_alike(a, b))
			return false;
	return a == b;
}

/* 0-3,8-11 */
static void say_cpus(const struct cpumask *cpus)
{
	const char *separator = "";

	for (unsigned first = mask_first(cpus), last; first < MAX_CPUS; first = mask_next(cpus, last + 1)) {
		for (last = first; last + 1 < MAX_CPUS && mask_has(cpus, last + 1);)
			last++;
		say("%s%u", separator, first);
		if (last > first)
			say("-%u", last);
		separator = ",";
	}
}

static void say_domain(const struct sched_domain *sd)
{
	struct ring_summary s = summarize(sd);

	say("%s %u (%u group%s of %u", sd->name, sd->weight, s.groups, s.groups == 1 ? "" : "s", s.smallest);
	if (s.largest != s.smallest)
		say(" to %u", s.largest);
	say(", flags 0x%x)", sd->flags);
}

static void say_chain(const struct cpumask *cpus)
{
	const struct sched_domain *sd = cpu_rq(mask_first(cpus))->sd;

	say("Sched domains of CPU%s ", mask_weight(cpus) == 1 ? "" : "s");
	say_cpus(cpus);
	say(sd ? ": " : ": none");
	for (; sd; sd = sd->parent) {
		say_domain(sd);
		say(sd->parent ? ", " : "");
	}
	say("\n");
}

void sched_say_domains(void)
{
	struct cpumask left = cpus_online;

	while (!mask_empty(&left)) {
		unsigned first = mask_first(&left);
		struct cpumask alike;

		mask_clear(&alike);
		for_each_cpu(cpu, &left)
			if (chains_alike(first, cpu)) {
				mask_set(&alike, cpu);
				mask_unset(&left, cpu);
			}
		say_chain(&alike);
	}
}
