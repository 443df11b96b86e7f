/* SPDX-License-Identifier: GPL-2.0-or-later
 * Wasted time by cause, and what newidle balancing cost and brought. */
#include "tools/fairlog/account.h"

#include "tools/fairlog/page.h"

#include <string.h>

const char *const waste_cause_name[WASTE_CAUSES] = {
	"not due",
	"nobody looked",
	"newidle off",
	"under threshold",
	"throttled",
	"looking",
	"affinity",
	"cache-hot",
	"buddies",
	"arriving",
};

static double mean(const struct group *group, enum record_field field)
{
	double sum = 0;

	for (size_t i = 0; i < group->count; i++)
		sum += (double)run_uint(group->runs[i], field);
	return sum / (double)group->count;
}

static void print_waste(const struct group *group)
{
	char text[400];
	size_t used = 0;

	for (unsigned i = 0; i < WASTE_CAUSES; i++) {
		double ns = mean(group, FIELD_run_wasted_not_due_ns + i);

		if (ns > 0)
			used += (size_t)snprintf(
				text + used, sizeof text - used, "%s%s %.3f", used > 0 ? ", " : "", waste_cause_name[i], ns / 1e6);
	}
	if (used > 0)
		print_line("     wasted, msec: ", "%s", text);
}

bool account_newidle(const struct group *group, char text[NEWIDLE_BYTES])
{
	char brought[120] = "", cold[80] = "";
	double followed, cold_ns;

	if (group->count == 0 || mean(group, FIELD_run_newidle_passes) == 0)
		return false;
	followed = mean(group, FIELD_run_newidle_followed);
	cold_ns = mean(group, FIELD_run_newidle_cold_ns);
	if (followed > 0)
		snprintf(brought, sizeof brought, "; %.1f of them would have waited %.3f msec more", followed,
			mean(group, FIELD_run_newidle_saved_ns) / 1e6);
	if (cold_ns > 0)
		snprintf(cold, sizeof cold, "; cold caches cost them %.3f msec", cold_ns / 1e6);
	snprintf(text, NEWIDLE_BYTES, "%.1f passes took %.3f msec and %.1f pairs of locks, pulled %.1f tasks%s%s",
		mean(group, FIELD_run_newidle_passes), mean(group, FIELD_run_newidle_ns) / 1e6,
		mean(group, FIELD_run_newidle_locks), mean(group, FIELD_run_balance_newidle_pulls), brought, cold);
	return true;
}

void print_account(const struct group *group)
{
	char newidle[NEWIDLE_BYTES];

	if (group->count == 0)
		return;
	print_waste(group);
	if (account_newidle(group, newidle))
		print_line("     newidle: ", "%s", newidle);
}
