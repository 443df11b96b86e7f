/* SPDX-License-Identifier: GPL-2.0-or-later
 * Decides. One test, the one whose interval is shown, so that what is printed and what is decided cannot disagree. */
#include "tools/fairlog/verdict.h"

#include "tools/fairlog/allocate.h"

#include <math.h>

/* ---- effects ---- */

static bool is_positive(const double *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!(values[i] > 0))
			return false;
	return true;
}

static bool is_constant(const double *values, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (values[i] != values[0])
			return false;
	return true;
}

static double *logs_of(const double *values, size_t n)
{
	double *logs = allocate(NULL, n * sizeof *logs);

	for (size_t i = 0; i < n; i++)
		logs[i] = log(values[i]);
	return logs;
}

static double welch_p(const double *a, size_t na, const double *b, size_t nb)
{
	struct estimate ea = stat_estimate(a, na), eb = stat_estimate(b, nb);

	return stat_welch(&ea, &eb).p;
}

/* Both are of the logarithms of a and b. */
static void compare_logs(struct effect *effect, const struct samples *s, const struct samples *logs)
{
	effect->welch_p = welch_p(logs->a, s->na, logs->b, s->nb);
	if (s->paired) {
		effect->ratio = stat_paired_ratio(logs->a, logs->b, s->na, 0.95);
		effect->narrow = stat_paired_ratio(logs->a, logs->b, s->na, 0.90);
		effect->p = stat_paired(logs->a, logs->b, s->na).p;
	} else {
		effect->ratio = stat_ratio(s->a, s->na, s->b, s->nb, 0.95);
		effect->narrow = stat_ratio(s->a, s->na, s->b, s->nb, 0.90);
		effect->p = effect->welch_p;
	}
}

static void compare_positive(struct effect *effect, const struct samples *s)
{
	double *a = logs_of(s->a, s->na), *b = logs_of(s->b, s->nb);
	struct samples logs = { a, b, s->na, s->nb, s->paired };

	compare_logs(effect, s, &logs);
	free(a);
	free(b);
}

static void compare_tails(struct effect *effect, const struct samples *s)
{
	struct bootstrap bootstrap = stat_bootstrap(s->a, s->na, s->b, s->nb, s->paired);

	effect->ratio = bootstrap.ratio;
	effect->narrow = bootstrap.narrow;
	effect->p = bootstrap.p;
}

struct effect effect_of(const struct samples *s, bool tail)
{
	static const struct ratio no_ratio = { RATIO_TOO_FEW, NAN, NAN, NAN, NAN, NAN };
	struct effect effect = { no_ratio, no_ratio, NAN, NAN, NAN, NAN, false };

	if (s->na == 0 || s->nb == 0)
		return effect;
	effect.constant = is_constant(s->a, s->na) && is_constant(s->b, s->nb);
	effect.rank_p = stat_rank_test(s->a, s->na, s->b, s->nb);
	if (is_positive(s->a, s->na) && is_positive(s->b, s->nb)) {
		compare_positive(&effect, s);
	} else {
		effect.ratio.state = effect.narrow.state = RATIO_ZERO;
		effect.welch_p = welch_p(s->a, s->na, s->b, s->nb);
		effect.p = s->paired ? stat_paired(s->a, s->b, s->na).p : effect.welch_p;
	}
	if (tail)
		compare_tails(&effect, s);
	if (effect.ratio.state == RATIO_KNOWN)
		effect.detectable = expm1(stat_detectable(effect.ratio.error, effect.ratio.df));
	return effect;
}

/* ---- verdicts ---- */

static enum verdict without_interval(const struct effect *effect)
{
	switch (effect->ratio.state) {
	case RATIO_NO_SPREAD:
		return !effect->constant && effect->ratio.ratio == 1 ? VERDICT_SAME : VERDICT_ONE_REPEATED;
	case RATIO_ZERO:
		return VERDICT_ZERO;
	default:
		return VERDICT_TOO_FEW;
	}
}

/* By a ratio above 1 that is worse. */
static enum verdict judge(double low, double high, double narrow_high, double margin)
{
	if (low > 1 + margin)
		return VERDICT_WORSE;
	if (high < 1)
		return VERDICT_BETTER;
	if (margin == 0)
		return VERDICT_NOT_SEEN;
	return narrow_high < 1 + margin ? VERDICT_NO_WORSE : VERDICT_UNDECIDED;
}

enum verdict verdict_of(const struct effect *effect, size_t na, size_t nb, enum direction direction, double margin)
{
	const struct ratio *r = &effect->ratio;

	if (na < VERDICT_RUNS || nb < VERDICT_RUNS)
		return VERDICT_TOO_FEW;
	if (r->state != RATIO_KNOWN)
		return without_interval(effect);
	if (margin > 0 && stat_is_within(&effect->narrow, margin))
		return VERDICT_WITHIN;
	if (direction == DIRECTION_UNKNOWN && (r->low > 1 || r->high < 1 || margin > 0))
		return VERDICT_NO_DIRECTION;
	if (direction == MORE_IS_BETTER)
		return judge(1 / r->high, 1 / r->low, 1 / effect->narrow.low, margin);
	return judge(r->low, r->high, effect->narrow.high, margin);
}

enum decision decision_of(enum verdict verdict)
{
	switch (verdict) {
	case VERDICT_BETTER:
	case VERDICT_SAME:
	case VERDICT_NOT_SEEN:
	case VERDICT_NO_WORSE:
	case VERDICT_WITHIN:
		return DECIDED_NO_WORSE;
	case VERDICT_WORSE:
		return DECIDED_WORSE;
	default:
		return UNDECIDED;
	}
}
