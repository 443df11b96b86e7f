/* SPDX-License-Identifier: GPL-2.0-or-later
 * A polled 16550. Every wait is bounded: where there is no port every register reads as ones, and a real one may be stuck. */
#include "arch/x86/uart.h"

enum {
	LCR_8N1 = 3,
	LCR_DIVISOR = 0x80,
	FCR_ENABLE = 0xc7, /* and clear both FIFOs */
	MCR_LOOP = 0x1a,   /* loopback with RTS and OUT2 */
	MCR_NORMAL = 0x0b, /* DTR, RTS, OUT2 */
	MSR_LOOPED = 0x90, /* what MCR_LOOP shows in the upper half of MSR */
	MSR_CTS = 0x10,
	LSR_DATA = 0x01,
	LSR_EMPTY = 0x20, /* the holding register; to write, that the shift register is empty too is not worth waiting for */
	LSR_IDLE = 0x40,  /* both */
	ABSENT = 0xff,
	UART_CLOCK = 115200,
	FIFO_BYTES = 16,
	PATIENCE = 1000000, /* reads of a register: about a second on a real bus */
	DRAINED = 50000,    /* likewise: more than 16 characters take at 9600 baud */
};

/* What is still on its way is lost when the line is looped back, the speed changes or the FIFO is cleared. */
static void drain(const struct uart *u)
{
	for (unsigned i = 0; i < DRAINED && !(uart_get(u, UART_LSR) & LSR_IDLE); i++)
		;
}

/* Loopback rather than the scratch register: some old and some remote-console UARTs lack that. */
static bool answers(const struct uart *u)
{
	u8 mcr = uart_get(u, UART_MCR);
	bool looped;

	if (uart_get(u, UART_LSR) == ABSENT)
		return false;
	drain(u);
	uart_put(u, UART_MCR, MCR_LOOP);
	looped = (uart_get(u, UART_MSR) & 0xf0) == MSR_LOOPED;
	uart_put(u, UART_MCR, mcr);
	return looped;
}

static bool remembers(const struct uart *u, u8 pattern)
{
	uart_put(u, UART_SCRATCH, pattern);
	return uart_get(u, UART_SCRATCH) == pattern;
}

void uart_set_speed(struct uart *u, u64 baud)
{
	u16 divisor = baud ? (u16)max_u64(UART_CLOCK / baud, 1) : 0;

	if (divisor) {
		drain(u);
		uart_put(u, UART_LCR, LCR_DIVISOR);
		uart_put(u, UART_DATA, (u8)divisor);
		uart_put(u, UART_IER, (u8)(divisor >> 8));
	}
	uart_put(u, UART_LCR, LCR_8N1);
}

bool uart_init(struct uart *u, u64 baud)
{
	if (!answers(u))
		return false;
	uart_put(u, UART_LCR, LCR_8N1); /* a divisor latch left open hides the next register */
	uart_put(u, UART_IER, 0);
	uart_set_speed(u, baud);
	u->scratch = remembers(u, 0xa5) && remembers(u, 0x5a);
	uart_put(u, UART_FCR, FCR_ENABLE);
	uart_put(u, UART_MCR, MCR_NORMAL);
	u->fifo = uart_get(u, UART_FCR) >> 6 == 3 ? FIFO_BYTES : 1; /* reads as IIR */
	return true;
}

bool uart_is_alias(const struct uart *u, const struct uart *of)
{
	return u->scratch && of->scratch && remembers(of, 0xa5) && remembers(u, 0x5a) && uart_get(of, UART_SCRATCH) == 0x5a;
}

static bool may_send(const struct uart *u)
{
	return uart_get(u, UART_LSR) & LSR_EMPTY && (!u->flow || uart_get(u, UART_MSR) & MSR_CTS);
}

/* One that was stuck is only looked at: a cable that nobody reads must not cost a second each time. */
static bool wait_until_empty(struct uart *u)
{
	for (unsigned i = u->stuck ? 1 : PATIENCE; i; i--)
		if (may_send(u)) {
			u->stuck = false;
			return true;
		}
	u->stuck = true;
	return false;
}

void uart_write(struct uart *u, const char *text, size_t bytes)
{
	while (bytes) {
		size_t n = min_u64(bytes, u->fifo);

		if (!wait_until_empty(u))
			break;
		for (size_t i = 0; i < n; i++)
			uart_put(u, UART_DATA, (u8)text[i]);
		u->sent += n;
		text += n;
		bytes -= n;
	}
	u->lost += bytes;
}

bool uart_read(struct uart *u, char *c)
{
	u8 lsr = uart_get(u, UART_LSR);

	if (lsr == ABSENT || !(lsr & LSR_DATA))
		return false;
	*c = (char)uart_get(u, UART_DATA);
	return true;
}
