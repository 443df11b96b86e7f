/* SPDX-License-Identifier: GPL-2.0-or-later
 * The UART driver on a simulated chip, and on none: metal.md 5. Expected values are the 16550's data sheet: where its registers
 * are, that a loop-back shows RTS and OUT2 as CTS and DCD, that 16 bytes fit. A miss means a boot that hangs or a log with holes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "arch/x86/uart.h"

enum chip_kind { ABSENT, CHIP_8250, CHIP_16450, CHIP_16550 };

static struct {
	enum chip_kind kind;
	u8 ier, lcr, mcr, scratch, fcr;
	u16 divisor;
	bool stuck, clear_to_send;
	u64 looks;	  /* at LSR */
	unsigned in_fifo; /* since it was last empty */
	unsigned overruns;
	unsigned on_the_way, damaged; /* characters in FIFO and shift register; those that a change of settings has hit */
	char sent[256];
	size_t nr_sent;
	const char *typed;
} chip;

static u8 modem_status(void)
{
	if (chip.mcr & 0x10)
		return (u8)((chip.mcr & 2 ? 0x10 : 0) | (chip.mcr & 1 ? 0x20 : 0) | (chip.mcr & 4 ? 0x40 : 0) |
			    (chip.mcr & 8 ? 0x80 : 0));
	return chip.clear_to_send ? 0x10 : 0;
}

/* Whoever looks finds room; but a character takes a look to be gone, and before that bit 6 does not come. */
static u8 line_status(void)
{
	bool idle = !chip.on_the_way;

	chip.looks++;
	if (!chip.stuck) {
		chip.in_fifo = 0;
		chip.on_the_way -= !idle;
	}
	return (u8)((chip.stuck ? 0 : 0x20) | (idle && !chip.stuck ? 0x40 : 0) | (chip.typed && *chip.typed ? 1 : 0));
}

static void hit_what_is_on_the_way(void)
{
	chip.damaged += chip.on_the_way;
	chip.on_the_way = 0;
}

u8 uart_get(const struct uart *u, enum uart_register r)
{
	assert_int_equal(u->base, 0x3f8);
	if (chip.kind == ABSENT)
		return 0xff;
	switch (r) {
	case UART_DATA:
		return (u8)*chip.typed++;
	case UART_IER:
		return chip.ier;
	case UART_FCR:
		return chip.kind == CHIP_16550 && chip.fcr & 1 ? 0xc1 : 1;
	case UART_MCR:
		return chip.mcr;
	case UART_LSR:
		return line_status();
	case UART_MSR:
		return modem_status();
	case UART_SCRATCH:
		return chip.kind == CHIP_8250 ? 0xff : chip.scratch;
	default:
		return chip.lcr;
	}
}

static void take_data(u8 v)
{
	if (chip.lcr & 0x80) {
		chip.divisor = (u16)((chip.divisor & 0xff00) | v);
		return;
	}
	chip.overruns += chip.in_fifo++ >= (chip.kind == CHIP_16550 ? 16 : 1);
	chip.on_the_way++;
	chip.sent[chip.nr_sent++] = (char)v;
}

void uart_put(const struct uart *u, enum uart_register r, u8 v)
{
	(void)u;
	switch (r) {
	case UART_DATA:
		take_data(v);
		break;
	case UART_IER:
		if (chip.lcr & 0x80)
			chip.divisor = (u16)((chip.divisor & 0xff) | v << 8);
		else
			chip.ier = v;
		break;
	case UART_FCR:
		hit_what_is_on_the_way();
		chip.fcr = v;
		break;
	case UART_LCR:
		if (v & 0x80)
			hit_what_is_on_the_way();
		chip.lcr = v;
		break;
	case UART_MCR:
		if (v & 0x10)
			hit_what_is_on_the_way();
		chip.mcr = v;
		break;
	default:
		chip.scratch = v;
		break;
	}
}

static struct uart uart;

static bool plug_in(enum chip_kind kind, u64 baud)
{
	memset(&chip, 0, sizeof(chip));
	chip.kind = kind;
	chip.ier = 0xf;
	chip.divisor = 0x0c; /* 9600, as somebody left it */
	chip.clear_to_send = true;
	uart = (struct uart){ .name = "com1", .base = 0x3f8 };
	return uart_init(&uart, baud);
}

static void absent_port_is_not_taken(void **state)
{
	char c;

	(void)state;
	assert_false(plug_in(ABSENT, 115200));
	assert_false(uart_read(&uart, &c)); /* 8.34: all ones also say that a byte has come, for ever */
}

/* 8N1, no interrupts, DTR, RTS and OUT2, FIFO on and empty; 115200 / 19200 = 6. */
static void found_chip_is_set_up(void **state)
{
	(void)state;
	assert_true(plug_in(CHIP_16550, 19200));
	assert_int_equal(chip.divisor, 6);
	assert_int_equal(chip.lcr, 3);
	assert_int_equal(chip.ier, 0);
	assert_int_equal(chip.mcr, 0x0b);
	assert_int_equal(chip.fcr, 0xc7);
	assert_int_equal(uart.fifo, 16);
	assert_true(uart.scratch);
}

