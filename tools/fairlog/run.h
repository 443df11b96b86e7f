/* SPDX-License-Identifier: GPL-2.0-or-later
 * A run as fairlog works with it: a log may have very many, so each is kept small. */
#ifndef FAIRLOG_RUN_H
#define FAIRLOG_RUN_H

#include "tools/fairlog/names.h"
#include "tools/fairlog/pack.h"
#include "tools/fairlog/scan.h"

#include <stdbool.h>

/* One entry of a run's result. */
struct figure {
	const char *name;
	uint64_t value;
};

/* A histogram of the latencies of wakeups of one distance. */
struct latency {
	const char *distance;
	uint64_t max_ns;
	struct pack buckets; /* in pairs: a latency in ns, and how many were about as long */
};

/* How many tasks ran or waited on each CPU at one moment. */
struct sample {
	uint64_t number, at_ns; /* since the start of the measured interval */
	bool follows;		/* no sample is lost between the one before, or the start, and this one */
	uint64_t *queued;	/* of each CPU */
	size_t cpus;
};

enum { RUN_FIELDS = FIELD_run_knobs - FIELD_run_workload + 1 };

/* Strings belong to the names that the run was made with. */
struct run {
	const char *workload, *variant, *status, *dirty, *figure;
	bool more_is_better;		    /* of the figure */
	const char *knobs;		    /* all of them as JSON, the same pointer for the same text */
	struct figure *result, *background; /* background: of what accompanied it */
	size_t results, backgrounds;
	struct figure *counter, *counter_running; /* what the machine's counters came to, and for how many ns each counted */
	size_t counters, counters_running;
	struct pack counts; /* one for each task */
	struct latency *latency;
	size_t latencies;
	struct sample *sample; /* only if asked for: there may be very many */
	size_t samples;
	const char *not_held; /* the first thing that was to be held still and was not, and why; NULL: none */
	uint64_t value[RUN_FIELDS];
};

/* From a record of type run; to be given back to run_free(). */
struct run *run_new(const struct scan *record, struct names *names);
/* From a record of type latency that came with it. */
void run_add_latency(struct run *run, const struct scan *record, struct names *names);
/* The same of type still. */
void run_add_still(struct run *run, const struct scan *record, struct names *names);
/* The same of type sample. */
void run_add_sample(struct run *run, const struct scan *record);
void run_free(struct run *run);

/* A field of kind UINT. */
static inline uint64_t run_uint(const struct run *run, enum record_field field)
{
	return run->value[field - FIELD_run_workload];
}

/* The one of that name, or NULL. */
const struct figure *figure_named(const struct figure *figures, size_t count, const char *name);

#endif
