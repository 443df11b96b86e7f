/* SPDX-License-Identifier: GPL-2.0-or-later
 * What an idle CPU does until it is interrupted. */
#ifndef ARCH_X86_IDLE_H
#define ARCH_X86_IDLE_H

#include "base/types.h"

enum idle_way { IDLE_HALT, IDLE_POLL, IDLE_MWAIT };

/* For all CPUs, from when each is next interrupted on. hint: MWAIT's, else of no meaning. */
void idle_choose(enum idle_way way, u32 hint);

#endif
