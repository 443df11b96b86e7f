/* SPDX-License-Identifier: GPL-2.0-or-later
 * SPCR and DBG2: the serial port that the firmware talks on, and those it leaves to debuggers. */
#include "arch/x86/acpi_tables.h"

enum {
	SPCR_TYPE = 36,
	SPCR_REGISTER = 40,
	SPCR_BAUD = 58,
	SPCR_BYTES = 59, /* of what is read */
	DBG2_FIRST = 36,
	DBG2_NR = 40,
	DBG2_BYTES = 44,
	DEVICE_LENGTH = 1,
	DEVICE_NR_REGISTERS = 3,
	DEVICE_TYPE = 12,
	DEVICE_SUBTYPE = 14,
	DEVICE_REGISTER = 18, /* offset of the first, from the device */
	DEVICE_BYTES = 22,
	DEVICE_SERIAL = 0x8000,
	MOST_DEVICES = 64,
	GAS_BIT_WIDTH = 1,
	GAS_ACCESS = 3,
	ACCESS_DWORD = 3,
};

/* 16550, its subset, and 16550 with all that the address structure says. Others have other registers. */
static bool is_16550(u32 type)
{
	return type == 0 || type == 1 || type == 0x12;
}

static u32 baud_of(u8 code)
{
	static const u32 baud[] = { [3] = 9600, [4] = 19200, [6] = 57600, [7] = 115200 };

	return code < ARRAY_SIZE(baud) ? baud[code] : 0;
}

/* The registers' distance is in the field that elsewhere says how wide one is. */
static void add_uart(struct acpi_info *info, const struct table *t, u32 at, u32 baud)
{
	struct acpi_register r = acpi_read_register(info, t, at);
	bool wide;

	if (!r.address)
		return;
	if (info->nr_uarts == ACPI_UARTS) {
		warn(info, "more than %u serial ports, the one at 0x%lx is ignored\n", ACPI_UARTS, r.address);
		return;
	}
	wide = r.space == ACPI_MEMORY_SPACE && (t->at[at + GAS_BIT_WIDTH] == 32 || t->at[at + GAS_ACCESS] == ACCESS_DWORD);
	info->uart[info->nr_uarts++] = (struct acpi_uart){ r, wide ? 4 : 1, t->at[at + GAS_ACCESS] == ACCESS_DWORD ? 4 : 1, baud };
}

void acpi_parse_spcr(struct acpi_info *info, const struct table *t)
{
	if (t->length < SPCR_BYTES) {
		warn(info, "SPCR of %u bytes is too short, it takes %u: ignored\n", t->length, SPCR_BYTES);
		return;
	}
	if (is_16550(t->at[SPCR_TYPE]))
		add_uart(info, t, SPCR_REGISTER, baud_of(t->at[SPCR_BAUD]));
}

static void take_device(struct acpi_info *info, const struct table *t, u32 at, u32 length)
{
	const u8 *device = t->at + at;
	u32 offset = read_u16(device + DEVICE_REGISTER);

	if (read_u16(device + DEVICE_TYPE) != DEVICE_SERIAL || !is_16550(read_u16(device + DEVICE_SUBTYPE)) ||
		!device[DEVICE_NR_REGISTERS])
		return;
	if (offset < DEVICE_BYTES || offset + REGISTER_BYTES > length)
		warn(info, "DBG2 has the register of a device at %u, which is not in its %u bytes: ignored\n", offset, length);
	else
		add_uart(info, t, at + offset, 0);
}

void acpi_parse_dbg2(struct acpi_info *info, const struct table *t)
{
	u32 at, nr, length;

	if (t->length < DBG2_BYTES) {
		warn(info, "DBG2 of %u bytes is too short, it takes %u: ignored\n", t->length, DBG2_BYTES);
		return;
	}
	at = read_u32(t->at + DBG2_FIRST);
	nr = (u32)min_u64(read_u32(t->at + DBG2_NR), MOST_DEVICES);
	for (; nr && at >= DBG2_BYTES && at <= t->length && t->length - at >= DEVICE_BYTES; nr--, at += length) {
		length = read_u16(t->at + at + DEVICE_LENGTH);
		if (length < DEVICE_BYTES || length > t->length - at)
			break;
		take_device(info, t, at, length);
	}
	if (nr)
		warn(info, "DBG2 of %u bytes has no device at %u, where %u more should follow: ignored\n", t->length, at, nr);
}
