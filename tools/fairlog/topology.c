/* SPDX-License-Identifier: GPL-2.0-or-later
 * The shape of a machine in words, and whether it is pretended. */
#include "tools/fairlog/topology.h"

#include "tools/fairlog/page.h"

#include <inttypes.h>

const char *topology_text(const json_t *machine, char text[TOPOLOGY_BYTES])
{
	const char *shape = record_get_string(machine, FIELD_machine_shape);
	const char *real = record_get_string(machine, FIELD_machine_pretended_on);
	uint64_t left_out = record_get_uint(machine, FIELD_machine_cpus_left_out);

	if (!*real)
		snprintf(text, TOPOLOGY_BYTES, "%s", shape);
	else if (!left_out)
		snprintf(text, TOPOLOGY_BYTES, "%s (pretended on %s)", shape, real);
	else
		snprintf(text, TOPOLOGY_BYTES, "%s (pretended on %s, %" PRIu64 " CPU%s left out)", shape, real, left_out,
			plural(left_out));
	return text;
}
