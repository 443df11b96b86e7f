/* SPDX-License-Identifier: GPL-2.0-or-later
 * Lists of CPUs and nodes, as people write them. */
#include "lab/cpuset.h"

#include "base/text.h"

/* What a list is about: "cpus" counts "CPU"s. */
struct kind {
	const char *name, *one;
	unsigned nr;
};

static bool parse_part(const char *part, u64 *first, u64 *last)
{
	const char *dash = strchr(part, '-');

	if (!dash)
		return !text_number(part, strlen(part), first) && !text_number(part, strlen(part), last);
	return !text_number(part, (size_t)(dash - part), first) && !text_number(dash + 1, strlen(dash + 1), last);
}

static int refuse(const struct kind *k, const char *part, const char *why, char *error)
{
	text_format(error, PLAN_ERROR_BYTES, "%s=%s: %s", k->name, *part ? part : ",", why);
	return -E_INVAL;
}

static int refuse_number(const struct kind *k, const char *part, char *error)
{
	char why[64];

	if (k->nr == 1)
		text_format(why, sizeof(why), "there is only %s 0", k->one);
	else
		text_format(why, sizeof(why), "there are %ss 0-%u", k->one, k->nr - 1);
	return refuse(k, part, why, error);
}

static int add_part(const struct kind *k, const char *part, struct cpumask *numbers, char *error)
{
	u64 first, last;

	if (!parse_part(part, &first, &last))
		return refuse(k, part, "expected numbers and ranges such as 0-3,6", error);
	if (first > last)
		return refuse(k, part, "a range begins with the smaller number", error);
	if (last >= k->nr)
		return refuse_number(k, part, error);
	for (; first <= last; first++)
		mask_set(numbers, (unsigned)first);
	return 0;
}

/* An empty list: all numbers. */
static int parse_list(const struct kind *k, const char *list, struct cpumask *numbers, char *error)
{
	char part[sizeof(param.cpus)];
	const char *comma;
	int err = 0;

	mask_clear(numbers);
	for (unsigned i = 0; !*list && i < k->nr; i++)
		mask_set(numbers, i);
	for (list = *list ? list : NULL; !err && list; list = comma ? comma + 1 : NULL) {
		comma = strchr(list, ',');
		text_copy(part, comma ? (size_t)(comma - list) + 1 : sizeof(part), list);
		err = add_part(k, part, numbers, error);
	}
	return err;
}

static void drop_other_nodes(struct cpumask *set, const struct cpumask *nodes)
{
	const struct topology *t = machine_topology();

	for (unsigned cpu = 0; cpu < t->nr_cpus; cpu++)
		if (!mask_has(nodes, t->cpu[cpu].node))
			mask_unset(set, cpu);
}

int cpuset_parse(const char *cpus, const char *nodes, struct cpumask *set, char error[PLAN_ERROR_BYTES])
{
	const struct kind cpu = { "cpus", "CPU", machine_nr_cpus() }, node = { "nodes", "node", machine_topology()->nr_nodes };
	struct cpumask numbers;

	if (parse_list(&cpu, cpus, set, error) || parse_list(&node, nodes, &numbers, error))
		return -E_INVAL;
	drop_other_nodes(set, &numbers);
	if (!mask_empty(set))
		return 0;
	text_format(error, PLAN_ERROR_BYTES, "cpus=%s nodes=%s: no CPU is in both", cpus, nodes);
	return -E_INVAL;
}

void cpuset_say(const char *what, const struct cpumask *set)
{
	const char *before = mask_weight(set) == 1 ? " " : "s ";
	unsigned first, last;

	say("%s", what);
	for (first = mask_first(set); first < MAX_CPUS; first = mask_next(set, last + 1), before = ",") {
		for (last = first; last + 1 < MAX_CPUS && mask_has(set, last + 1);)
			last++;
		say(last > first ? "%s%u-%u" : "%s%u", before, first, last);
	}
	say("\n");
}
