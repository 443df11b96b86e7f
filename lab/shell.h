/* SPDX-License-Identifier: GPL-2.0-or-later
 * Commands from the console. */
#ifndef LAB_SHELL_H
#define LAB_SHELL_H

#include "lab/lab.h"

/* Take commands until one ends it or no more can come; then param.then says what the machine is to do. *plan is what the command
 * line said and is used for what is run from here; *out goes on counting. */
void shell_run(struct plan *plan, struct outcome *out);

#endif
