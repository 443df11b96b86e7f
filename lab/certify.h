/* SPDX-License-Identifier: GPL-2.0-or-later
 * The certificate of a run: whether anything but the scheduler had a hand in it. */
#ifndef LAB_CERTIFY_H
#define LAB_CERTIFY_H

#include "workloads/workload.h"

struct certified {
	bool clean;
	char dirty[200];			/* why it is not; empty if it is */
	unsigned known;				/* bits: of what all CPUs know something */
	u64 mean_ppm, slowest_ppm, fastest_ppm; /* of the base frequency, while not idle; 0: not known */
};

/* Of the run that has ended last. turbo_off: it was held so. */
void certify(const struct run *r, bool turbo_off, struct certified *out);

/* For provoke=gap: who keeps a CPU from its timer for a while, at the start of a run. */
const struct run_watch *certificate_breaker(void);

/* One line, and the record of each CPU's figures, where the machine knows any. */
void say_certificate(const struct certified *c);
void report_certificate(const struct certified *c, u64 position);

#endif
