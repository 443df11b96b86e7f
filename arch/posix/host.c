/* SPDX-License-Identifier: GPL-2.0-or-later
 * The host process under the sim: memory, stacks, console, the end. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arch/posix/host.h"
#include "arch/vcpu/cost.h"
#include "arch/vcpu/engine.h"
#include "arch/vcpu/params.h"
#include "base/string.h"

enum { PAGE_BYTES = 4096 };

/* ---- time: only what is charged passes ---- */

u64 host_time_ns(void)
{
	return 0;
}

bool host_time_is_exact(void)
{
	return true;
}

void machine_charge(enum cost cost, u64 units)
{
	engine_charge(cost_ns(cost, units));
}

/* ---- memory and stacks ---- */

static void *map(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

void machine_memory(void (*give)(void *start, u64 bytes))
{
	u64 bytes = vcpu_param.memory_mib << 20;
	void *p = map(bytes);

	if (!p) {
		perror("fairmetal-sim: no memory for the virtual machine");
		exit(EXIT_FAILURE);
	}
	give(p, bytes);
}

/* Larger than the kernel's: sanitizers and libc want room. */
enum { HOST_STACK_BYTES = 8 * STACK_BYTES };

static void *free_stacks; /* linked through the word at the top */

void *machine_stack_new(void)
{
	char *bottom, *top = free_stacks;

	if (top) {
		free_stacks = ((void **)top)[-1];
		return top;
	}
	bottom = map(PAGE_BYTES + HOST_STACK_BYTES);
	if (!bottom || mprotect(bottom, PAGE_BYTES, PROT_NONE))
		return NULL;
	return bottom + PAGE_BYTES + HOST_STACK_BYTES;
}

void machine_stack_free(void *top)
{
	((void **)top)[-1] = free_stacks;
	free_stacks = top;
}

/* Address spaces exist in name only; the switch between them is charged as part of a switch. */
u64 machine_space_new(void)
{
	static u64 next;

	return ++next;
}

void machine_space_free(u64 space)
{
	(void)space;
}

/* ---- the outside ---- */

void machine_console_write(const char *text, size_t bytes)
{
	fwrite(text, 1, bytes, stdout);
}

_Noreturn void machine_end(enum machine_end how, enum machine_verdict verdict)
{
	(void)how;
	fflush(stdout);
	_exit((int)verdict);
}

const char *machine_symbol(u64 address, u64 *offset)
{
	Dl_info info;

	if (!dladdr((void *)(uintptr_t)address, &info) || !info.dli_sname)
		return NULL;
	*offset = address - (u64)(uintptr_t)info.dli_saddr;
	return info.dli_sname;
}
