/* SPDX-License-Identifier: GPL-2.0-or-later
 * The local APIC in both its modes. */
#include "arch/x86/apic.h"

#include "arch/x86/cpuid.h"
#include "arch/x86/paging.h"
#include "arch/x86/params.h"
#include "arch/x86/trap.h"
#include "arch/x86/x86.h"
#include "base/text.h"

enum apic_register {
	APIC_ID = 0x20,
	APIC_VERSION = 0x30, /* bits 23:16: how many inputs, less one */
	APIC_TPR = 0x80,
	APIC_EOI = 0xb0,
	APIC_SPURIOUS = 0xf0,
	APIC_ESR = 0x280,
	APIC_ICR = 0x300,
	APIC_ICR_HIGH = 0x310,
	APIC_LVT_THERMAL = 0x330,
	APIC_LVT_PERF = 0x340,
	APIC_LVT_LINT0 = 0x350,
	APIC_LVT_LINT1 = 0x360,
	APIC_LVT_ERROR = 0x370,
};

enum {
	BASE_X2APIC = 1 << 10,
	BASE_ENABLE = 1 << 11,
	SPURIOUS_ENABLE = 1 << 8,
	ICR_NMI = 4 << 8,
	ICR_INIT = 5 << 8,
	ICR_STARTUP = 6 << 8,
	ICR_ASSERT = 1 << 14,
	ICR_PENDING = 1 << 12, /* xAPIC only */
};

static struct {
	volatile u32 *registers; /* NULL in x2APIC mode */
	u32 strays;		 /* atomic */
} apic;

u32 apic_read(unsigned reg)
{
	return apic.registers ? apic.registers[reg / 4] : (u32)msr_read(MSR_X2APIC + reg / 16);
}

void apic_write(unsigned reg, u32 v)
{
	if (apic.registers)
		apic.registers[reg / 4] = v;
	else
		msr_write(MSR_X2APIC + reg / 16, v);
}

static bool has_x2apic(void)
{
	return cpuid_read(1, 0).c >> 21 & 1;
}

int apic_init(u64 address, u32 highest_id)
{
	bool already_on = msr_read(MSR_APIC_BASE) & BASE_X2APIC, wanted = highest_id > 254 || machine_param.x2apic;

	if (already_on || (wanted && has_x2apic()))
		return 0;
	if (wanted)
		say("APIC ids up to %u need x2APIC, which this CPU lacks: using xAPIC\n", highest_id);
	apic.registers = paging_map_device(address, 4096);
	return apic.registers ? 0 : -E_NOMEM;
}

const char *apic_mode(void)
{
	return apic.registers ? "xapic" : "x2apic";
}

/* In the order in which CPUs got them; one that lacks an input refuses its x2APIC register. */
static void mask_inputs(void)
{
	static const u16 input[] = { APIC_LVT_TIMER, APIC_LVT_LINT0, APIC_LVT_LINT1, APIC_LVT_ERROR, APIC_LVT_PERF,
		APIC_LVT_THERMAL };
	unsigned nr = (apic_read(APIC_VERSION) >> 16 & 0xff) + 1;

	for (unsigned i = 0; i < nr && i < ARRAY_SIZE(input); i++)
		apic_write(input[i], LVT_MASKED);
}

/* From disabled to x2APIC the way leads through xAPIC; all others are refused. */
static void enable(void)
{
	u64 base = msr_read(MSR_APIC_BASE);

	if (!(base & BASE_ENABLE))
		msr_write(MSR_APIC_BASE, base | BASE_ENABLE);
	if (!apic.registers)
		msr_write(MSR_APIC_BASE, base | BASE_ENABLE | BASE_X2APIC);
}

void apic_setup(void)
{
	enable();
	apic_write(APIC_SPURIOUS, SPURIOUS_ENABLE | VECTOR_SPURIOUS);
	apic_write(APIC_TPR, 0);
	mask_inputs();
	apic_write(APIC_ESR, 0);
}

u32 apic_id(void)
{
	return apic.registers ? apic_read(APIC_ID) >> 24 : apic_read(APIC_ID);
}

void apic_eoi(void)
{
	apic_write(APIC_EOI, 0);
}

static void wait_until_sent(void)
{
	for (unsigned i = 0; i < 1000000 && apic_read(APIC_ICR) & ICR_PENDING; i++)
		cpu_pause();
}

/* The two halves of an xAPIC command must not be torn apart by an interrupt that sends one too. */
static void send(u32 to, u32 command)
{
	bool irqs = rflags_read() & RFLAGS_IF;

	if (!apic.registers) {
		__asm__ volatile("mfence; lfence" ::: "memory"); /* this write does not order earlier stores */
		msr_write(MSR_X2APIC + APIC_ICR / 16, (u64)to << 32 | command);
		return;
	}
	irq_off();
	wait_until_sent();
	apic_write(APIC_ICR_HIGH, to << 24);
	apic_write(APIC_ICR, command);
	if (irqs)
		irq_on();
}

void apic_send(u32 to, u8 vector)
{
	send(to, ICR_ASSERT | vector);
}

void apic_send_init(u32 to)
{
	send(to, ICR_ASSERT | ICR_INIT);
}

void apic_send_startup(u32 to, u8 page)
{
	send(to, ICR_ASSERT | ICR_STARTUP | page);
}

void apic_send_nmi(u32 to)
{
	send(to, ICR_ASSERT | ICR_NMI);
}

void apic_set_lint0_nmi(void)
{
	apic_write(APIC_LVT_LINT0, ICR_NMI); /* the delivery modes are the same */
}

void apic_note_stray(unsigned vector)
{
	if (__atomic_add_fetch(&apic.strays, 1, __ATOMIC_RELAXED) == 1)
		say("An interrupt nobody asked for: vector %u; further ones are not reported\n", vector);
	if (vector >= VECTOR_PIC + 16)
		apic_eoi();
}
