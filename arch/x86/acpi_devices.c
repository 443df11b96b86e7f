/* SPDX-License-Identifier: GPL-2.0-or-later
 * FADT, HPET and _S5_: timers, and how to switch off or reset. */
#include "arch/x86/acpi_tables.h"

/* --- FADT and HPET: timers, power-off, reset --- */

enum {
	FADT_DSDT = 40,
	FADT_SCI = 46,
	FADT_SMI_COMMAND = 48,
	FADT_ACPI_ENABLE = 52,
	FADT_PM1A_CONTROL = 64,
	FADT_PM1B_CONTROL = 68,
	FADT_PM_TIMER = 76,
	FADT_PM_TIMER_BYTES = 91,
	FADT_FLAGS = 112,
	FADT_V1_BYTES = 116,
	FADT_RESET = 116,
	FADT_RESET_VALUE = 128,
	FADT_X_DSDT = 140,
	FADT_X_PM1A_CONTROL = 172,
	FADT_X_PM1B_CONTROL = 184,
	FADT_X_PM_TIMER = 208,
	FADT_SLEEP_CONTROL = 244,
	HPET_REGISTER = 40,
};

#define FADT_TIMER_32BIT (1u << 8)
#define FADT_RESET_WORKS (1u << 10)
#define FADT_HW_REDUCED	 (1u << 20)

/* Reads the generic address structure at `at`, where the table is long enough to have it. */
struct acpi_register acpi_read_register(struct acpi_info *info, const struct table *t, u32 at)
{
	struct acpi_register none = { 0, ACPI_MEMORY_SPACE }, r;

	if (t->length < at + REGISTER_BYTES)
		return none;
	r.address = read_u64(t->at + at + 4);
	if (!r.address)
		return none;
	r.space = t->at[at];
	if ((r.space == ACPI_IO_SPACE && r.address <= 0xFFFF) || (r.space == ACPI_MEMORY_SPACE && r.address < PHYS_LIMIT))
		return r;
	warn(info, "register 0x%lx in space %u (%.4s + %u) cannot be used\n", r.address, r.space, (const char *)t->at, at);
	return none;
}

/* An old 32-bit port number, 0 where it is none or no port can have it. */
static u16 read_port(struct acpi_info *info, const struct table *t, u32 at)
{
	u32 port = read_u32(t->at + at);

	if (port <= 0xFFFF)
		return (u16)port;
	warn(info, "FADT + %u has port 0x%x, which is above 0xffff: ignored\n", at, port);
	return 0;
}

/* Both forms of one register may be given; the long one counts where it says something. */
static struct acpi_register read_either(struct acpi_info *info, const struct table *t, u32 long_at, u32 port_at)
{
	struct acpi_register r = acpi_read_register(info, t, long_at);

	if (!r.address)
		r = (struct acpi_register){ read_port(info, t, port_at), ACPI_IO_SPACE };
	return r;
}

static void take_pm_timer(struct acpi_info *info, const struct table *t, u32 flags)
{
	struct acpi_register r = acpi_read_register(info, t, FADT_X_PM_TIMER);

	if (r.address && r.space == ACPI_IO_SPACE)
		info->pm_timer_port = (u16)r.address;
	else if (t->at[FADT_PM_TIMER_BYTES] == 4)
		info->pm_timer_port = read_port(info, t, FADT_PM_TIMER);
	info->pm_timer_32bit = flags & FADT_TIMER_32BIT;
}

static void take_reset(struct acpi_info *info, const struct table *t, u32 flags)
{
	/* A revision 1 table ends before the register, whatever its flags say: what follows is another table. */
	if (!(flags & FADT_RESET_WORKS) || t->length <= FADT_RESET_VALUE)
		return;
	info->power.reset = acpi_read_register(info, t, FADT_RESET);
	info->power.reset_value = t->at[FADT_RESET_VALUE];
}

