/* SPDX-License-Identifier: GPL-2.0-or-later
 * Parameters of the machines with virtual CPUs. */
#include "arch/vcpu/params.h"

#include "arch/vcpu/shape.h"
#include "base/string.h"
#include "base/text.h"

struct vcpu_params vcpu_param;

#define KNOB_LIST   "arch/vcpu/params.def"
#define KNOB_STRUCT vcpu_param
#include "base/knob_table.inc"

const struct knob_table vcpu_knob_table = { "virtual CPUs", knob_table_entries, ARRAY_SIZE(knob_table_entries) };

u64 vcpu_cold_ns[4], vcpu_kick_ns[4];

/* Four numbers, or one for all. */
static int parse_list(const char *name, const char *text, u64 list[4], char *error, size_t size)
{
	const char *s = text;

	for (unsigned i = 0; i < 4; i++) {
		const char *comma = strchr(s, ',');
		size_t n = comma ? (size_t)(comma - s) : strlen(s);

		if (text_number(s, n, &list[i]) || list[i] > NSEC_PER_SEC || (i == 3) != !comma) {
			if (i == 0 && !comma && !text_number(s, n, &list[0]) && list[0] <= NSEC_PER_SEC) {
				list[1] = list[2] = list[3] = list[0];
				return 0;
			}
			text_format(error, size,
				"%s=%s: expected ns for the same core, cache, node and farther, such as 0,1000,5000,10000, or one for all",
				name, text);
			return -E_INVAL;
		}
		s += n + 1;
	}
	return 0;
}

int vcpu_params_settle(char *error, size_t size)
{
	int err = shape_parse(vcpu_param.topo, &shape, error, size);

	err = err ? err : parse_list("cold", vcpu_param.cold, vcpu_cold_ns, error, size);
	return err ? err : parse_list("kick", vcpu_param.kick, vcpu_kick_ns, error, size);
}
