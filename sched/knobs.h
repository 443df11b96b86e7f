/* SPDX-License-Identifier: GPL-2.0-or-later
 * The scheduler's switches as variables. They change only between runs. */
#ifndef SCHED_KNOBS_H
#define SCHED_KNOBS_H

#include "base/knobs.h"

/* The variants of each choice: enumerator, word on the command line. In order of age, where eras differ. */
#define ONOFF_WORDS(V)	 V(OFF, off) V(ON, on)
#define SCALING_WORDS(V) V(SCALING_NONE, none) V(SCALING_LOG, log) V(SCALING_LINEAR, linear) V(SCALING_LOG_ALL, log_all)
#define HZ_WORDS(V)	 V(HZ_100, 100) V(HZ_250, 250) V(HZ_1000, 1000)
#define PREEMPT_WORDS(V) V(PREEMPT_NONE, none) V(PREEMPT_FULL, full)
#define RELAX_WORDS(V)	 V(RELAX_NONE, none) V(RELAX_0, 0) V(RELAX_1, 1) V(RELAX_2, 2) V(RELAX_3, 3) V(RELAX_4, 4) V(RELAX_5, 5)
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
#define BUDDY_HOT_WORDS(V)	V(BUDDY_HOT_ANY, any) V(BUDDY_HOT_SOURCE_BUSY, source_busy) V(BUDDY_HOT_HERE_RUNNING, here_running)
#define INVERSE_WORDS(V)	V(INVERSE_ROUNDED, rounded) V(INVERSE_FLOOR, floor)
#define VRUNTIME_WORDS(V)	V(VRUNTIME_ABSOLUTE, absolute) V(VRUNTIME_RELATIVE, relative)
#define TICK_LEFTMOST_WORDS(V)	V(TICK_LEFTMOST_OFF, off) V(TICK_LEFTMOST_UNSIGNED, unsigned_bug) V(TICK_LEFTMOST_SIGNED, signed)
#define WAKE_OVER_IDLE_WORDS(V) V(WAKE_OVER_IDLE_NORMAL, normal) V(WAKE_OVER_IDLE_ANY, any)
#define RESCHED_CLEAR_WORDS(V)	V(RESCHED_CLEAR_EARLY, early) V(RESCHED_CLEAR_LATE, late)
#define FORK_PLACE_WORDS(V)	V(FORK_PLACE_EARLY, early) V(FORK_PLACE_LATE, late)
#define YIELD_WORDS(V)		V(YIELD_UPDATE, update) V(YIELD_SKIP, skip)
#define IDLE_CPU_WORDS(V)	V(IDLE_CPU_CURR, curr) V(IDLE_CPU_QUEUE, queue)
#define WAKE_SELECT_WORDS(V)                                                                                                       \
	V(WAKE_SELECT_AFFINE, affine)                                                                                              \
	V(WAKE_SELECT_AFFINE_IDLE, affine_idle)                                                                                    \
	V(WAKE_SELECT_IDLE_SIBLING, idle_sibling)                                                                                  \
	V(WAKE_SELECT_PREVIOUS_IDLE, previous_idle) V(WAKE_SELECT_LONGEST_IDLE, longest_idle)