u64 acpi_parse_fadt(struct acpi_info *info, const struct table *t)
{
	struct acpi_power *power = &info->power;
	u64 dsdt = 0;
	u32 flags;

	if (t->length < FADT_V1_BYTES) {
		warn(info, "FADT of %u bytes is too short, it takes %u: ignored\n", t->length, FADT_V1_BYTES);
		return 0;
	}
	flags = read_u32(t->at + FADT_FLAGS);
	power->hw_reduced = flags & FADT_HW_REDUCED;
	if (power->hw_reduced) {
		power->sleep_control = acpi_read_register(info, t, FADT_SLEEP_CONTROL);
	} else {
		take_pm_timer(info, t, flags);
		power->pm1a_control = read_either(info, t, FADT_X_PM1A_CONTROL, FADT_PM1A_CONTROL);
		power->pm1b_control = read_either(info, t, FADT_X_PM1B_CONTROL, FADT_PM1B_CONTROL);
		power->sci_irq = read_u16(t->at + FADT_SCI);
		power->smi_command_port = read_port(info, t, FADT_SMI_COMMAND);
		power->acpi_enable = t->at[FADT_ACPI_ENABLE];
	}
	take_reset(info, t, flags);
	if (t->length >= FADT_X_DSDT + 8)
		dsdt = read_u64(t->at + FADT_X_DSDT);
	return dsdt ? dsdt : read_u32(t->at + FADT_DSDT);
}

void acpi_parse_hpet(struct acpi_info *info, const struct table *t)
{
	struct acpi_register r;

	if (t->length < HPET_REGISTER + REGISTER_BYTES) {
		warn(info, "HPET of %u bytes is too short, it takes %u: ignored\n", t->length, HPET_REGISTER + REGISTER_BYTES);
		return;
	}
	r = acpi_read_register(info, t, HPET_REGISTER);
	if (!read_u64(t->at + HPET_REGISTER + 4) || r.space != ACPI_MEMORY_SPACE || r.address % 8)
		warn(info, "HPET at 0x%lx is no multiple of 8 in memory, ignored\n", r.address);
	else
		info->hpet_address = r.address;
}

/* --- _S5_: the numbers that mean "off", from the byte code without an interpreter --- */

enum {
	AML_ZERO = 0x00,
	AML_ONE = 0x01,
	AML_NAME = 0x08,
	AML_BYTE = 0x0A,
	AML_WORD = 0x0B,
	AML_DWORD = 0x0C,
	AML_PACKAGE = 0x12,
	AML_ROOT = '\\',
	MOST_SLEEP_TYPE = 7, /* the field has three bits */
};

/* Bytes of byte code not yet read. */
struct aml {
	const u8 *at;
	u32 left;
};

static bool aml_take(struct aml *aml, u32 bytes, u32 *value)
{
	if (aml->left < bytes)
		return false;
	*value = 0;
	memcpy(value, aml->at, bytes);
	aml->at += bytes;
	aml->left -= bytes;
	return true;
}

/* An integer constant. QEMU writes 0 as ZeroOp, others as a byte; both are the same to an interpreter. */
static bool aml_integer(struct aml *aml, u32 *value)
{
	u32 op;

	if (!aml_take(aml, 1, &op))
		return false;
	switch (op) {
	case AML_ZERO:
	case AML_ONE:
		*value = op;
		return true;
	case AML_BYTE:
		return aml_take(aml, 1, value);
	case AML_WORD:
		return aml_take(aml, 2, value);
	case AML_DWORD:
		return aml_take(aml, 4, value);
	}
	return false;
}

/* Enters a package: what is left is its contents. The length counts its own 1 to 4 bytes; the top two bits of the first say how
 * many follow, and only then are its low four bits the lowest of the length. */
static bool aml_enter_package(struct aml *aml)
{
	u32 op, lead, more, extra, bytes;

	if (!aml_take(aml, 1, &op) || op != AML_PACKAGE || !aml_take(aml, 1, &lead))
		return false;
	extra = lead >> 6;
	if (!aml_take(aml, extra, &more))
		return false;
	bytes = extra ? (lead & 0xF) | more << 4 : lead & 0x3F;
	if (bytes < 1 + extra || bytes - 1 - extra > aml->left)
		return false;
	aml->left = bytes - 1 - extra;
	return true;
}

/* Package (2+) { a, b, ... }, or one number with a in its low byte and b in the next. */
static bool decode_s5(struct aml aml, u32 *a, u32 *b)
{
	u32 elements;

	if (!aml_enter_package(&aml) || !aml_take(&aml, 1, &elements) || !elements || !aml_integer(&aml, a))
		return false;
	if (elements == 1) {
		*b = *a >> 8;
		*a &= 0xFF;
	} else if (!aml_integer(&aml, b)) {
		return false;
	}
	return *a <= MOST_SLEEP_TYPE && *b <= MOST_SLEEP_TYPE;
}

