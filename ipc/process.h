/* SPDX-License-Identifier: GPL-2.0-or-later
 * The system calls of a process that starts others: vfork, exec, wait. */
#ifndef IPC_PROCESS_H
#define IPC_PROCESS_H

#include "sched/sched.h"

/* Start a child in the caller's address space; returns when it has exec'd or ended. NULL when memory is out. The child is there
 * until process_wait() has returned for it. */
struct task *process_vfork(const char *name, void (*entry)(void *), void *argument);

/* Begin another program, in an address space of its own; exec balancing may move the caller. 0, -E_NOMEM. */
int process_exec(void);

/* Wait until that child, or with REAP_ANY any one, has ended. Returns its id. */
u32 process_wait(struct task *child);

#endif
