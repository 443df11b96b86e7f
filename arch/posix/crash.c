/* SPDX-License-Identifier: GPL-2.0-or-later
 * Signals of the host process as exceptions of the virtual CPU that runs, under the names that metal has for them. */
#define _GNU_SOURCE
#include "arch/posix/crash.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#include "arch/posix/host.h"
#include "arch/vcpu/engine.h"
#include "base/bug.h"
#include "base/text.h"

#ifdef __SANITIZE_ADDRESS__
void host_catch_crashes(void)
{
}
#else

static const struct {
	int number;
	const char *kind;
} crash_signal[] = { { SIGSEGV, "page fault" }, { SIGBUS, "page fault" }, { SIGFPE, "divide error" },
	{ SIGILL, "invalid opcode" } };

static const char *kind_of(int number)
{
	for (unsigned i = 0; i < ARRAY_SIZE(crash_signal); i++)
		if (crash_signal[i].number == number)
			return crash_signal[i].kind;
	return "signal";
}

/* As arch/x86/trap.c has it. */
static void describe(char *text, size_t size, int number, const siginfo_t *info, u64 error_code)
{
	enum { PRESENT = 1, WRITE = 2, FETCH = 16 };
	u64 address = (u64)(uintptr_t)info->si_addr;

	if (number != SIGSEGV && number != SIGBUS)
		text_format(text, size, "signal %d, code %d", number, info->si_code);
	else if (host_is_guard(address))
		text_format(text, size, "the stack has overflowed into its guard page");
	else
		text_format(text, size, "%s of address 0x%llx, which is %s",
			error_code & FETCH   ? "execution"
			: error_code & WRITE ? "write"
					     : "read",
			(unsigned long long)address, info->si_code == SEGV_ACCERR ? "protected" : "not mapped");
}

/* On the alternate stack: the one in use may be what is broken. */
static void crash(int number, siginfo_t *info, void *context)
{
	enum { FRAMES = 24 };
	const greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
	bool has_address = number == SIGSEGV || number == SIGBUS;
	static char message[96];
	static u64 trace[FRAMES];
	struct fault fault = { .kind = kind_of(number),
		.message = message,
		.rip = (u64)registers[REG_RIP],
		.address = has_address ? (u64)(uintptr_t)info->si_addr : 0,
		.error_code = (u64)registers[REG_ERR],
		.backtrace = trace };

	describe(message, sizeof(message), number, info, fault.error_code);
	trace[0] = fault.rip;
	fault.nr_backtrace = 1 + host_backtrace((u64)registers[REG_RBP], trace + 1, FRAMES - 1);
	fault_die(&fault);
}

/* SA_NODEFER: a crash in the report comes here again, where fault_die() gives up. */
void host_catch_crashes(void)
{
	static char stack[64 * 1024];
	const stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_sigaction = crash, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER };

	if (sigaltstack(&alternate, NULL)) {
		perror("fairmetal-sim: no stack for signals");
		exit(EXIT_FAILURE);
	}
	for (unsigned i = 0; i < ARRAY_SIZE(crash_signal); i++)
		sigaction(crash_signal[i].number, &action, NULL);
}

#endif
