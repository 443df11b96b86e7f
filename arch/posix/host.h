/* SPDX-License-Identifier: GPL-2.0-or-later
 * The host process under the sim. */
#ifndef ARCH_POSIX_HOST_H
#define ARCH_POSIX_HOST_H

#include "base/types.h"

/* From now on notice when no engine point is reached any more. */
void host_watch(void);

/* Is that address in the guard page of a stack? */
bool host_is_guard(u64 address);

#endif
