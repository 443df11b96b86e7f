/* SPDX-License-Identifier: GPL-2.0-or-later
 * The scheduler's switches as variables. They change only between runs. */
#ifndef SCHED_KNOBS_H
#define SCHED_KNOBS_H

#include "base/knobs.h"

/* The variants of each choice: enumerator, word on the command line. */
#define SCALING_WORDS(V) V(SCALING_NONE, none) V(SCALING_LOG, log) V(SCALING_LINEAR, linear)
#define HZ_WORDS(V)	 V(HZ_100, 100) V(HZ_250, 250) V(HZ_1000, 1000)
#define PREEMPT_WORDS(V) V(PREEMPT_NONE, none) V(PREEMPT_FULL, full)
#define NEWIDLE_WORDS(V) V(NEWIDLE_OFF, off) V(NEWIDLE_THROTTLE, throttle) V(NEWIDLE_ALWAYS, always) V(NEWIDLE_COST, cost)
/* 2.6.32-rc1; rc1 with the patches of 9 October 2009; Galbraith's mail of 16 October 2009; 2.6.32; 3.8. */
#define BUDDY_PICK_WORDS(V)                                                                                                        \
	V(BUDDY_PICK_CLEAR_ALL, clear_all)                                                                                         \
	V(BUDDY_PICK_CLEAR_SEEN, clear_seen)                                                                                       \
	V(BUDDY_PICK_KEEP, keep) V(BUDDY_PICK_LAST_FIRST, last_first) V(BUDDY_PICK_NEXT_FIRST, next_first)
/* 2.6.32-rc1; the mail; 2.6.32; 3.8. */
#define BUDDY_SET_WORDS(V)                                                                                                         \
	V(BUDDY_SET_WAKEUP, wakeup)                                                                                                \
	V(BUDDY_SET_ALWAYS, always) V(BUDDY_SET_PREEMPT, preempt) V(BUDDY_SET_PREEMPT_NEXT, preempt_next)
/* 2.6.32-rc1; the mail; 2.6.32 and 3.8. */
#define BUDDY_HOT_WORDS(V) V(BUDDY_HOT_ANY, any) V(BUDDY_HOT_SOURCE_BUSY, source_busy) V(BUDDY_HOT_HERE_RUNNING, here_running)

enum { SCALING_WORDS(KNOB_ENUMERATOR) };
enum { HZ_WORDS(KNOB_ENUMERATOR) };
enum { PREEMPT_WORDS(KNOB_ENUMERATOR) };
enum { NEWIDLE_WORDS(KNOB_ENUMERATOR) };
enum { BUDDY_PICK_WORDS(KNOB_ENUMERATOR) };
enum { BUDDY_SET_WORDS(KNOB_ENUMERATOR) };
enum { BUDDY_HOT_WORDS(KNOB_ENUMERATOR) };

struct sched_knobs {
#define KNOB_LIST "sched/knobs.def"
#include "base/knob_struct.inc"
#undef KNOB_LIST
};

extern struct sched_knobs knob;
extern const struct knob_table sched_knob_table;

/* Fill in what was left to its default: latency and granularities by the scaling rule of 3.8 for that many CPUs. */
void sched_knobs_settle(unsigned nr_cpus);

#endif
