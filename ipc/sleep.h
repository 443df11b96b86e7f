/* SPDX-License-Identifier: GPL-2.0-or-later
 * System calls that only give the CPU up. */
#ifndef IPC_SLEEP_H
#define IPC_SLEEP_H

#include "base/types.h"

/* Sleep until so many ns have passed; woken by the timer, without the sync hint. */
void sleep_ns(u64 ns);
/* The same until an instant of machine_clock_ns(); one that has passed does not wait. */
void sleep_until_ns(u64 instant_ns);
void yield(void);

#endif
