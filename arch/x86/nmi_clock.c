/* SPDX-License-Identifier: GPL-2.0-or-later
 * The RTC's update interrupt goes to the slave PIC, that to the master, that to the boot CPU's LINT0 pin, which makes an NMI of it.
 * Nobody acknowledges an NMI, so the PICs are polled, which counts as their acknowledge cycle. */
#include "arch/x86/nmi_clock.h"

#include "arch/machine.h"
#include "arch/x86/apic.h"
#include "arch/x86/x86.h"

enum {
	RTC_INDEX = 0x70, /* its top bit would mask NMIs */
	RTC_DATA = 0x71,
	RTC_B = 0x0b,
	RTC_C = 0x0c, /* reading it clears it */
	RTC_UPDATED = 0x10,
	PIC_MASTER = 0x20,
	PIC_SLAVE = 0xa0,
	PIC_DATA = 1,
	PIC_POLL = 0x0c,
	PIC_EOI = 0x20,
	IRQ_CASCADE = 2,
	NMI_STATUS = 0x61,
	NMI_REASONS = 0xc0, /* a device or the memory is broken */
};

static bool running;

static u8 rtc_read(u8 reg)
{
	out8(RTC_INDEX, reg);
	return in8(RTC_DATA);
}

static void rtc_write(u8 reg, u8 v)
{
	out8(RTC_INDEX, reg);
	out8(RTC_DATA, v);
}

void nmi_clock_start(void)
{
	running = true;
	out8(PIC_MASTER + PIC_DATA, (u8) ~(1 << IRQ_CASCADE));
	out8(PIC_SLAVE + PIC_DATA, (u8)~1); /* IRQ 8 is its first */
	apic_set_lint0_nmi();
	rtc_write(RTC_B, rtc_read(RTC_B) | RTC_UPDATED);
	rtc_read(RTC_C);
}

static void acknowledge(u16 pic)
{
	out8(pic, PIC_POLL);
	in8(pic);
	out8(pic, PIC_EOI);
}

/* QEMU's PIC says so once more while it is being polled: without any reason for it that NMI is ours too. */
bool nmi_clock_take(void)
{
	if (!running || machine_cpu())
		return false;
	if (!(rtc_read(RTC_C) & RTC_UPDATED))
		return !(in8(NMI_STATUS) & NMI_REASONS);
	acknowledge(PIC_SLAVE);
	acknowledge(PIC_MASTER);
	return true;
}
