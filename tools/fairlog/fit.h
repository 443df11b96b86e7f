/* SPDX-License-Identifier: GPL-2.0-or-later
 * Logs that can be shown without a remark. */
#ifndef FAIRLOG_FIT_H
#define FAIRLOG_FIT_H

#include "tools/fairlog/boot.h"

/* Reads a log and shows one boot of it, the last without only_boot, if that is fit: whole, with a machine, ended ok, and no run of
 * it failed. Otherwise says in the name of the command why not. Returns the exit code. */
int fit_show(
	const char *command, FILE *in, const char *file, unsigned only_boot, void (*show)(const char *file, const struct boot *));

#endif
