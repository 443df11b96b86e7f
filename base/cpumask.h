/* SPDX-License-Identifier: GPL-2.0-or-later
 * Sets of CPUs. */
#ifndef BASE_CPUMASK_H
#define BASE_CPUMASK_H

#include "base/string.h"
#include "base/types.h"

enum { MASK_WORDS = MAX_CPUS / 64 };

struct cpumask {
	u64 word[MASK_WORDS];
};

static inline void mask_clear(struct cpumask *m)
{
	memset(m, 0, sizeof(*m));
}

static inline void mask_set(struct cpumask *m, unsigned cpu)
{
	m->word[cpu / 64] |= 1ull << cpu % 64;
}

static inline void mask_unset(struct cpumask *m, unsigned cpu)
{
	m->word[cpu / 64] &= ~(1ull << cpu % 64);
}

static inline bool mask_has(const struct cpumask *m, unsigned cpu)
{
	return m->word[cpu / 64] >> cpu % 64 & 1;
}

static inline unsigned mask_weight(const struct cpumask *m)
{
	unsigned n = 0;

	for (unsigned i = 0; i < MASK_WORDS; i++)
		for (u64 w = m->word[i]; w; w &= w - 1)
			n++;
	return n;
}

static inline bool mask_equal(const struct cpumask *a, const struct cpumask *b)
{
	return !memcmp(a, b, sizeof(*a));
}

static inline bool mask_empty(const struct cpumask *m)
{
	for (unsigned i = 0; i < MASK_WORDS; i++)
		if (m->word[i])
			return false;
	return true;
}

static inline bool mask_intersects(const struct cpumask *a, const struct cpumask *b)
{
	for (unsigned i = 0; i < MASK_WORDS; i++)
		if (a->word[i] & b->word[i])
			return true;
	return false;
}

static inline void mask_and(struct cpumask *m, const struct cpumask *other)
{
	for (unsigned i = 0; i < MASK_WORDS; i++)
		m->word[i] &= other->word[i];
}

static inline void mask_or(struct cpumask *m, const struct cpumask *other)
{
	for (unsigned i = 0; i < MASK_WORDS; i++)
		m->word[i] |= other->word[i];
}

/* The first member that is not below `from`, or MAX_CPUS. */
static inline unsigned mask_next(const struct cpumask *m, unsigned from)
{
	for (unsigned i = from / 64; i < MASK_WORDS; i++) {
		u64 w = m->word[i];

		if (i == from / 64)
			w &= ~0ull << from % 64;
		if (w)
			return i * 64 + (unsigned)__builtin_ctzll(w);
	}
	return MAX_CPUS;
}

static inline unsigned mask_first(const struct cpumask *m)
{
	return mask_next(m, 0);
}

#define for_each_cpu(cpu, mask) for (unsigned cpu = mask_first(mask); cpu < MAX_CPUS; cpu = mask_next(mask, cpu + 1))

#endif
