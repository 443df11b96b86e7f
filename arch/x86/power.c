/* SPDX-License-Identifier: GPL-2.0-or-later
 * The end: QEMU's debug exit, ACPI S5, the ladder of resets, or just standing still. */
#include "arch/x86/power.h"

#include "arch/x86/boot.h"
#include "arch/x86/clock.h"
#include "arch/x86/console.h"
#include "arch/x86/paging.h"
#include "arch/x86/params.h"
#include "arch/x86/x86.h"
#include "arch/machine.h"
#include "base/text.h"
#include "base/watchdog.h"

static const struct acpi_power *power;
static bool is_virtual;

/* Now and not at the end, when a CPU that was stopped may have the lock of the memory that page tables take. */
static void map_register(const struct acpi_register *r)
{
	if (r->address && r->space == ACPI_MEMORY_SPACE)
		paging_map_device(r->address, 2);
}

void power_init(const struct acpi_power *p, bool virtual_machine)
{
	power = p;
	is_virtual = virtual_machine;
	if (!p)
		return;
	map_register(&p->pm1a_control);
	map_register(&p->pm1b_control);
	map_register(&p->sleep_control);
	map_register(&p->reset);
}

/* QEMU -device isa-debug-exit,iobase=0xf4: its exit status becomes 2 * value + 1. */
static void debug_exit(enum machine_verdict verdict)
{
	static const u8 value[] = {
		[VERDICT_OK] = 0x10, [VERDICT_FAILED] = 0x11, [VERDICT_REFUSED] = 0x12, [VERDICT_FAULT] = 0x13
	};

	out8(0xf4, value[verdict]);
}

static bool can_reach(const struct acpi_register *r)
{
	return r->address && (r->space != ACPI_MEMORY_SPACE || paging_is_mapped(r->address));
}

static u16 register_read(const struct acpi_register *r)
{
	if (!can_reach(r))
		return 0;
	return r->space == ACPI_MEMORY_SPACE ? *(volatile u16 *)r->address : in16((u16)r->address);
}

static void register_write(const struct acpi_register *r, u16 v, bool wide)
{
	if (!can_reach(r))
		return;
	if (r->space == ACPI_MEMORY_SPACE) {
		if (wide)
			*(volatile u16 *)r->address = v;
		else
			*(volatile u8 *)r->address = (u8)v;
	} else if (wide) {
		out16((u16)r->address, v);
	} else {
		out8((u16)r->address, (u8)v);
	}
}

enum { SLEEP_ENABLE = 1 << 13, SLEEP_TYPE_SHIFT = 10, SLEEP_TYPE = 7 << SLEEP_TYPE_SHIFT };
enum { REDUCED_ENABLE = 1 << 5, REDUCED_TYPE_SHIFT = 2, SCI_ENABLE = 1 };

/* The PM registers work only in ACPI mode, into which firmware may have to be asked to go. */
static void acpi_mode(void)
{
	if (power->pm1a_control.space != ACPI_IO_SPACE || in16((u16)power->pm1a_control.address) & SCI_ENABLE ||
		!power->smi_command_port)
		return;
	out8(power->smi_command_port, power->acpi_enable);
	for (unsigned i = 0; i < 300 && !(in16((u16)power->pm1a_control.address) & SCI_ENABLE); i++)
		clock_wait_alone_ms(10);
}

/* The other bits stay: SCI_EN among them says who handles events, and is not for us to change. */
static void sleep_by(const struct acpi_register *r, u8 type)
{
	u16 others = register_read(r) & (u16) ~(SLEEP_TYPE | SLEEP_ENABLE);

	register_write(r, others | (u16)(type << SLEEP_TYPE_SHIFT | SLEEP_ENABLE), true);
}

/* Takes effect some time after the write, if at all: some boards want AML to be run first. */
static void power_off(void)
{
	if (!power || !power->has_s5)
		return;
	if (power->hw_reduced) {
		register_write(&power->sleep_control, (u16)(power->s5_type_a << REDUCED_TYPE_SHIFT | REDUCED_ENABLE), false);
	} else {
		acpi_mode();
		sleep_by(&power->pm1a_control, power->s5_type_a);
		sleep_by(&power->pm1b_control, power->s5_type_b);
	}
	clock_wait_alone_ms(1000);
}

static void reset(void)
{
	static const struct {
		u16 limit;
		u64 base;
	} __attribute__((packed)) no_idt;
	enum { RUNG_MS = 50 };

	if (power)
		register_write(&power->reset, power->reset_value, false);
	clock_wait_alone_ms(RUNG_MS);
	out8(0xcf9, 2);
	out8(0xcf9, 6);
	clock_wait_alone_ms(RUNG_MS);
	out8(0x64, 0xfe); /* the keyboard controller's reset line */
	clock_wait_alone_ms(RUNG_MS);
	__asm__ volatile("lidt %0; int3" ::"m"(no_idt));
}

/* A fault on the way to the end leads here once more: what has been begun is not tried again. */
static bool begins(bool *begun)
{
	bool first = !*begun;

	*begun = true;
	return first;
}

_Noreturn void machine_end(enum machine_end how, enum machine_verdict verdict)
{
	enum { DRAIN_MS = 20 }; /* what a UART still has in its FIFO, 16 characters at 9600 baud, is lost if power goes */
	static bool farewell, hold, off;

	irq_off(); /* the real ones, also where CPUs are virtual */
	watchdog_stop();
	if (begins(&farewell)) {
		boot_farewell();
		console_farewell();
	}
	if (is_virtual)
		debug_exit(verdict);
	if (how != END_HALT && begins(&hold))
		console_hold(machine_param.hold);
	if (!begins(&off))
		cpu_stop();
	clock_wait_alone_ms(DRAIN_MS);
	if (how == END_POWEROFF)
		power_off();
	if (how == END_RESET)
		reset();
	if (how != END_HALT)
		say("The machine does not go away by itself: switch it off or reset it\n");
	cpu_stop();
}
