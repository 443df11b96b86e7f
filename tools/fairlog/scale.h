/* SPDX-License-Identifier: GPL-2.0-or-later
 * Axes: where they begin and end, and where their ticks are. */
#ifndef FAIRLOG_SCALE_H
#define FAIRLOG_SCALE_H

#include <stdbool.h>

struct scale {
	double low, high;
	double step; /* between ticks; of a logarithmic scale, the factor */
	bool is_log;
};

/* From one tick to another, with low and high between them and about so many ticks. */
struct scale scale_linear(double low, double high, unsigned ticks);
/* From a power of ten to another one; low and high are above 0. */
struct scale scale_log(double low, double high);
/* 0 at the low end and 1 at the high one. */
double scale_at(const struct scale *scale, double value);

enum { TICK_BYTES = 32 };
/* As short as the distance between two ticks allows: 0.5, 20, 15k, 3M. */
const char *tick_label(double value, double step, char text[TICK_BYTES]);
/* A time in microseconds that is a power of ten: 100 ns, 1 µs, 10 ms. */
const char *tick_time(double usec, char text[TICK_BYTES]);

/* Moves what is nearer to each other than gap apart, as little as needed, in the order that they have. */
void spread_apart(double *at, unsigned count, double gap);

#endif
