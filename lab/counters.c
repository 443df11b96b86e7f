/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which events are counted, and the fields of records that say so. */
#include "lab/counters.h"

#include "base/record.h"
#include "base/text.h"

static const char *const name_of[NR_HW_EVENTS] = {
#define NAME(id, name) [id] = #name,
	HW_EVENT_NAMES(NAME)
#undef NAME
};

static int refuse(const char *word, size_t length, char error[PLAN_ERROR_BYTES])
{
	size_t used = (size_t)text_format(error, PLAN_ERROR_BYTES, "events= \"%.*s\": expected a list of", (int)length, word);

	for (unsigned e = 0; e < NR_HW_EVENTS && used < PLAN_ERROR_BYTES; e++)
		used += (size_t)text_format(error + used, PLAN_ERROR_BYTES - used, "%s %s", e ? "," : "", name_of[e]);
	return -E_INVAL;
}

static unsigned find_event(const char *word, size_t length)
{
	unsigned e = 0;

	while (e < NR_HW_EVENTS && (strlen(name_of[e]) != length || memcmp(name_of[e], word, length)))
		e++;
	return e;
}

static size_t word_length(const char *text)
{
	size_t n = 0;

	while (text[n] && text[n] != ',')
		n++;
	return n;
}

/* The list is looked at even where nothing is counted: what is wrong there is wrong. */
int counters_parse(u32 *wanted, char error[PLAN_ERROR_BYTES])
{
	u32 listed = *param.events ? 0 : (1u << NR_HW_EVENTS) - 1;

	for (const char *word = param.events; *word;) {
		size_t length = word_length(word);
		unsigned e = find_event(word, length);

		if (e == NR_HW_EVENTS || (word[length] && !word[length + 1]))
			return refuse(word, strlen(word), error);
		listed |= 1u << e;
		word += length + (word[length] == ',');
	}
	*wanted = param.counters == COUNTERS_ON ? listed : 0;
	return 0;
}

/* ---- records ---- */

#define NOT_SUPPORTED "not supported"

void put_machine_counters(void)
{
	record_str(FIELD_machine_counters, machine_counters());
	record_map_open(FIELD_machine_events);
	for (unsigned e = 0; e < NR_HW_EVENTS; e++) {
		const char *source = machine_counter_of((enum hw_event)e);

		record_map_str(name_of[e], source ? source : NOT_SUPPORTED);
	}
	record_map_close();
}

/* What nobody wanted is not counted, but supported; what was wanted and some CPU refused is not. */
static bool is_supported(const struct run *r, unsigned e)
{
	return machine_counter_of((enum hw_event)e) && (!(r->wanted >> e & 1) || r->counted.supported >> e & 1);
}

void put_hardware_counts(const struct run *r)
{
	record_map_open(FIELD_run_counters);
	for (unsigned e = 0; e < NR_HW_EVENTS; e++)
		if (is_supported(r, e))
			record_map_uint(name_of[e], r->counted.value[e]);
		else
			record_map_str(name_of[e], NOT_SUPPORTED);
	record_map_close();
	record_uint(FIELD_run_counters_enabled_ns, r->counted.enabled_ns);
	record_map_open(FIELD_run_counters_running_ns);
	for (unsigned e = 0; e < NR_HW_EVENTS; e++)
		if (is_supported(r, e))
			record_map_uint(name_of[e], r->counted.running_ns[e]);
	record_map_close();
}
