/* SPDX-License-Identifier: GPL-2.0-or-later
 * Serial ports found in a made-up PCI configuration space: metal.md 5. The shapes are QEMU's pci-serial (1b36:0002, 8 ports) and
 * pci-serial-4x (32), Intel's SOL (function 3 of a device, ports and memory) and a card with memory only. Expected values are what
 * was put in. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "arch/x86/pci.h"

enum { MOST_FUNCTIONS = 8 };

/* Of a BAR only those bits can be written that its size leaves. */
static struct function {
	u32 number, id, class, header, command;
	u32 bar[6], bytes[6];
	u32 command_when_sized; /* the last command while a BAR had all ones */
} function[MOST_FUNCTIONS];
static unsigned nr_functions;
static bool bus_is_there;

bool pci_is_there(void)
{
	return bus_is_there;
}

static struct function *function_at(u32 number)
{
	for (unsigned i = 0; i < nr_functions; i++)
		if (function[i].number == number)
			return &function[i];
	return NULL;
}

u32 pci_read(u32 number, unsigned offset)
{
	const struct function *f = function_at(number);

	if (!f)
		return ~0u;
	switch (offset) {
	case 0x00:
		return f->id;
	case 0x04:
		return f->command | 0xffff0000; /* every status bit set: none may be cleared */
	case 0x08:
		return f->class << 8 | 1;
	case 0x0c:
		return f->header << 16;
	default:
		assert_in_range(offset, 0x10, 0x24);
		return f->bar[(offset - 0x10) / 4];
	}
}

void pci_write(u32 number, unsigned offset, u32 v)
{
	struct function *f = function_at(number);
	unsigned i = (offset - 0x10) / 4;

	assert_non_null(f);
	if (offset == 4) {
		assert_int_equal(v >> 16, 0);
		f->command = v;
		return;
	}
	assert_in_range(offset, 0x10, 0x24);
	if (v == ~0u)
		f->command_when_sized = f->command;
	f->bar[i] = (v & ~(f->bytes[i] - 1)) | (f->bar[i] & (f->bar[i] & 1 ? 3 : 0xf));
}

static struct function *add(u32 number, u32 class)
{
	struct function *f = &function[nr_functions++];

	*f = (struct function){
		.number = number, .id = 0x00021b36, .class = class, .command = 0x100, .command_when_sized = 0xdead
	};
	return f;
}

static int start(void **state)
{
	(void)state;
	nr_functions = 0;
	bus_is_there = true;
	return 0;
}

static struct pci_serial found[4];

static void one_port(void **state)
{
	struct function *f = add(3 << 11, 0x070002);

	(void)state;
	f->bar[0] = 0xc001;
	f->bytes[0] = 8;
	f->command = 0x103; /* firmware has left both on */
	assert_int_equal(pci_find_serial(found, 4), 1);
	assert_int_equal(found[0].base, 0xc000);
	assert_int_equal(found[0].ports, 1);
	assert_false(found[0].memory);
	assert_int_equal(f->command, 0x103);		/* answers as before */
	assert_int_equal(f->command_when_sized, 0x100); /* and did not while it was sized */
	assert_int_equal(f->bar[0], 0xc001);
}

/* 32 bytes are four times eight registers; on the last bus there is, behind other devices. */
static void four_ports_on_the_last_bus(void **state)
{
	struct function *f;

	(void)state;
	add(0, 0x060000);
	add(1 << 11, 0x020000);
	f = add(255u << 16 | 31 << 11, 0x070002);
	f->bar[0] = 0xd001;
	f->bytes[0] = 32;
	assert_int_equal(pci_find_serial(found, 4), 1);
	assert_int_equal(found[0].ports, 4);
	assert_int_equal(found[0].base, 0xd000);
	assert_int_equal(f->command, 0x101); /* answers at its ports from now on */
}

/* Function 3 is there although 1 and 2 are not, if the device says that it has several; ports win over memory. */
static void function_of_a_larger_device(void **state)
{
	struct function *f;

	(void)state;
	add(22 << 11, 0x078000)->header = 0x80;
	f = add(22 << 11 | 3 << 8, 0x070002);
	f->bar[0] = 0xf7fff000;
	f->bytes[0] = 4096;
	f->bar[1] = 0xf0e1;
	f->bytes[1] = 8;
	assert_int_equal(pci_find_serial(found, 4), 1);
	assert_int_equal(found[0].base, 0xf0e0);
	nr_functions = 0;
	add(22 << 11, 0x078000);
	add(22 << 11 | 3 << 8, 0x070002)->bar[1] = 0xf0e1;
	assert_int_equal(pci_find_serial(found, 4), 0); /* one that says it has one function answers to all eight */
}

static void memory_above_4_gib(void **state)
{
	struct function *f = add(5 << 11, 0x070002);

	(void)state;
	f->bar[0] = 0xfe000004;
	f->bar[1] = 0x38;
	f->bytes[0] = 4096;
	assert_int_equal(pci_find_serial(found, 4), 1);
	assert_true(found[0].memory);
	assert_int_equal(found[0].base, 0x38fe000000);
	assert_int_equal(found[0].ports, 1);
	assert_int_equal(f->command, 0x102);
}

/* The upper half of an address, 0x2fff, has the bit that marks ports in a BAR of its own; the real ports come behind it. */
static void upper_half_is_no_port(void **state)
{
	struct function *f = add(5 << 11, 0x070002);

	(void)state;
	f->bar[0] = 0xfe000004;
	f->bar[1] = 0x2fff;
	f->bytes[0] = 4096;
	f->bytes[1] = 8;
	assert_int_equal(pci_find_serial(found, 4), 1);
	assert_true(found[0].memory);
	assert_true(found[0].base == 0x2ffffe000000);
	f->bar[2] = 0xc001;
	f->bytes[2] = 8;
	assert_int_equal(pci_find_serial(found, 4), 1);
	assert_false(found[0].memory);
	assert_int_equal(found[0].base, 0xc000);
	assert_int_equal(f->bar[1], 0x2fff);
}

/* A BAR that firmware has not placed, other classes, more than there is room for, no PCI. */
static void what_is_left_out(void **state)
{
	(void)state;
	add(1 << 11, 0x070002)->bar[0] = 1;
	add(2 << 11, 0x070300)->bar[0] = 0xc101; /* a modem */
	assert_int_equal(pci_find_serial(found, 4), 0);
	for (u32 i = 0; i < 3; i++) {
		struct function *f = add((3 + i) << 11, 0x070002);

		f->bar[0] = 0xc001 + 0x100 * i;
		f->bytes[0] = 8;
	}
	assert_int_equal(pci_find_serial(found, 2), 2);
	bus_is_there = false;
	assert_int_equal(pci_find_serial(found, 4), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(one_port, start),
		cmocka_unit_test_setup(four_ports_on_the_last_bus, start),
		cmocka_unit_test_setup(function_of_a_larger_device, start),
		cmocka_unit_test_setup(memory_above_4_gib, start),
		cmocka_unit_test_setup(upper_half_is_no_port, start),
		cmocka_unit_test_setup(what_is_left_out, start),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
