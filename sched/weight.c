/* SPDX-License-Identifier: GPL-2.0-or-later
 * Weights of nice levels and the scaled division that virtual time is made of (cfs.md 1.1, 1.2). */
#include "sched/rq.h"

/* Weight and 2^32 / weight of nice -20..19. Each step is about 25 % of weight, 10 % of CPU between two tasks. The inverses are
 * Linux's own figures: a few are neither the floor nor the nearest integer. */
static const struct load_weight nice_weight[40] = {
	{ 88761, 48388 },
	{ 71755, 59856 },
	{ 56483, 76040 },
	{ 46273, 92818 },
	{ 36291, 118348 },
	{ 29154, 147320 },
	{ 23254, 184698 },
	{ 18705, 229616 },
	{ 14949, 287308 },
	{ 11916, 360437 },
	{ 9548, 449829 },
	{ 7620, 563644 },
	{ 6100, 704093 },
	{ 4904, 875809 },
	{ 3906, 1099582 },
	{ 3121, 1376151 },
	{ 2501, 1717300 },
	{ 1991, 2157191 },
	{ 1586, 2708050 },
	{ 1277, 3363326 },
	{ 1024, 4194304 },
	{ 820, 5237765 },
	{ 655, 6557202 },
	{ 526, 8165337 },
	{ 423, 10153587 },
	{ 335, 12820798 },
	{ 272, 15790321 },
	{ 215, 19976592 },
	{ 172, 24970740 },
	{ 137, 31350126 },
	{ 110, 39045157 },
	{ 87, 49367440 },
	{ 70, 61356676 },
	{ 56, 76695844 },
	{ 45, 95443717 },
	{ 36, 119304647 },
	{ 29, 148102320 },
	{ 23, 186737708 },
	{ 18, 238609294 },
	{ 15, 286331153 },
};

static const struct load_weight idle_policy_weight = { 3, 1431655765 };

void weight_set(struct task *t)
{
	t->se.load = t->policy == POLICY_IDLE ? idle_policy_weight : nice_weight[t->nice + 20];
}

void weight_add(struct load_weight *load, u64 weight)
{
	load->weight += weight;
	load->inverse = 0;
}

void weight_sub(struct load_weight *load, u64 weight)
{
	load->weight -= weight;
	load->inverse = 0;
}

enum { INVERSE_SHIFT = 32 };

/* A weight is never 0 here: nobody divides by an empty queue. */
static u32 inverse_of(u64 weight)
{
	if (weight >= 1ull << INVERSE_SHIFT)
		return 1;
	if (knob.inverse == INVERSE_ROUNDED) /* 2.6.32: slices come out up to 0.1 % short */
		return (u32)(1 + ((1ull << INVERSE_SHIFT) - weight / 2) / (weight + 1));
	return (u32)((1ull << INVERSE_SHIFT) / weight);
}

static u64 shift_round(u64 x, unsigned shift)
{
	return (x + (1ull << (shift - 1))) >> shift;
}

/*
 * About delta * weight / of->weight, in the steps and with the rounding of Linux, because slices are compared for equality with it.
 * No overflow: delta is below 2^38 ns (runtime is accounted every tick, a period is at most a second for each of some hundred
 * tasks) and a weight below 2^17, so the product fits. Scaled down by 2^16 it is below 2^32 for the virtual runtime of the lightest
 * task (weight 3, inverse below 2^31), and for a slice, where weight <= of->weight, weight * inverse is at most 2^32.
 */
u64 calc_delta(u64 delta, u64 weight, struct load_weight *of)
{
	u64 product = weight > 1 ? delta * weight : delta;

	if (!of->inverse)
		of->inverse = inverse_of(of->weight);
	if (product > 1ull << INVERSE_SHIFT)
		return shift_round(shift_round(product, 16) * of->inverse, 16);
	return shift_round(product * of->inverse, INVERSE_SHIFT);
}

/* Runtime to virtual runtime: nice 0 advances at the rate of the clock, heavier tasks slower. */
u64 calc_delta_fair(u64 delta, struct sched_entity *se)
{
	return se->load.weight == NICE_0_WEIGHT ? delta : calc_delta(delta, NICE_0_WEIGHT, &se->load);
}
