/* SPDX-License-Identifier: GPL-2.0-or-later
 * The last words of a machine. */
#include "base/bug.h"

#include "arch/machine.h"
#include "base/record.h"
#include "base/text.h"

const char *(*fault_task_name)(void);

static void describe_address(char *dst, size_t size, u64 address)
{
	u64 offset;
	const char *name = machine_symbol(address, &offset);

	if (name)
		text_format(dst, size, "%s+0x%llx", name, (unsigned long long)offset);
	else
		text_format(dst, size, "0x%llx", (unsigned long long)address);
}

enum { MOST_FRAMES = 24, FRAME_TEXT = 64 };

static void say_fault(const struct fault *f, const char *task, char (*frame)[FRAME_TEXT], unsigned frames)
{
	say("Fault: %s on CPU %u in task %s\n  %s\n", f->kind, machine_cpu(), task, f->message);
	say("  rip 0x%llx  address 0x%llx  error code 0x%llx\n  backtrace:\n", (unsigned long long)f->rip,
		(unsigned long long)f->address, (unsigned long long)f->error_code);
	for (unsigned i = 0; i < frames; i++)
		say("    %s\n", frame[i]);
}

_Noreturn void fault_die(const struct fault *f)
{
	static u32 dying; /* the CPU that reports, + 1 */
	static char frame[MOST_FRAMES][FRAME_TEXT];
	static const char *frames[MOST_FRAMES];
	unsigned n = f->nr_backtrace < MOST_FRAMES ? f->nr_backtrace : MOST_FRAMES;
	const char *task;
	u32 nobody = 0;

	machine_irq_save();
	if (!__atomic_compare_exchange_n(&dying, &nobody, machine_cpu() + 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
		if (nobody == machine_cpu() + 1) /* a fault in the report: say no more */
			machine_end(END_POWEROFF, VERDICT_FAULT);
		for (;;)
			machine_relax();
	}
	machine_stop_others();
	say_panic();
	task = fault_task_name ? fault_task_name() : "none";
	for (unsigned i = 0; i < n; i++) {
		describe_address(frame[i], sizeof(frame[i]), f->backtrace[i]);
		frames[i] = frame[i];
	}
	say_fault(f, task, frame, n);
	record_begin(RECORD_fault);
	record_str(FIELD_fault_kind, f->kind);
	record_str(FIELD_fault_message, f->message);
	record_uint(FIELD_fault_cpu, machine_cpu());
	record_str(FIELD_fault_task, task);
	record_uint(FIELD_fault_rip, f->rip);
	record_uint(FIELD_fault_address, f->address);
	record_uint(FIELD_fault_error_code, f->error_code);
	record_strs(FIELD_fault_backtrace, frames, n);
	record_end();
	machine_end(END_POWEROFF, VERDICT_FAULT);
}

_Noreturn void bug(const char *rule)
{
	u64 trace[MOST_FRAMES];
	struct fault f = { .kind = "bug", .message = rule, .backtrace = trace };

	f.nr_backtrace = machine_backtrace(trace, MOST_FRAMES);
	f.rip = f.nr_backtrace ? trace[0] : 0;
	fault_die(&f);
}
