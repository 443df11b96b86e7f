/* SPDX-License-Identifier: GPL-2.0-or-later
 * The host process under the sim. */
#ifndef ARCH_POSIX_HOST_H
#define ARCH_POSIX_HOST_H

/* From now on notice when no engine point is reached any more. */
void host_watch(void);

#endif
