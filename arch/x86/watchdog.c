/* SPDX-License-Identifier: GPL-2.0-or-later
 * Looking at all CPUs from a timer interrupt, an NMI or a wait that takes too long. */
#include "arch/x86/watchdog.h"

#include "arch/x86/clock.h"
#include "arch/x86/cpu.h"
#include "arch/x86/nmi_clock.h"
#include "arch/x86/params.h"
#include "arch/x86/x86.h"
#include "base/bug.h"
#include "base/text.h"

enum { MESSAGE_BYTES = 120 };

static struct {
	enum watchdog_finding finding; /* of whoever has found something */
	u64 round_cycles;	       /* 0: waits for locks may take for ever */
	char message[MESSAGE_BYTES];   /* when all others stand still */
} report;

void x86_watchdog_start(void)
{
	watchdog_init(machine_param.watchdog_ms * NSEC_PER_MSEC);
	report.round_cycles = mul_div(clock_facts()->tsc_hz, machine_param.watchdog_ms, 1000 * WATCHDOG_ROUNDS);
	if (!machine_param.watchdog_ms || !machine_param.nmi_clock)
		return;
	if (!clock_is_tsc()) /* any other may be locked when the NMI wants to read it */
		say("nmi_clock: not supported here, the clock is not the TSC\n");
	else
		nmi_clock_start();
}

/* ---- the report ---- */

static struct text_decimal limit(void)
{
	return text_decimal(watchdog_limit_ns(), NSEC_PER_SEC, 1);
}

static void describe(const char *what)
{
	text_format(report.message, sizeof(report.message), "%s for %s s", what, limit().text);
}

/* Whether a CPU does not take its timer's interrupt or the timer does not send one, only the flags of what was stopped tell. */
static void settle_late(struct fault *f, bool irqs_off)
{
	if (watchdog_all_late()) {
		f->kind = "stall";
		describe("no CPU has taken an interrupt");
	} else if (irqs_off || !f->nr_backtrace) {
		f->kind = "hard lockup";
		describe(f->nr_backtrace ? "it has kept interrupts off" : "it has taken no interrupt and takes no NMI,");
	} else {
		f->kind = "lost timer";
		describe("its timer has been due, with interrupts on, and silent");
	}
}

static void settle(struct fault *f, bool irqs_off)
{
	switch (report.finding) {
	case WATCHDOG_LATE:
		settle_late(f, irqs_off);
		break;
	case WATCHDOG_HELD:
		f->kind = "soft lockup";
		describe("its task has passed no scheduling point");
		break;
	case WATCHDOG_DEAF:
		f->kind = "lost kick";
		describe("it has been asked to switch and has not");
		break;
	case WATCHDOG_STILL:
	case WATCHDOG_FINE:
		f->kind = "stall";
		describe("all tasks have slept, and no timer will wake one,");
		break;
	}
	f->message = report.message;
}

static void look(struct frame *f)
{
	struct fault fault = { .of_cpu = true, .settle = settle };
	enum watchdog_finding finding = watchdog_look(clock_now_ns(), &fault.cpu);

	if (likely(finding == WATCHDOG_FINE))
		return;
	report.finding = finding;
	this_cpu()->frame = f;
	fault_die(&fault);
}

/* ---- the occasions ---- */

void x86_watchdog_tick(struct frame *f)
{
	if (watchdog_tick())
		look(f);
}

bool x86_watchdog_nmi(struct frame *f)
{
	if (!nmi_clock_take())
		return false;
	look(f);
	return true;
}

static _Noreturn void die_waiting(u32 holder)
{
	enum { FRAMES = 24 };
	u64 trace[FRAMES];
	char message[MESSAGE_BYTES];
	struct fault fault = { .kind = "deadlock", .message = message, .backtrace = trace };

	text_format(message, sizeof(message), "it has waited %s s for a lock that CPU %u holds", limit().text, holder - 1);
	fault.nr_backtrace = machine_backtrace(trace, FRAMES);
	fault.rip = fault.nr_backtrace ? trace[0] : 0;
	fault_die(&fault);
}

/* One round less than the others wait before they wonder: who waits knows better what is wrong. */
void x86_watchdog_wait(struct lock_wait *wait, u32 holder)
{
	u64 now = tsc_read();

	if (holder != wait->holder) {
		*wait = (struct lock_wait){ .since = now, .holder = holder };
	} else if (report.round_cycles && now - wait->since >= report.round_cycles) {
		wait->since = now;
		if (++wait->rounds == WATCHDOG_ROUNDS - 1)
			die_waiting(holder);
	}
}