/* Whether the four letters at `at` are being given a value, not just mentioned: Name (_S5_, or Name (\_S5_, */
static bool is_definition(const struct table *t, u32 at)
{
	u32 before = at - 1;

	if (before > HEADER_BYTES && t->at[before] == AML_ROOT)
		before--;
	return before >= HEADER_BYTES && t->at[before] == AML_NAME;
}

static bool find_s5(struct acpi_info *info, const struct table *t)
{
	u32 a, b;

	for (u32 at = HEADER_BYTES; t->length - at >= 4; at++) {
		if (memcmp(t->at + at, "_S5_", 4) || !is_definition(t, at))
			continue;
		if (decode_s5((struct aml){ t->at + at + 4, t->length - at - 4 }, &a, &b)) {
			info->power.has_s5 = true;
			info->power.s5_type_a = (u8)a;
			info->power.s5_type_b = (u8)b;
			return true;
		}
		warn(info, "_S5_ at %u of a table of %u bytes is no package of numbers up to %u\n", at, t->length, MOST_SLEEP_TYPE);
	}
	return false;
}

void acpi_search_s5(struct acpi_info *info, const struct table_list *list, u64 dsdt)
{
	struct table t;

	info->oddities = 0;
	if (dsdt && acpi_map_table(info, "DSDT", dsdt, &t) && find_s5(info, &t))
		return;
	for (unsigned i = 0; i < list->nr; i++)
		if (list->signature[i] == signature_of("SSDT") && acpi_map_table(info, "SSDT", list->phys[i], &t) &&
			find_s5(info, &t))
			return;
}

/* --- devices where memory is --- */

/* Whether there is memory instead of that register of so many bytes. */
static bool is_misplaced(struct acpi_info *info, const struct memmap *map, const char *what, struct acpi_register r, u64 bytes)
{
	if (!r.address || r.space != ACPI_MEMORY_SPACE || !memmap_holds(map, r.address, bytes))
		return false;
	warn(info, "%s at 0x%lx is where the memory map has memory, ignored\n", what, r.address);
	return true;
}

static void forget_misplaced_power(struct acpi_info *info, const struct memmap *map)
{
	struct acpi_power *power = &info->power;
	struct acpi_register *registers[] = { &power->pm1a_control, &power->pm1b_control, &power->sleep_control, &power->reset };

	for (unsigned i = 0; i < ARRAY_SIZE(registers); i++)
		if (is_misplaced(info, map, "a register of the FADT", *registers[i], sizeof(u16)))
			registers[i]->address = 0;
}

static void forget_misplaced_uarts(struct acpi_info *info, const struct memmap *map)
{
	enum { UART_REGISTERS = 8 };
	unsigned kept = 0;

	for (unsigned i = 0; i < info->nr_uarts; i++)
		if (!is_misplaced(info, map, "a serial port", info->uart[i].at, UART_REGISTERS * info->uart[i].stride))
			info->uart[kept++] = info->uart[i];
	info->nr_uarts = kept;
}

static void forget_misplaced_ioapics(struct acpi_info *info, const struct memmap *map)
{
	enum { IOAPIC_BYTES = 0x14 }; /* its index and data registers */
	unsigned kept = 0;

	for (unsigned i = 0; i < info->nr_ioapics; i++) {
		struct acpi_register r = { info->ioapic[i], ACPI_MEMORY_SPACE };

		if (!is_misplaced(info, map, "an I/O APIC", r, IOAPIC_BYTES))
			info->ioapic[kept++] = info->ioapic[i];
	}
	info->nr_ioapics = kept;
}

void acpi_forget_misplaced(struct acpi_info *info, const struct memmap *map)
{
	enum { HPET_BYTES = 1024, LAPIC_BYTES = 4096 };
	struct acpi_register hpet = { info->hpet_address, ACPI_MEMORY_SPACE }, lapic = { info->lapic_address, ACPI_MEMORY_SPACE };

	info->oddities = 0;
	if (is_misplaced(info, map, "the HPET", hpet, HPET_BYTES))
		info->hpet_address = 0;
	if (is_misplaced(info, map, "the local APIC", lapic, LAPIC_BYTES))
		info->lapic_address = ACPI_LAPIC_ADDRESS;
	forget_misplaced_power(info, map);
	forget_misplaced_uarts(info, map);
	forget_misplaced_ioapics(info, map);
}
