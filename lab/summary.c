/* SPDX-License-Identifier: GPL-2.0-or-later
 * The experiment on one page: of each workload under each variant the mean of what it is judged by, and the ratio to the first
 * variant. For people at a screen of 80 columns; whoever has the log asks fairlog, which knows how sure a ratio is. */
#include "lab/summary.h"

#include "base/string.h"
#include "base/text.h"

enum { NAME_COLUMNS = 40 };

struct cell {
	u64 sum;
	u32 runs, failed;
};

static struct cell cells[MAX_WORKLOADS][MAX_VARIANTS];

void summary_begin(void)
{
	memset(cells, 0, sizeof(cells));
}

static u64 figure_of(const struct workload *w, const struct run *r)
{
	for (unsigned i = 0; w->figure && i < r->nr_metrics; i++)
		if (!strcmp(r->metric[i].name, w->figure))
			return r->metric[i].value;
	return w->figure ? 0 : r->elapsed_ns;
}

void summary_note(const struct plan *plan, const struct planned_workload *w, unsigned variant, const struct run *r)
{
	struct cell *c = &cells[w - plan->workload][variant];

	if (strcmp(r->status, "ok")) {
		c->failed++;
		return;
	}
	c->sum += figure_of(w->workload, r);
	c->runs++;
}

/* The figure's name without its unit, and how many of what is counted are one of what is shown. */
static u64 unit_of(const struct workload *w, char *name, size_t size)
{
	size_t n = text_copy(name, size, w->figure ? w->figure : "elapsed_ns");
	bool is_time = n > 3 && n < size && !strcmp(name + n - 3, "_ns");

	if (is_time)
		text_copy(name + n - 3, 4, " ms");
	return is_time ? NSEC_PER_MSEC : 1;
}

/* As many bits are dropped from both as keep the products within what text_decimal() takes: runs < 2^17. */
static struct text_decimal ratio_of(const struct cell *c, const struct cell *base)
{
	u64 a = c->sum, b = base->sum;

	while ((a | b) >> 42) {
		a >>= 1;
		b >>= 1;
	}
	return text_decimal(a * base->runs, b * c->runs, 3);
}

/* A name that is too long for its column has a line of its own: its end may be all that tells it from the next. */
static void say_variant(const char *variant)
{
	bool fits = strlen(variant) <= NAME_COLUMNS;

	if (!fits)
		say("  %.77s\n", variant);
	say("  %-*s", NAME_COLUMNS, fits ? variant : "");
}

static void say_cell(const struct cell *c, const struct cell *base, u64 unit)
{
	struct text_decimal ratio = { "" };

	if (!c->runs) {
		say("     0                -\n");
		return;
	}
	if (c != base && base->runs && base->sum)
		ratio = ratio_of(c, base);
	say(" %5u %16s%s%.9s\n", c->runs, text_decimal(c->sum, c->runs * unit, 3).text, *ratio.text ? "  x " : "", ratio.text);
}

static void say_workload(const struct plan *plan, unsigned i)
{
	const struct planned_workload *w = &plan->workload[i];
	char figure[40], variant[TEXT_BYTES];
	u64 unit = unit_of(w->workload, figure, sizeof(figure)), failed = 0;

	say("%.42s: %s, %s is better\n", w->text, figure, w->workload->more_is_better ? "more" : "less");
	for (unsigned v = 0; v < plan->nr_variants; v++) {
		plan_variant_name(plan, v, variant, sizeof(variant));
		say_variant(variant);
		say_cell(&cells[i][v], &cells[i][0], unit);
		failed += cells[i][v].failed;
	}
	if (failed)
		say("  and %llu that failed\n", (unsigned long long)failed);
}

void summary_say(const struct plan *plan)
{
	if (!plan->nr_workloads)
		return;
	say("\n%-42s  runs             mean  to the first\n", "Means");
	for (unsigned i = 0; i < plan->nr_workloads; i++)
		say_workload(plan, i);
	say("\n");
}
