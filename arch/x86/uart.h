/* SPDX-License-Identifier: GPL-2.0-or-later
 * A serial port: a 16550 or an ancestor, wherever its registers are. Polled; nothing here waits for ever. */
#ifndef ARCH_X86_UART_H
#define ARCH_X86_UART_H

#include "base/types.h"

enum uart_register { UART_DATA, UART_IER, UART_FCR, UART_LCR, UART_MCR, UART_LSR, UART_MSR, UART_SCRATCH, UART_REGISTERS };

struct uart {
	char name[8];
	u64 base;	     /* the first register's port or physical address */
	volatile u8 *mapped; /* NULL: ports */
	u8 stride, width;    /* bytes from one register to the next, and of an access; for mapped registers */
	bool flow;	     /* send only while the other side allows it: CTS */
	u8 fifo;	     /* bytes it takes at once */
	bool scratch;	     /* it has that register; an 8250 and some remote consoles do not */
	bool stuck;	     /* it did not send for so long that it is not waited for any more, until it does */
	u64 sent, lost;	     /* bytes */
};

/* Is there a UART? Sets it to 8N1 at that speed (0: leaves the speed) and takes no interrupts. Where there is none every register
 * reads as ones. */
bool uart_init(struct uart *u, u64 baud);
void uart_set_speed(struct uart *u, u64 baud);

/* The same registers under another address? */
bool uart_is_alias(const struct uart *u, const struct uart *of);

/* What cannot be sent in about a second is counted as lost. */
void uart_write(struct uart *u, const char *text, size_t bytes);

/* One byte that has come; false: none has. */
bool uart_read(struct uart *u, char *c);

/* uart_access.c */
u8 uart_get(const struct uart *u, enum uart_register r);
void uart_put(const struct uart *u, enum uart_register r, u8 v);

#endif
