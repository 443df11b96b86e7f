/* SPDX-License-Identifier: GPL-2.0-or-later
 * A gate at which tasks wait until somebody opens it for good: a broadcast start. */
#ifndef IPC_GATE_H
#define IPC_GATE_H

#include "ipc/waitq.h"

struct gate {
	struct waitq waiting;
	bool open; /* atomic */
};

void gate_init(struct gate *g);
/* Returns once the gate is open. */
void gate_pass(struct gate *g);
/* Wakes all who wait, newest first; who comes later passes at once. */
void gate_open(struct gate *g);

#endif