#define AFFINE_POWER_WORDS(V)	 V(AFFINE_POWER_PLAIN, plain) V(AFFINE_POWER_SCALED, scaled)
#define PREFER_LOCAL_WORDS(V)	 V(PREFER_LOCAL_MC_CPU, mc_cpu) V(PREFER_LOCAL_NODE, node) V(PREFER_LOCAL_NONE, none)
#define NUMA_LEVELS_WORDS(V)	 V(NUMA_LEVELS_NEAREST, nearest) V(NUMA_LEVELS_DISTANCE, distance) V(NUMA_LEVELS_LOST, lost)
#define GROUP_BUILD_WORDS(V)	 V(GROUP_BUILD_FIRST_CPU, first_cpu) V(GROUP_BUILD_OWN_CPU, own_cpu) V(GROUP_BUILD_OWN_MASK, own_mask)
#define POWER_REFRESH_WORDS(V)	 V(POWER_REFRESH_FIRST_CPU, first_cpu) V(POWER_REFRESH_ELECTED, elected)
#define GROUP_LOAD_WORDS(V)	 V(GROUP_LOAD_AVERAGE, average) V(GROUP_LOAD_LEAST, least)
#define GROUP_IMB_WORDS(V)	 V(GROUP_IMB_TWICE_MEAN, twice_mean) V(GROUP_IMB_SPREAD, spread)
#define SIBLING_CLAMP_WORDS(V)	 V(SIBLING_CLAMP_ALL, all) V(SIBLING_CLAMP_ROOM, room)
#define BALANCED_WORDS(V)	 V(BALANCED_MEAN_TASK, mean_task) V(BALANCED_CAPACITY, capacity)
#define IDLE_EXIT_WORDS(V)	 V(IDLE_EXIT_PERCENT, percent) V(IDLE_EXIT_CPUS, idle_cpus)
#define SMALL_IMBALANCE_WORDS(V) V(SMALL_IMBALANCE_PLAIN, plain) V(SMALL_IMBALANCE_SCALED, scaled)
#define LONE_QUEUE_WORDS(V)	 V(LONE_QUEUE_SCALED, scaled) V(LONE_QUEUE_PLAIN, plain)
#define MOVE_SCAN_WORDS(V)	 V(MOVE_SCAN_IN_ORDER, in_order) V(MOVE_SCAN_ROTATE, rotate)
#define SOME_PINNED_WORDS(V)	 V(SOME_PINNED_GIVE_UP, give_up) V(SOME_PINNED_RETRY, retry)
#define SMT_BUSY_WORDS(V)	 V(SMT_BUSY_STOP, stop) V(SMT_BUSY_GO_ON, go_on)
#define INTERVAL_CAP_WORDS(V)	 V(INTERVAL_CAP_BUILT, built) V(INTERVAL_CAP_ONLINE, online)
#define NEWIDLE_WORDS(V)                                                                                                           \
	V(NEWIDLE_NEVER, never)                                                                                                    \
	V(NEWIDLE_OFF, off) V(NEWIDLE_THROTTLE, throttle) V(NEWIDLE_ALWAYS, always) V(NEWIDLE_COST, cost)
#define NEWIDLE_ROUTINE_WORDS(V) V(NEWIDLE_ROUTINE_SEPARATE, separate) V(NEWIDLE_ROUTINE_COMMON, common)
#define NEWIDLE_LOCK_WORDS(V)	 V(NEWIDLE_LOCK_HELD, held) V(NEWIDLE_LOCK_DROPPED, dropped)
#define NOHZ_BALANCER_WORDS(V)	 V(NOHZ_BALANCER_OWNER, owner) V(NOHZ_BALANCER_KICK, kick)
#define MISSED_TICKS_WORDS(V)	 V(MISSED_TICKS_STALE, stale) V(MISSED_TICKS_DECAY, decay)
#define RT_WAKE_PUSH_WORDS(V)	 V(RT_WAKE_PUSH_WAITING, waiting) V(RT_WAKE_PUSH_BLOCKED, blocked)
#define RT_SELECT_WORDS(V)	 V(RT_SELECT_RT_RUNS, rt_runs) V(RT_SELECT_PRIORITY, priority)
#define SCHED_POLICY_WORDS(V)                                                                                                      \
	V(SCHED_POLICY_PERFORMANCE, performance) V(SCHED_POLICY_BALANCE, balance) V(SCHED_POLICY_POWERSAVING, powersaving)

