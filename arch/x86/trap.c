/* SPDX-License-Identifier: GPL-2.0-or-later
 * Where interrupts and exceptions end up. */
#include "arch/x86/trap.h"

#include "arch/x86/apic.h"
#include "arch/x86/cpu.h"
#include "arch/x86/machine_check.h"
#include "arch/x86/paging.h"
#include "arch/x86/x86.h"
#include "base/bug.h"
#include "base/text.h"

struct gate {
	u16 offset0, selector;
	u8 ist, type;
	u16 offset1;
	u32 offset2, reserved;
};
static_assert(sizeof(struct gate) == 16, "the processor's layout");

enum { NR_VECTORS = 256, GATE_INTERRUPT = 0x8e, STUB_BYTES = 16 };

extern char interrupt_stubs[]; /* STUB_BYTES each */

static struct gate idt[NR_VECTORS];

static u8 ist_of(unsigned vector)
{
	switch (vector) {
	case VECTOR_NMI:
		return IST_NMI;
	case VECTOR_DOUBLE_FAULT:
		return IST_DOUBLE_FAULT;
	case VECTOR_MACHINE_CHECK:
		return IST_MACHINE_CHECK;
	default:
		return 0;
	}
}

/* Until a CPU has its fault stacks, IST entries would lead nowhere: use the stack there is. */
static void idt_fill(bool with_ist)
{
	for (unsigned v = 0; v < NR_VECTORS; v++) {
		u64 stub = (u64)interrupt_stubs + v * STUB_BYTES;

		idt[v] = (struct gate){ .offset0 = (u16)stub,
			.selector = SEL_CODE,
			.ist = with_ist ? ist_of(v) : 0,
			.type = GATE_INTERRUPT,
			.offset1 = (u16)(stub >> 16),
			.offset2 = (u32)(stub >> 32) };
	}
}

void idt_load(void)
{
	struct {
		u16 limit;
		u64 base;
	} __attribute__((packed)) idtr = { sizeof(idt) - 1, (u64)idt };

	if (this_cpu()->index == 0)
		idt_fill(x86_cpus[0].fault_stack[0]);
	__asm__ volatile("lidt %0" ::"m"(idtr));
}

/* ---- exceptions ---- */

static const char *const exception_name[32] = { "divide error", "debug", "nmi", "breakpoint", "overflow", "bound range",
	"invalid opcode", "device not available", "double fault", "coprocessor overrun", "invalid tss", "segment not present",
	"stack fault", "general protection", "page fault", "reserved 15", "x87 error", "alignment check", "machine check",
	"simd error", "virtualization", "control protection", "reserved 22", "reserved 23", "reserved 24", "reserved 25",
	"reserved 26", "reserved 27", "hypervisor injection", "vmm communication", "security", "reserved 31" };

/* Frame pointers from rbp upward, as long as they stay within one stack. */
static unsigned walk(u64 rbp, u64 *address, unsigned max)
{
	unsigned n = 0;

	while (n < max && rbp && rbp % 8 == 0 && paging_is_mapped(rbp) && paging_is_mapped(rbp + 8)) {
		const u64 *frame = (const u64 *)rbp;

		if (frame[1])
			address[n++] = frame[1];
		if (frame[0] <= rbp || frame[0] - rbp > STACK_BYTES)
			break;
		rbp = frame[0];
	}
	return n;
}

unsigned host_backtrace(u64 frame, u64 *address, unsigned max)
{
	return walk(frame, address, max);
}

unsigned machine_backtrace(u64 *address, unsigned max)
{
	return walk(frame_pointer(), address, max);
}

static const char *describe(const struct frame *f, u64 address, char *text, size_t size)
{
	bool overflow = (f->vector == VECTOR_PAGE_FAULT || f->vector == VECTOR_DOUBLE_FAULT) && paging_is_guard(address);

	if (overflow)
		text_format(text, size, "the stack has overflowed into its guard page");
	else if (f->vector == VECTOR_PAGE_FAULT)
		text_format(text, size, "%s of address 0x%llx, which is %s",
			f->error_code & 16  ? "execution"
			: f->error_code & 2 ? "write"
					    : "read",
			(unsigned long long)address, f->error_code & 1 ? "protected" : "not mapped");
	else if (f->vector == VECTOR_MACHINE_CHECK)
		machine_check_describe(text, size);
	else
		text_format(text, size, "exception %u", (unsigned)f->vector);
	return text;
}

/* On the stack: a machine check comes to all CPUs at once, and only one of them will report. */
static _Noreturn void exception(struct frame *f)
{
	enum { FRAMES = 24 };
	u64 trace[FRAMES];
	char message[120];
	bool has_address = f->vector == VECTOR_PAGE_FAULT || f->vector == VECTOR_DOUBLE_FAULT;
	u64 address = has_address ? cr2_read() : 0;
	struct fault report = { .kind = exception_name[f->vector], .rip = f->rip, .address = address, .error_code = f->error_code };

	report.message = describe(f, address, message, sizeof(message));
	trace[0] = f->rip;
	report.backtrace = trace;
	report.nr_backtrace = 1 + walk(f->rbp, trace + 1, FRAMES - 1);
	fault_die(&report);
}

/* ---- refusals that were expected ---- */

struct fixup {
	u64 at, go;
};
extern const struct fixup fixups[], fixups_end[]; /* collected by linker.ld */

static bool fix_up(struct frame *f)
{
	if (f->vector != VECTOR_GENERAL_PROTECTION && f->vector != VECTOR_INVALID_OPCODE)
		return false;
	for (const struct fixup *fix = fixups; fix < fixups_end; fix++)
		if (fix->at == f->rip) {
			f->rip = fix->go;
			return true;
		}
	return false;
}

/* ---- interrupts ---- */

void interrupt_dispatch(struct frame *f)
{
	if (interrupt_handle(f) || f->vector == VECTOR_SPURIOUS || fix_up(f))
		return;
	if (f->vector < 32)
		exception(f);
	apic_note_stray((unsigned)f->vector);
}
