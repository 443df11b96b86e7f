/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the processor has noted of broken hardware. */
#ifndef ARCH_X86_MACHINE_CHECK_H
#define ARCH_X86_MACHINE_CHECK_H

#include "arch/x86/cpuid.h"

/* On the CPU, for which `read` speaks, with its handler in place: from now on it reports errors. */
void machine_check_enable(cpuid_fn read, void *ctx);

/* Errors that were noted before this boot are named on the console and forgotten. Boot CPU, once. */
void machine_check_say_old(void);

/* In the handler of a machine check: the first error noted here, and how many more. */
void machine_check_describe(char *dst, size_t size);

#endif
