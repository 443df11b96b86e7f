/* SPDX-License-Identifier: GPL-2.0-or-later
 * What holds the machine still, from the command line to the log. Threads are parked here, by not using them; the rest is up to the
 * machine. */
#include "lab/still.h"

#include "base/record.h"
#include "base/text.h"

/* ---- pstate= ---- */

static int parse_ratio(const char *text, size_t n, u8 *ratio)
{
	u64 number;

	if (text_number(text, n, &number) || !number || number > 255)
		return -E_INVAL;
	*ratio = (u8)number;
	return 0;
}

static int parse_ratios(const char *text, struct still_wish *wish)
{
	const char *dash = strchr(text, '-');
	const char *most = dash ? dash + 1 : text;

	if (parse_ratio(text, dash ? (size_t)(dash - text) : strlen(text), &wish->least_ratio))
		return -E_INVAL;
	if (parse_ratio(most, strlen(most), &wish->most_ratio) || wish->most_ratio < wish->least_ratio)
		return -E_INVAL;
	wish->pstate = PSTATE_RATIOS;
	return 0;
}

static int parse_pstate(const char *text, struct still_wish *wish)
{
	if (!*text)
		return 0;
	if (strcmp(text, "base"))
		return parse_ratios(text, wish);
	wish->pstate = PSTATE_BASE;
	return 0;
}

int still_parse(struct still_wish *wish, char error[PLAN_ERROR_BYTES])
{
	*wish = (struct still_wish){ .turbo = param.turbo, .cstate = param.cstate, .prefetch = param.prefetch };
	if (!parse_pstate(param.pstate, wish))
		return 0;
	text_format(error, PLAN_ERROR_BYTES,
		"pstate=%s: expected base, a ratio from 1 to 255 such as 24, or two of them as in 12-24", param.pstate);
	return -E_INVAL;
}

/* ---- smt= ---- */

unsigned still_park_siblings(struct cpumask *cpus)
{
	const struct topology *t = machine_info()->real ? machine_info()->real : machine_topology();
	unsigned parked = 0;

	for (unsigned a = 0; a < t->nr_cpus; a++)
		for (unsigned b = a + 1; mask_has(cpus, a) && b < t->nr_cpus; b++)
			if (mask_has(cpus, b) && t->cpu[a].core == t->cpu[b].core) {
				mask_unset(cpus, b);
				parked++;
			}
	return parked;
}

static void describe_threads(const struct plan *plan, struct still_note *note)
{
	unsigned used = mask_weight(&plan->cpus);

	text_format(note->before, sizeof(note->before), "%u CPUs", used + plan->parked);
	text_format(note->during, sizeof(note->during), "%u CPUs", used);
	text_format(note->after, sizeof(note->after), "%u CPUs", used + plan->parked);
	text_format(note->state, sizeof(note->state), "%s", plan->parked ? "held" : "not supported: no core has a second thread");
}

/* ---- telling ---- */

/* What there is to hold, and the machine's name for it: NR_STILL_ITEMS is the threads. */
static const struct {
	const char *name;
	const void *value;
	unsigned item;
} items[] = {
	{ "turbo", &param.turbo, STILL_TURBO },
	{ "pstate", param.pstate, STILL_PSTATE },
	{ "cstate", &param.cstate, STILL_CSTATE },
	{ "prefetch", &param.prefetch, STILL_PREFETCH },
	{ "smt", &param.smt, NR_STILL_ITEMS },
};

static bool was_asked(const struct plan *plan, unsigned item)
{
	const bool asked[] = {
		[STILL_TURBO] = plan->still.turbo != TURBO_AS_IS,
		[STILL_PSTATE] = plan->still.pstate != PSTATE_AS_IS,
		[STILL_CSTATE] = plan->still.cstate != CSTATE_C1,
		[STILL_PREFETCH] = plan->still.prefetch != PREFETCH_AS_IS,
		[NR_STILL_ITEMS] = param.smt == SMT_OFF,
	};

	return asked[item];
}

static void describe(const struct plan *plan, unsigned item, struct still_note *note)
{
	*note = (struct still_note){ .before = "" };
	if (item == NR_STILL_ITEMS)
		describe_threads(plan, note);
	else
		machine_still(item, note);
}

static void say_item(const struct plan *plan, unsigned i)
{
	struct still_note note;
	char asked[24];

	describe(plan, items[i].item, &note);
	knob_print_of(&lab_knob_table, items[i].value, asked, sizeof(asked));
	say("%s=%s: %s", items[i].name, asked, note.state);
	if (*note.before)
		say(" (%s, in runs %s, then %s)", note.before, note.during, note.after);
	say("\n");
}

void still_prove(const struct plan *plan)
{
	still_hold(plan);
	still_let_go();
	for (unsigned i = 0; i < ARRAY_SIZE(items); i++)
		if (was_asked(plan, items[i].item))
			say_item(plan, i);
}

static void put_item(const struct plan *plan, unsigned i, u64 position)
{
	struct still_note note;
	char asked[24];

	describe(plan, items[i].item, &note);
	knob_print_of(&lab_knob_table, items[i].value, asked, sizeof(asked));
	record_begin(RECORD_still);
	record_uint(FIELD_still_position, position);
	record_str(FIELD_still_item, items[i].name);
	record_str(FIELD_still_asked, asked);
	record_str(FIELD_still_before, note.before);
	record_str(FIELD_still_during, note.during);
	record_str(FIELD_still_after, note.after);
	record_str(FIELD_still_state, note.state);
	record_end();
}

void still_report(const struct plan *plan, u64 position)
{
	for (unsigned i = 0; i < ARRAY_SIZE(items); i++)
		if (was_asked(plan, items[i].item))
			put_item(plan, i, position);
}

/* ---- the run ---- */

void still_hold(const struct plan *plan)
{
	machine_hold_still(&plan->still);
}

void still_let_go(void)
{
	machine_let_go();
}
