/* SPDX-License-Identifier: GPL-2.0-or-later
 * Axes and their ticks. */
#include "tools/fairlog/scale.h"

#include <math.h>
#include <stdio.h>

/* 1, 2 or 5 times a power of ten, and not less than wanted. */
static double nice_step(double wanted)
{
	double power = pow(10, floor(log10(wanted)));

	for (unsigned i = 0; i < 3; i++) {
		static const double factor[] = { 1, 2, 5 };

		if (factor[i] * power >= wanted * (1 - 1e-9))
			return factor[i] * power;
	}
	return 10 * power;
}

struct scale scale_linear(double low, double high, unsigned ticks)
{
	double extent = high - low;
	struct scale scale = { .is_log = false };

	/* A single value stands in the middle of a scale that is not much wider than the value's last digits. */
	if (!(extent > fabs(high) * 1e-9)) {
		extent = high != 0 ? fabs(high) * 0.02 : 1;
		low -= extent / 2;
		high += extent / 2;
	}
	scale.step = nice_step(extent / ticks);
	scale.low = floor(low / scale.step + 1e-9) * scale.step;
	scale.high = ceil(high / scale.step - 1e-9) * scale.step;
	return scale;
}

struct scale scale_log(double low, double high)
{
	struct scale scale = { pow(10, floor(log10(low))), pow(10, ceil(log10(high))), 10, true };

	if (scale.high <= scale.low)
		scale.high = scale.low * 10;
	return scale;
}

double scale_at(const struct scale *scale, double value)
{
	if (scale->is_log)
		return log(value / scale->low) / log(scale->high / scale->low);
	return (value - scale->low) / (scale->high - scale->low);
}

const char *tick_label(double value, double step, char text[TICK_BYTES])
{
	static const struct {
		double unit;
		const char *suffix;
	} units[] = { { 1e9, "G" }, { 1e6, "M" }, { 1e3, "k" }, { 1, "" } };
	unsigned i = 0;
	int decimals;

	/* The unit is one that the larger values fill; the step may then need decimals. */
	while (i < 3 && fabs(value) < 10 * units[i].unit && step < units[i].unit)
		i++;
	decimals = (int)ceil(-log10(step / units[i].unit) - 1e-9);
	snprintf(text, TICK_BYTES, "%.*f%s", decimals > 0 ? decimals : 0, value / units[i].unit + 0.0, units[i].suffix);
	return text;
}

const char *tick_time(double usec, char text[TICK_BYTES])
{
	if (usec < 0.99)
		snprintf(text, TICK_BYTES, "%g ns", usec * 1e3);
	else if (usec < 999)
		snprintf(text, TICK_BYTES, "%g µs", usec);
	else if (usec < 999e3)
		snprintf(text, TICK_BYTES, "%g ms", usec / 1e3);
	else
		snprintf(text, TICK_BYTES, "%g s", usec / 1e6);
	return text;
}

/* Up from below, then down from above where that went too far; few enough for a sort by selection. */
void spread_apart(double *at, unsigned count, double gap)
{
	unsigned order[64];

	count = count < 64 ? count : 64;
	if (count == 0)
		return;
	for (unsigned i = 0; i < count; i++)
		order[i] = i;
	for (unsigned i = 0; i < count; i++) {
		for (unsigned k = i + 1; k < count; k++) {
			if (at[order[k]] < at[order[i]]) {
				unsigned swap = order[i];

				order[i] = order[k];
				order[k] = swap;
			}
		}
	}
	for (unsigned i = 1; i < count; i++)
		at[order[i]] = fmax(at[order[i]], at[order[i - 1]] + gap);
	if (at[order[count - 1]] > 1)
		at[order[count - 1]] = 1;
	for (unsigned i = count; i-- > 1;)
		at[order[i - 1]] = fmin(at[order[i - 1]], at[order[i]] - gap);
}
