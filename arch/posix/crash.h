/* SPDX-License-Identifier: GPL-2.0-or-later
 * A crash of the host process is a fault of the machine. */
#ifndef ARCH_POSIX_CRASH_H
#define ARCH_POSIX_CRASH_H

/* From now on. Under a sanitizer, which reports crashes better, nothing happens. */
void host_catch_crashes(void);

#endif
