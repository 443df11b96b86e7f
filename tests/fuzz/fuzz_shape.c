/* SPDX-License-Identifier: GPL-2.0-or-later
 * Any text is the shape of a machine: one that is taken has all its CPUs at places that there are, and sane distances. */
#include <stdlib.h>

#include "arch/shape.h"
#include "base/string.h"

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t count);

static void expect(bool is_so)
{
	if (!is_so)
		abort();
}

static void check_topology(const struct topology *t)
{
	expect(t->nr_cpus >= 1 && t->nr_cpus <= MAX_CPUS && t->nr_nodes >= 1 && t->nr_nodes <= MAX_NODES);
	for (unsigned i = 0; i < t->nr_cpus; i++) {
		const struct cpu_place *place = &t->cpu[i];

		expect(place->node < t->nr_nodes && place->package < t->nr_packages && place->llc < t->nr_llcs &&
			place->core < t->nr_cores);
	}
	for (unsigned a = 0; a < t->nr_nodes; a++)
		for (unsigned b = 0; b < t->nr_nodes; b++)
			expect(a == b ? t->distance[a][b] == 10 : t->distance[a][b] > 10);
}

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t count)
{
	static struct topology topology;
	char error[160], *text = malloc(count + 1);

	expect(text);
	memcpy(text, bytes, count);
	text[count] = '\0';
	memset(&topology, 0xff, sizeof(topology));
	if (!shape_parse(text, &topology, error, sizeof(error)))
		check_topology(&topology);
	free(text);
	return 0;
}
