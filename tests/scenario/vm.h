/* SPDX-License-Identifier: GPL-2.0-or-later
 * Machines of virtual CPUs for tests, each in a process of its own, so that one may end as it likes. */
#ifndef TESTS_SCENARIO_VM_H
#define TESTS_SCENARIO_VM_H

#include <stdio.h>

struct vm {
	const char *topo, *cold, *kick; /* as on the command line; NULL: the default */
	int pid;
	FILE *log; /* what it has printed */
};

/* Start a process in which the machine boots into kernel_main(), with a copy of everything the caller has set. */
void vm_start(struct vm *vm);

/* Wait for its end: the exit code, or -N if signal N ended it. The log stands at its beginning; the caller closes it. */
int vm_wait(struct vm *vm);

#endif