static void speed_0_leaves_the_divisor(void **state)
{
	(void)state;
	assert_true(plug_in(CHIP_16550, 0));
	assert_int_equal(chip.divisor, 0x0c);
}

/* Without a scratch register the loop-back alone must do. */
static void ancestors_are_taken_byte_by_byte(void **state)
{
	static const enum chip_kind kinds[] = { CHIP_8250, CHIP_16450 };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		assert_true(plug_in(kinds[i], 115200));
		assert_int_equal(uart.fifo, 1);
		assert_int_equal(uart.scratch, kinds[i] == CHIP_16450);
		uart_write(&uart, "abc", 3);
		assert_memory_equal(chip.sent, "abc", 3);
		assert_int_equal(chip.overruns, 0);
	}
}

/* 40 bytes are 16 + 16 + 8: three looks, none of which waits for the shift register (8.35). */
static void fifo_is_filled_and_not_overrun(void **state)
{
	static const char text[] = "0123456789012345678901234567890123456789";
	u64 before;

	(void)state;
	assert_true(plug_in(CHIP_16550, 115200));
	before = chip.looks;
	uart_write(&uart, text, 40);
	assert_int_equal(chip.looks - before, 3);
	assert_int_equal(chip.overruns, 0);
	assert_int_equal(chip.nr_sent, 40);
	assert_memory_equal(chip.sent, text, 40);
	assert_int_equal(uart.sent, 40);
	assert_int_equal(uart.lost, 0);
}

/* What cannot be sent is counted; a port once stuck costs a look and not another second, and is used again when it moves. */
static void stuck_port_loses_and_counts(void **state)
{
	u64 before;

	(void)state;
	assert_true(plug_in(CHIP_16550, 115200));
	chip.stuck = true;
	uart_write(&uart, "hello", 5);
	assert_int_equal(uart.lost, 5);
	assert_true(chip.looks >= 1000 && chip.looks <= 10000000);
	before = chip.looks;
	uart_write(&uart, "again", 5);
	assert_int_equal(uart.lost, 10);
	assert_int_equal(chip.looks - before, 1);
	chip.stuck = false;
	uart_write(&uart, "now", 3);
	assert_int_equal(uart.lost, 10);
	assert_int_equal(uart.sent, 3);
	assert_memory_equal(chip.sent, "now", 3);
}

/* What a loader, or we, sent last is in the FIFO for more than a millisecond; setting up and changing the speed wait for it. One
 * that never gets done is not waited for long. */
static void what_is_on_its_way_arrives(void **state)
{
	(void)state;
	assert_true(plug_in(CHIP_16550, 115200));
	uart_write(&uart, "0123456789012345", 16);
	assert_true(uart_init(&uart, 115200));
	assert_int_equal(chip.damaged, 0);
	uart_write(&uart, "0123456789012345", 16);
	uart_set_speed(&uart, 19200);
	assert_int_equal(chip.damaged, 0);
	uart_write(&uart, "x", 1);
	chip.stuck = true;
	chip.looks = 0;
	assert_true(uart_init(&uart, 115200));
	assert_true(chip.looks < 200000);
}

/* RTS/CTS only where it was asked for: a cable without the wires must not silence the log. */
static void flow_control_waits_for_cts(void **state)
{
	(void)state;
	assert_true(plug_in(CHIP_16550, 115200));
	chip.clear_to_send = false;
	uart_write(&uart, "a", 1);
	assert_int_equal(uart.sent, 1);
	uart.flow = true;
	uart_write(&uart, "b", 1);
	assert_int_equal(uart.lost, 1);
	chip.clear_to_send = true;
	uart_write(&uart, "c", 1);
	assert_memory_equal(chip.sent, "ac", 2);
}

static void bytes_come_in_order(void **state)
{
	char c = 0;

	(void)state;
	assert_true(plug_in(CHIP_16550, 115200));
	assert_false(uart_read(&uart, &c));
	chip.typed = "xy";
	assert_true(uart_read(&uart, &c));
	assert_int_equal(c, 'x');
	assert_true(uart_read(&uart, &c));
	assert_int_equal(c, 'y');
	assert_false(uart_read(&uart, &c));
}

/* Both names of the one chip reach the same scratch register. */
static void alias_is_recognised(void **state)
{
	struct uart other, none;

	(void)state;
	assert_true(plug_in(CHIP_16550, 115200));
	other = none = uart;
	assert_true(uart_is_alias(&other, &uart));
	none.scratch = false;
	assert_false(uart_is_alias(&none, &uart));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(absent_port_is_not_taken),
		cmocka_unit_test(found_chip_is_set_up),
		cmocka_unit_test(speed_0_leaves_the_divisor),
		cmocka_unit_test(ancestors_are_taken_byte_by_byte),
		cmocka_unit_test(fifo_is_filled_and_not_overrun),
		cmocka_unit_test(stuck_port_loses_and_counts),
		cmocka_unit_test(what_is_on_its_way_arrives),
		cmocka_unit_test(flow_control_waits_for_cts),
		cmocka_unit_test(bytes_come_in_order),
		cmocka_unit_test(alias_is_recognised),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
