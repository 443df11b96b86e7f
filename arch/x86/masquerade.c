/* SPDX-License-Identifier: GPL-2.0-or-later
 * topo= on real CPUs: another topology than theirs, for the scheduler to believe in. */
#include "arch/x86/masquerade.h"

#include "base/string.h"
#include "base/text.h"

enum { LOCAL_DISTANCE = 10 }; /* SLIT units */

/* ---- what is asked for ---- */

static int parse_topology(const char *topo, unsigned nr_cpus, struct masquerade *m, char *error, size_t size)
{
	static const char *const words[] = { [DISGUISE_NONE] = "real", [DISGUISE_NOSMT] = "nosmt", [DISGUISE_FLAT] = "flat" };
	size_t used;

	for (unsigned i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(topo, words[i])) {
			m->kind = (enum disguise)i;
			return 0;
		}
	if (shape_parse(topo, &m->shown, error, size)) {
		used = strlen(error);
		text_copy(error + used, size - used, ", or real, nosmt or flat");
		return -E_INVAL;
	}
	if (m->shown.nr_cpus > nr_cpus) {
		text_format(
			error, size, "topo=%.40s: a shape of %u CPUs, and this machine has %u", topo, m->shown.nr_cpus, nr_cpus);
		return -E_INVAL;
	}
	m->kind = DISGUISE_SHAPE;
	return 0;
}

int masquerade_parse(const char *topo, const char *cold, unsigned nr_cpus, struct masquerade *m, char *error, size_t size)
{
	int err;

	m->kind = DISGUISE_NONE;
	err = shape_parse_costs("cold", cold, m->cold_ns, error, size);
	return err ? err : parse_topology(topo, nr_cpus, m, error, size);
}

/* ---- which CPUs ---- */

/* Where a CPU comes in the order. Groups of APIC ids are aligned powers of two, so that they stay together when the boot CPU's bits
 * are turned to 0, and its own groups come first. */
static u64 rank_of(const struct acpi_cpu *cpu, const struct acpi_cpu *boot)
{
	u64 node = cpu->node == boot->node ? 0 : cpu->node + 1u;

	return node << 32 | (cpu->apic_id ^ boot->apic_id);
}

static void sort_by_rank(struct acpi_cpu cpu[], unsigned nr)
{
	for (unsigned i = 2; i < nr; i++) {
		struct acpi_cpu moved = cpu[i];
		unsigned at = i;

		for (; at > 1 && rank_of(&cpu[at - 1], &cpu[0]) > rank_of(&moved, &cpu[0]); at--)
			cpu[at] = cpu[at - 1];
		cpu[at] = moved;
	}
}

/* Of what a real one is to have no more CPUs in the shape than the shape's own has; as bits, the most important one highest. */
enum { LIMIT_LLC = 1, LIMIT_PACKAGE = 2, LIMIT_NODE = 4, LIMIT_CORE = 8, LIMIT_ALL = 15 };

static bool is_together(const struct acpi_cpu *a, const struct acpi_cpu *b, unsigned shift)
{
	return shift >= 32 || a->apic_id >> shift == b->apic_id >> shift;
}

/* May one more CPU be taken, after those? */
static bool is_within(unsigned limits, const struct topology *shape, const struct cpu_identity *boot, const struct acpi_cpu taken[],
	unsigned nr_taken, const struct acpi_cpu *cpu)
{
	unsigned core = 0, llc = 0, package = 0, node = 0;

	for (unsigned i = 0; i < nr_taken; i++) {
		core += is_together(&taken[i], cpu, boot->smt_shift);
		llc += is_together(&taken[i], cpu, boot->llc_shift);
		package += is_together(&taken[i], cpu, boot->package_shift);
		node += taken[i].node == cpu->node;
	}
	return !(limits & LIMIT_CORE && core * shape->nr_cores >= shape->nr_cpus) &&
	       !(limits & LIMIT_LLC && llc * shape->nr_llcs >= shape->nr_cpus) &&
	       !(limits & LIMIT_PACKAGE && package * shape->nr_packages >= shape->nr_cpus) &&
	       !(limits & LIMIT_NODE && node * shape->nr_nodes >= shape->nr_cpus);
}

void masquerade_choose(const struct topology *shape, const struct cpu_identity *boot, struct acpi_cpu cpu[], unsigned nr)
{
	static struct acpi_cpu taken[MAX_CPUS];
	unsigned nr_taken = 0;

	sort_by_rank(cpu, nr);
	for (int limits = LIMIT_ALL; limits >= 0 && nr_taken < shape->nr_cpus; limits--) {
		nr_taken = 0;
		for (unsigned i = 0; i < nr && nr_taken < shape->nr_cpus; i++)
			if (is_within((unsigned)limits, shape, boot, taken, nr_taken, &cpu[i]))
				taken[nr_taken++] = cpu[i];
	}
	memcpy(cpu, taken, nr_taken * sizeof(*taken));
}

/* ---- what is seen ---- */

static void hide_smt(struct topology *t)
{
	t->nr_cores = t->nr_cpus;
	for (unsigned cpu = 0; cpu < t->nr_cpus; cpu++) {
		t->cpu[cpu].core = (u16)cpu;
		t->cpu[cpu].thread = 0;
	}
}

static void flatten(struct topology *t)
{
	t->nr_nodes = t->nr_packages = t->nr_llcs = 1;
	for (unsigned cpu = 0; cpu < t->nr_cpus; cpu++)
		t->cpu[cpu].node = t->cpu[cpu].package = t->cpu[cpu].llc = 0;
	t->distance[0][0] = LOCAL_DISTANCE;
}

void masquerade_wear(struct masquerade *m, const struct topology *real)
{
	if (m->kind != DISGUISE_SHAPE)
		m->shown = *real;
	if (m->kind == DISGUISE_NOSMT)
		hide_smt(&m->shown);
	if (m->kind == DISGUISE_FLAT)
		flatten(&m->shown);
}

u64 masquerade_cold_ns(const struct masquerade *m, const struct topology *real, unsigned from, unsigned to)
{
	unsigned shown = place_distance(&m->shown.cpu[from], &m->shown.cpu[to]);
	unsigned really = place_distance(&real->cpu[from], &real->cpu[to]);

	if (shown <= really || m->cold_ns[shown] <= m->cold_ns[really])
		return 0;
	return m->cold_ns[shown] - m->cold_ns[really];
}
