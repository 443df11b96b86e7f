/* SPDX-License-Identifier: GPL-2.0-or-later
 * The experiment as the command line describes it. */
#ifndef LAB_PLAN_H
#define LAB_PLAN_H

#include "base/knobs.h"
#include "lab/exp.h"
#include "lab/screen.h"
#include "workloads/workload.h"

#define ORDER_WORDS(V)	V(ORDER_ABBA, abba) V(ORDER_ABAB, abab) V(ORDER_AABB, aabb) V(ORDER_RANDOM, random)
#define JITTER_WORDS(V) V(JITTER_AUTO, auto) V(JITTER_ON, on) V(JITTER_OFF, off)
#define THEN_WORDS(V)	V(THEN_POWEROFF, poweroff) V(THEN_RESET, reset) V(THEN_HALT, halt)

#define PANIC_WORDS(V) V(PANIC_POWEROFF, poweroff) V(PANIC_RESET, reset) V(PANIC_HALT, halt)

#define SCHEDSTAT_WORDS(V) V(SCHEDSTAT_OFF, off) V(SCHEDSTAT_RUN, run) V(SCHEDSTAT_END, end)

#define COUNTERS_WORDS(V) V(COUNTERS_OFF, off) V(COUNTERS_ON, on)
/* In the order of arch/machine.h. */
#define TURBO_WORDS(V)	  V(TURBO_AS_IS, as_is) V(TURBO_OFF, off) V(TURBO_ON, on)
#define CSTATE_WORDS(V)	  V(CSTATE_C1, c1) V(CSTATE_POLL, poll) V(CSTATE_ANY, any)
#define PREFETCH_WORDS(V) V(PREFETCH_AS_IS, as_is) V(PREFETCH_OFF, off)
#define SMT_WORDS(V)	  V(SMT_AS_IS, as_is) V(SMT_OFF, off)

#define TRACE_SWITCH_WORDS(V) V(TRACE_OFF, off) V(TRACE_ON, on)

#define PROVOKE_FAULTS(V)                                                                                                          \
	V(PROVOKE_NOTHING, nothing)                                                                                                \
	V(PROVOKE_NULL, null) V(PROVOKE_CODE, code) V(PROVOKE_DIVIDE, divide) V(PROVOKE_OVERFLOW, overflow) V(PROVOKE_BUG, bug)
#define PROVOKE_STOPS(V)                                                                                                           \
	V(PROVOKE_CANARY, canary)                                                                                                  \
	V(PROVOKE_DEADLOCK, deadlock) V(PROVOKE_SOFT, soft) V(PROVOKE_HARD, hard) V(PROVOKE_STALL, stall)
#define PROVOKE_SILENCES(V) V(PROVOKE_SLEEP, sleep) V(PROVOKE_TIMER, timer) V(PROVOKE_KICK, kick)
#define PROVOKE_OTHERS(V)   V(PROVOKE_REPORT, report) V(PROVOKE_REFUSAL, refusal) V(PROVOKE_GAP, gap) V(PROVOKE_MOVES, moves)
#define PROVOKE_WORDS(V)    PROVOKE_FAULTS(V) PROVOKE_STOPS(V) PROVOKE_SILENCES(V) PROVOKE_OTHERS(V)

enum { ORDER_WORDS(KNOB_ENUMERATOR) };
enum { THEN_WORDS(KNOB_ENUMERATOR) };
enum { PANIC_WORDS(KNOB_ENUMERATOR) };
enum { JITTER_WORDS(KNOB_ENUMERATOR) };
enum { PROVOKE_WORDS(KNOB_ENUMERATOR) };
enum { SCHEDSTAT_WORDS(KNOB_ENUMERATOR) };
enum { COUNTERS_WORDS(KNOB_ENUMERATOR) };
enum { SMT_WORDS(KNOB_ENUMERATOR) };
enum { TRACE_SWITCH_WORDS(KNOB_ENUMERATOR) };

struct lab_params {
#define KNOB_LIST "lab/params.def"
#include "base/knob_struct.inc"
#undef KNOB_LIST
};

extern struct lab_params param;
extern const struct knob_table lab_knob_table;

enum {
	MAX_WORKLOADS = 16,
	MAX_BACKGROUNDS = 4,
	MAX_ARGUMENTS = 24,
	MAX_FACTORS = 6,
	MAX_LEVELS = 16,
	MAX_VARIANTS = 64,
	TEXT_BYTES = 256,
	PRESET_BYTES = 32,
	PLAN_ERROR_BYTES = 768,
};

/* One run= or with=: the text, split into arguments, and the workload's options. */
struct planned_workload {
	const struct workload *workload;
	char text[TEXT_BYTES], split[TEXT_BYTES];
	const char *argument[MAX_ARGUMENTS];
	unsigned nr_arguments;
	u64 options[OPTIONS_BYTES / sizeof(u64)];
};

/* One vary=: a switch, or "preset", and the values it takes. */
struct factor {
	char text[TEXT_BYTES];
	const char *name, *level[MAX_LEVELS];
	unsigned nr_levels;
};

/* What is compared: all combinations of the factors, or what is listed one by one. */
struct plan {
	unsigned nr_workloads, nr_backgrounds, nr_factors, nr_listed, nr_variants;
	struct planned_workload workload[MAX_WORKLOADS];
	struct planned_workload background[MAX_BACKGROUNDS]; /* accompany each of those */
	struct factor factor[MAX_FACTORS];
	char listed[MAX_VARIANTS][TEXT_BYTES]; /* of each variant=: words as of the command line; none: as that leaves it */
	const char *cmdline;
	char words[EXP_WORDS_BYTES]; /* of exp=, or empty */
	struct screen screen;	     /* of screen=; its variants are listed */
	bool control;		     /* aa=: the last variant is the first one again */
	u64 within_ppm;		     /* of until=, or 0 */
	char preset[PRESET_BYTES];   /* of preset=, or empty */
	struct cpumask cpus;	     /* where its tasks may run */
	unsigned parked;	     /* CPUs that smt=off took away */
	struct still_wish still;
	bool list;     /* run=list: only say what could be run */
	u64 sample_ns; /* period of the sampler; 0: none */
	u32 events;    /* bits, by enum hw_event: what is counted */
	char error[PLAN_ERROR_BYTES];
};

/* Takes the whole command line apart and checks all of it; sets the knobs to their base values. 0, or -E with one line in
 * plan->error. */
int plan_parse(struct plan *plan, const char *cmdline);

/* then= and panic= as far as they can be read, for what breaks before the plan is known; later plan_parse() sees to it. */
void plan_foresee_end(const char *cmdline);

/* "newidle=off NEXT_BUDDY=on", or "base" where nothing is changed. */
void plan_variant_name(const struct plan *plan, unsigned variant, char *dst, size_t size);

/* Is that the second of an A/A pair? */
bool plan_is_control(const struct plan *plan, unsigned variant);

/* Set the knobs to that variant: its preset or the command line's, then what the command line sets, then the rest of the variant.
 */
void plan_apply(const struct plan *plan, unsigned variant);

#endif
