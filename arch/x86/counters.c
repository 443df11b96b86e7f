/* SPDX-License-Identifier: GPL-2.0-or-later
 * HPET, ACPI PM timer and PIT as plain counters. Each is believed only after it has been seen to move, within a bounded wait. */
#include "arch/x86/counters.h"

#include "arch/x86/paging.h"
#include "arch/x86/x86.h"

/* Did it move within some 10^5 looks? Absent ports and gated timers stand still; that many reads take far longer than any tick. */
static bool is_alive(const struct counter *c)
{
	u64 first = c->read();

	for (unsigned i = 0; i < 100000; i++)
		if (c->read() != first)
			return true;
	return false;
}

/* ---- HPET ---- */

enum { HPET_CAPABILITIES = 0, HPET_CONFIG = 0x10, HPET_COUNTER = 0xf0, HPET_TIMERS = 0x100, HPET_TIMER_BYTES = 0x20 };
enum { HPET_ENABLE = 1, HPET_LEGACY = 2, HPET_64BIT = 1 << 13, HPET_TIMER_INTERRUPTS = 4 };
#define FEMTOSECONDS   1000000000000000ull
#define LONGEST_PERIOD 100000000 /* fs; the specification's limit */

static volatile u32 *hpet;

static u64 hpet_read32(void)
{
	return hpet[HPET_COUNTER / 4];
}

static u64 hpet_read64(void)
{
	return *(volatile u64 *)&hpet[HPET_COUNTER / 4];
}

/* Firmware's own clock may have been one of its timers, and would go on interrupting; in the PIT's and the RTC's place if "legacy".
 */
static void hpet_start(u32 capabilities)
{
	for (unsigned i = 0; i <= (capabilities >> 8 & 0x1f); i++)
		hpet[(HPET_TIMERS + i * HPET_TIMER_BYTES) / 4] &= ~(u32)HPET_TIMER_INTERRUPTS;
	hpet[HPET_CONFIG / 4] = (hpet[HPET_CONFIG / 4] & ~(u32)HPET_LEGACY) | HPET_ENABLE;
}

const struct counter *counter_hpet(const struct acpi_info *acpi)
{
	static struct counter c = { .name = "hpet" };
	u32 period, capabilities;

	if (!acpi->hpet_address)
		return NULL;
	hpet = paging_map_device(acpi->hpet_address, 1024);
	if (!hpet)
		return NULL;
	capabilities = hpet[HPET_CAPABILITIES / 4];
	period = hpet[HPET_CAPABILITIES / 4 + 1];
	if (!period || period > LONGEST_PERIOD)
		return NULL;
	c.hz = FEMTOSECONDS / period;
	c.mask = capabilities & HPET_64BIT ? ~0ull : ~0u;
	c.read = capabilities & HPET_64BIT ? hpet_read64 : hpet_read32;
	hpet_start(capabilities);
	return is_alive(&c) ? &c : NULL;
}

/* ---- ACPI PM timer ---- */

enum { PM_HZ = 3579545 };

static u16 pm_port;

static u64 pm_read(void)
{
	return in32(pm_port);
}

const struct counter *counter_pm(const struct acpi_info *acpi)
{
	static struct counter c = { .name = "pm", .hz = PM_HZ, .read = pm_read };

	if (!acpi->pm_timer_port)
		return NULL;
	pm_port = acpi->pm_timer_port;
	c.mask = acpi->pm_timer_32bit ? ~0u : 0xffffff;
	return is_alive(&c) ? &c : NULL;
}

/* ---- PIT, channel 2: the speaker's ---- */

enum { PIT_HZ = 1193182, PIT_CHANNEL2 = 0x42, PIT_COMMAND = 0x43, PIT_GATE = 0x61 };

static u64 pit_read(void)
{
	u8 low;

	out8(PIT_COMMAND, 0x80); /* latch channel 2 */
	low = in8(PIT_CHANNEL2);
	return 0xffff - (u64)(in8(PIT_CHANNEL2) << 8 | low);
}

/* Wraps after 55 ms: good for measuring, not for keeping time. */
const struct counter *counter_pit(void)
{
	static struct counter c = { .name = "pit", .hz = PIT_HZ, .mask = 0xffff, .read = pit_read };

	out8(PIT_GATE, (in8(PIT_GATE) & ~2) | 1); /* speaker off, gate open */
	if ((in8(PIT_GATE) & 3) != 1)
		return NULL;	 /* an absent port reads all ones */
	out8(PIT_COMMAND, 0xb4); /* channel 2, both bytes, rate generator */
	out8(PIT_CHANNEL2, 0);	 /* 65536: it wraps where the mask does */
	out8(PIT_CHANNEL2, 0);
	return is_alive(&c) ? &c : NULL;
}
