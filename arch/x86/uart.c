/* SPDX-License-Identifier: GPL-2.0-or-later
 * A polled 16550. Every wait is bounded: where there is no port every register reads as ones, and a real one may be stuck. */
#include "arch/x86/uart.h"

#include "arch/x86/x86.h"

enum uart_register { UART_DATA, UART_IER, UART_FCR, UART_LCR, UART_MCR, UART_LSR, UART_MSR, UART_SCRATCH };

enum {
	LCR_8N1 = 3,
	LCR_DIVISOR = 0x80,
	FCR_ENABLE = 0xc7, /* and clear both FIFOs */
	MCR_LOOP = 0x1a,   /* loopback with RTS and OUT2 */
	MCR_NORMAL = 0x0b, /* DTR, RTS, OUT2 */
	MSR_LOOPED = 0x90, /* what MCR_LOOP shows in the upper half of MSR */
	LSR_EMPTY = 0x20,
	UART_CLOCK = 115200,
	FIFO_BYTES = 16,
};

static u16 uart_port;
static unsigned uart_fifo;

/* Loopback rather than the scratch register: some old and some remote-console UARTs lack that. */
static bool answers(u16 port)
{
	u8 mcr = in8(port + UART_MCR);
	bool looped;

	out8(port + UART_MCR, MCR_LOOP);
	looped = (in8(port + UART_MSR) & 0xf0) == MSR_LOOPED;
	out8(port + UART_MCR, mcr);
	return looped;
}

void uart_init(u16 port, u64 baud)
{
	uart_port = 0;
	if (!port || !answers(port))
		return;
	out8(port + UART_IER, 0);
	if (baud) {
		u16 divisor = (u16)(UART_CLOCK / baud);

		out8(port + UART_LCR, LCR_DIVISOR);
		out8(port + UART_DATA, (u8)divisor);
		out8(port + UART_IER, (u8)(divisor >> 8));
	}
	out8(port + UART_LCR, LCR_8N1);
	out8(port + UART_FCR, FCR_ENABLE);
	out8(port + UART_MCR, MCR_NORMAL);
	uart_fifo = in8(port + UART_FCR) >> 6 == 3 ? FIFO_BYTES : 1; /* reads as IIR */
	uart_port = port;
}

static bool wait_until_empty(void)
{
	for (unsigned i = 0; i < 1000000; i++)
		if (in8(uart_port + UART_LSR) & LSR_EMPTY)
			return true;
	return false;
}

void uart_write(const char *text, size_t bytes)
{
	unsigned room = 0;

	if (!uart_port)
		return;
	for (size_t i = 0; i < bytes; i++) {
		if (!room) {
			if (!wait_until_empty())
				return;
			room = uart_fifo;
		}
		out8(uart_port + UART_DATA, (u8)text[i]);
		room--;
	}
}
