/* SPDX-License-Identifier: GPL-2.0-or-later
 * Impossible states: say which rule broke and where, leave a fault record, stop the machine. */
#ifndef BASE_BUG_H
#define BASE_BUG_H

#include "arch/machine.h"

/* What is known of a fault. Strings must outlive the call. */
struct fault {
	const char *kind, *message;
	u64 rip, address, error_code;
	const u64 *backtrace;
	unsigned nr_backtrace;
	/* It is of the flow that was interrupted on that CPU, here or elsewhere; rip and backtrace are found when all stand still.
	 */
	bool of_cpu;
	unsigned cpu;
	/* NULL, or says more when they do. */
	void (*settle)(struct fault *f, bool irqs_off);
};

/* Reports, then ends the machine with VERDICT_FAULT. Any context; the second CPU to come here just stops, and of a fault in here
 * there is a word. */
_Noreturn void fault_die(const struct fault *f);

/* How it ends: panic=. */
extern enum machine_end fault_end;

/* The name of what runs on a CPU, for the report; set by the layer that knows. */
extern const char *(*fault_task_name)(unsigned cpu);

/* "function+0x12", or the bare number. */
enum { FAULT_ADDRESS_BYTES = 64 };
void fault_describe_address(char *dst, size_t size, u64 address);

_Noreturn void bug(const char *rule);

#define BUG_STRING_(x) #x
#define BUG_STRING(x)  BUG_STRING_(x)
#define bug_on(broken)                                                                                                             \
	do {                                                                                                                       \
		if (unlikely(broken))                                                                                              \
			bug("not (" #broken ") at " __FILE__ ":" BUG_STRING(__LINE__));                                            \
	} while (0)

#ifdef DEBUG
#define debug_bug_on(broken) bug_on(broken)
#else
#define debug_bug_on(broken) ((void)sizeof(broken))
#endif

#endif
