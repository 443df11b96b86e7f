/* SPDX-License-Identifier: GPL-2.0-or-later
 * The host process under the sim. */
#ifndef ARCH_POSIX_HOST_H
#define ARCH_POSIX_HOST_H

/* The command line as one string, for machine_info(). */
extern const char *host_cmdline;

#endif
