/* SPDX-License-Identifier: GPL-2.0-or-later
 * Stein's two stages (1945). After a first stage of n pairs, whose logarithms of ratios have the standard deviation s, there will
 * be N = (t s / d)^2 in all, or n if that is more, and whatever the later ones bring, the interval of all is their mean +- t s /
 * sqrt(N). t is Student's for n - 1 degrees of freedom.
 *
 * It holds because N depends on s alone. Of normal samples, s says nothing of the mean, so that (mean - truth) sqrt(N) / s has
 * Student's distribution with n - 1 degrees of freedom whatever N came out as; also if N was cut off by max_runs=.
 */
#include "lab/sequential.h"

#include "base/record.h"
#include "base/string.h"
#include "base/text.h"
#include "lab/lab.h"

enum { PPM = 1000000, FIRST_STAGE = 5, SMALLEST_PPM = 100, LARGEST_PPM = 500000 };

/* ---- the words ---- */

/* Per cent with up to four digits behind the point. */
int sequential_parse(const char *text, u64 *ppm)
{
	u64 value = 0, unit = 0; /* of the last digit; 0: before the point */

	for (; *text && *text != '%'; text++) {
		if (*text == '.' && !unit) {
			unit = PPM / 100;
			continue;
		}
		if (*text < '0' || *text > '9' || value > LARGEST_PPM || unit == 1)
			return -E_INVAL;
		value = unit ? value + (u64)(*text - '0') * (unit /= 10) : 10 * value + (u64)(*text - '0') * (PPM / 100);
	}
	*ppm = value;
	return *text == '%' && text[1] ? -E_INVAL : 0;
}

static int refuse(struct plan *plan, const char *why)
{
	text_format(plan->error, sizeof(plan->error), "until=%s: %s", param.until, why);
	return -E_INVAL;
}

int sequential_check(struct plan *plan)
{
	if (!*param.until)
		return 0;
	if (sequential_parse(param.until, &plan->within_ppm) || plan->within_ppm < SMALLEST_PPM || plan->within_ppm > LARGEST_PPM)
		return refuse(plan, "expected per cent from 0.01% to 50%, as in until=0.5%");
	if (plan->nr_variants < 2)
		return refuse(plan, "there is nothing to compare; expected vary=, variant=, screen= or aa=1 besides");
	if (param.runs < FIRST_STAGE)
		return refuse(plan, "expected runs=5 or more, the first stage");
	if (param.order == ORDER_AABB)
		return refuse(plan, "expected another order than aabb, which makes no pairs");
	if (param.max_runs < param.runs)
		return refuse(plan, "expected max_runs= to be runs= or more");
	return 0;
}

/* ---- the rule ---- */

/* The quantile at 97.5 % of Student's t, in millionths. Between the last ones that of the fewer degrees of freedom, which is
 * larger. */
static u64 student_ppm(u64 df)
{
	static const u32 small[] = { 12706205, 4302653, 3182446, 2776445, 2570582, 2446912, 2364624, 2306004, 2262157, 2228139,
		2200985, 2178813, 2160369, 2144787, 2131450, 2119905, 2109816, 2100922, 2093024, 2085963, 2079614, 2073873, 2068658,
		2063899, 2059539, 2055529, 2051831, 2048407, 2045230, 2042272 };
	static const struct {
		u32 df, t;
	} large[] = { { 500, 1964720 }, { 200, 1971896 }, { 100, 1983972 }, { 80, 1990063 }, { 60, 2000298 }, { 50, 2008559 },
		{ 40, 2021075 } };

	if (df <= ARRAY_SIZE(small))
		return small[df - 1];
	for (unsigned i = 0; i < ARRAY_SIZE(large); i++)
		if (df >= large[i].df)
			return large[i].t;
	return small[ARRAY_SIZE(small) - 1];
}

/*
 * The least N with N (n - 1) d^2 >= t^2 S, S being the sum of squares. It is looked for rather than divided for, since the kernel
 * has no division of 128 bits. With t in millionths both sides are multiplied by 10^12: S is below 2^64 and t^2 below 2^48, so the
 * right one is below 2^112; d is below 2^23, so that the left one is below 2^20 2^20 2^46 2^40 = 2^126.
 */
u64 sequential_needed(const struct pairs *p, u64 ppm)
{
	u64 t = student_ppm(p->n - 1), d = (u64)(log_fixed(PPM + ppm) - log_fixed(PPM)), low = p->n, high = SEQUENTIAL_MOST;
	u128 want = (u128)(t * t) * pairs_squares(p), each = (u128)(d * d) * (p->n - 1) * PPM * PPM;

	while (low < high) {
		u64 middle = low + (high - low) / 2;

		if (middle * each < want)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* ---- a workload ---- */

static u64 sd_ppb(const struct pairs *p)
{
	return (u64)((u128)root_of(pairs_squares(p), p->n - 1) * 1000000000 >> 32);
}

static void report(const struct plan *plan, const struct planned_workload *w, unsigned variant, const struct pairs *p, u64 passes)
{
	char name[TEXT_BYTES];
	u64 needed = sequential_needed(p, plan->within_ppm);

	plan_variant_name(plan, variant, name, sizeof(name));
	say("Stage 1: %s [%s]: %llu pairs with a standard deviation of %s %%; for +-%s %% %s%llu are needed\n", w->text, name,
		(unsigned long long)p->n, text_decimal(sd_ppb(p), 10000000, 3).text,
		text_decimal(plan->within_ppm, PPM / 100, 4).text, needed == SEQUENTIAL_MOST ? "more than " : "",
		(unsigned long long)needed);
	record_begin(RECORD_sequence);
	record_str(FIELD_sequence_workload, w->text);
	record_str(FIELD_sequence_variant, name);
	record_str(FIELD_sequence_figure, w->workload->figure ? w->workload->figure : "elapsed_ns");
	record_uint(FIELD_sequence_pairs, p->n);
	record_uint(FIELD_sequence_sd_ppb, sd_ppb(p));
	record_uint(FIELD_sequence_within_ppm, plan->within_ppm);
	record_uint(FIELD_sequence_needed, needed);
	record_uint(FIELD_sequence_runs, passes);
	record_end();
}

/* A variant whose runs failed does not decide. */
static bool is_known(const struct pairs *p)
{
	return p->n >= FIRST_STAGE;
}

u64 sequential_passes(const struct tally *t, const struct plan *plan, const struct planned_workload *w)
{
	u64 passes = param.runs;

	for (unsigned i = 1; i < plan->nr_variants; i++)
		if (is_known(&t->pairs[i]))
			passes = max_u64(passes, sequential_needed(&t->pairs[i], plan->within_ppm));
	passes = min_u64(passes, param.max_runs);
	for (unsigned i = 1; i < plan->nr_variants; i++)
		if (is_known(&t->pairs[i]))
			report(plan, w, i, &t->pairs[i], passes);
	return passes;
}
