/* SPDX-License-Identifier: GPL-2.0-or-later
 * The last words of a machine. */
#include "base/bug.h"

#include "arch/machine.h"
#include "base/bystanders.h"
#include "base/record.h"
#include "base/text.h"
#include "base/watchdog.h"

const char *(*fault_task_name)(unsigned cpu);
enum machine_end fault_end = END_POWEROFF;

void fault_describe_address(char *dst, size_t size, u64 address)
{
	u64 offset;
	const char *name = machine_symbol(address, &offset);

	if (name)
		text_format(dst, size, "%s+0x%llx", name, (unsigned long long)offset);
	else
		text_format(dst, size, "0x%llx", (unsigned long long)address);
}

enum { MOST_FRAMES = 24 };

/* ---- the report, one at a time and all others stopped: what does not fit a fault stack is static ---- */

static struct {
	struct fault fault;
	const char *task;
	u64 address[MOST_FRAMES];
	char frame[MOST_FRAMES][FAULT_ADDRESS_BYTES];
	const char *frames[MOST_FRAMES];
	unsigned nr_frames;
	const char *const *others;
	unsigned nr_others;
} report;

static void look_at_cpu(struct fault *f)
{
	bool irqs_off = false;

	f->nr_backtrace = machine_stopped_at(f->cpu, &irqs_off, report.address, MOST_FRAMES);
	f->backtrace = report.address;
	f->rip = f->nr_backtrace ? report.address[0] : 0;
	if (f->settle)
		f->settle(f, irqs_off);
}

static void collect(void)
{
	struct fault *f = &report.fault;

	if (f->of_cpu)
		look_at_cpu(f);
	else
		f->cpu = machine_cpu();
	report.task = fault_task_name ? fault_task_name(f->cpu) : "none";
	report.nr_frames = min_u64(f->nr_backtrace, MOST_FRAMES);
	for (unsigned i = 0; i < report.nr_frames; i++) {
		fault_describe_address(report.frame[i], sizeof(report.frame[i]), f->backtrace[i]);
		report.frames[i] = report.frame[i];
	}
	report.nr_others = bystanders_describe(f->cpu, &report.others);
}

static void say_report(void)
{
	const struct fault *f = &report.fault;

	say("Fault: %s on CPU %u in task %s\n  %s\n", f->kind, f->cpu, report.task, f->message);
	say("  rip 0x%llx  address 0x%llx  error code 0x%llx\n  backtrace:\n", (unsigned long long)f->rip,
		(unsigned long long)f->address, (unsigned long long)f->error_code);
	for (unsigned i = 0; i < report.nr_frames; i++)
		say("    %s\n", report.frames[i]);
	for (unsigned i = 0; i < report.nr_others; i++)
		say("  %s\n", report.others[i]);
}

static void record_report(void)
{
	const struct fault *f = &report.fault;

	record_begin(RECORD_fault);
	record_str(FIELD_fault_kind, f->kind);
	record_str(FIELD_fault_message, f->message);
	record_uint(FIELD_fault_cpu, f->cpu);
	record_str(FIELD_fault_task, report.task);
	record_uint(FIELD_fault_rip, f->rip);
	record_uint(FIELD_fault_address, f->address);
	record_uint(FIELD_fault_error_code, f->error_code);
	record_strs(FIELD_fault_backtrace, report.frames, report.nr_frames);
	record_strs(FIELD_fault_others, report.others, report.nr_others);
	record_end();
}

/* Once: what is said may be what is broken. */
static void say_second(const struct fault *f)
{
	const struct fault *first = &report.fault;
	static bool tried;

	if (tried)
		return;
	tried = true;
	say_panic();
	say("Fault in the report of a fault: %s\n  %s\n", f->kind ? f->kind : "watchdog", f->message ? f->message : "");
	say("  that was: %s\n  %s\n", first->kind ? first->kind : "watchdog", first->message ? first->message : "");
}

_Noreturn void fault_die(const struct fault *f)
{
	static u32 dying; /* the CPU that reports, + 1 */
	u32 nobody = 0;

	machine_irq_save();
	if (!__atomic_compare_exchange_n(&dying, &nobody, machine_cpu() + 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
		if (nobody == machine_cpu() + 1) {
			say_second(f);
			machine_end(fault_end, VERDICT_FAULT);
		}
		for (;;)
			machine_relax();
	}
	report.fault = *f;
	watchdog_stop();
	machine_stop_others();
	say_panic();
	collect();
	say_report();
	record_report();
	machine_end(fault_end, VERDICT_FAULT);
}

_Noreturn void bug(const char *rule)
{
	u64 trace[MOST_FRAMES];
	struct fault f = { .kind = "bug", .message = rule, .backtrace = trace };

	f.nr_backtrace = machine_backtrace(trace, MOST_FRAMES);
	f.rip = f.nr_backtrace ? trace[0] : 0;
	fault_die(&f);
}
