/* SPDX-License-Identifier: GPL-2.0-or-later
 * System calls that only give the CPU up. */
#ifndef IPC_SLEEP_H
#define IPC_SLEEP_H

#include "base/types.h"

/* Sleep until so many ns have passed; woken by the timer, without the sync hint. */
void sleep_ns(u64 ns);
void yield(void);

#endif