enum { ONOFF_WORDS(KNOB_ENUMERATOR) };
enum { SCALING_WORDS(KNOB_ENUMERATOR) };
enum { HZ_WORDS(KNOB_ENUMERATOR) };
enum { PREEMPT_WORDS(KNOB_ENUMERATOR) };
enum { RELAX_WORDS(KNOB_ENUMERATOR) };
enum { BUDDY_PICK_WORDS(KNOB_ENUMERATOR) };
enum { BUDDY_SET_WORDS(KNOB_ENUMERATOR) };
enum { BUDDY_HOT_WORDS(KNOB_ENUMERATOR) };
enum { INVERSE_WORDS(KNOB_ENUMERATOR) };
enum { VRUNTIME_WORDS(KNOB_ENUMERATOR) };
enum { TICK_LEFTMOST_WORDS(KNOB_ENUMERATOR) };
enum { WAKE_OVER_IDLE_WORDS(KNOB_ENUMERATOR) };
enum { RESCHED_CLEAR_WORDS(KNOB_ENUMERATOR) };
enum { FORK_PLACE_WORDS(KNOB_ENUMERATOR) };
enum { YIELD_WORDS(KNOB_ENUMERATOR) };
enum { IDLE_CPU_WORDS(KNOB_ENUMERATOR) };
enum { WAKE_SELECT_WORDS(KNOB_ENUMERATOR) };
enum { AFFINE_POWER_WORDS(KNOB_ENUMERATOR) };
enum { PREFER_LOCAL_WORDS(KNOB_ENUMERATOR) };
enum { NUMA_LEVELS_WORDS(KNOB_ENUMERATOR) };
enum { GROUP_BUILD_WORDS(KNOB_ENUMERATOR) };
enum { POWER_REFRESH_WORDS(KNOB_ENUMERATOR) };
enum { GROUP_LOAD_WORDS(KNOB_ENUMERATOR) };
enum { GROUP_IMB_WORDS(KNOB_ENUMERATOR) };
enum { SIBLING_CLAMP_WORDS(KNOB_ENUMERATOR) };
enum { BALANCED_WORDS(KNOB_ENUMERATOR) };
enum { IDLE_EXIT_WORDS(KNOB_ENUMERATOR) };
enum { SMALL_IMBALANCE_WORDS(KNOB_ENUMERATOR) };
enum { LONE_QUEUE_WORDS(KNOB_ENUMERATOR) };
enum { MOVE_SCAN_WORDS(KNOB_ENUMERATOR) };
enum { SOME_PINNED_WORDS(KNOB_ENUMERATOR) };
enum { SMT_BUSY_WORDS(KNOB_ENUMERATOR) };
enum { INTERVAL_CAP_WORDS(KNOB_ENUMERATOR) };
enum { NEWIDLE_WORDS(KNOB_ENUMERATOR) };
enum { NEWIDLE_ROUTINE_WORDS(KNOB_ENUMERATOR) };
enum { NEWIDLE_LOCK_WORDS(KNOB_ENUMERATOR) };
enum { NOHZ_BALANCER_WORDS(KNOB_ENUMERATOR) };
enum { MISSED_TICKS_WORDS(KNOB_ENUMERATOR) };
enum { RT_WAKE_PUSH_WORDS(KNOB_ENUMERATOR) };
enum { RT_SELECT_WORDS(KNOB_ENUMERATOR) };
enum { SCHED_POLICY_WORDS(KNOB_ENUMERATOR) };

struct sched_knobs {
#define KNOB_LIST "sched/knobs.def"
#include "base/knob_struct.inc"
#undef KNOB_LIST
};

extern struct sched_knobs knob;
extern const struct knob_table sched_knob_table;

/* Fill in what was left to its default: latency and granularities by the scaling rule for that many CPUs. */
void sched_knobs_settle(unsigned nr_cpus);

/* ---- presets: the switches as a release or proposal had them ---- */

/*
 * Put every switch but those of the kernel's configuration (HZ, preempt, nohz, relax_domain_level) to where that preset has it.
 * 0, or -E_NOENT with one line in error[KNOB_ERROR_BYTES] that lists the presets.
 */
int preset_apply(const char *name, char *error);

/* Name and one line of explanation of the i-th; false behind the last. */
bool preset_describe(unsigned i, const char **name, const char **help);

#endif
