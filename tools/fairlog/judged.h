/* SPDX-License-Identifier: GPL-2.0-or-later
 * What a workload is judged by. */
#ifndef FAIRLOG_JUDGED_H
#define FAIRLOG_JUDGED_H

#include "tools/fairlog/direction.h"
#include "tools/fairlog/metric.h"

struct judged {
	const char *name;	     /* as tables call it; NULL if there is no run to ask */
	const struct metric *metric; /* NULL if no run has it */
	enum direction direction;
};

/* By what the first run says that counts; the groups are those of one workload. */
struct judged judged_by(const struct group *group, size_t variants, const struct metric *metric, size_t metrics);

/* Without the blanks before names of figures that are part of another one. */
const char *metric_label(const struct metric *metric);
/* NULL if there is none of that label. */
const struct metric *metric_find(const struct metric *metric, size_t metrics, const char *label);

#endif
