/* SPDX-License-Identifier: GPL-2.0-or-later
 * Where a UART's registers are. */
#include "arch/x86/uart.h"
#include "arch/x86/x86.h"

u8 uart_get(const struct uart *u, enum uart_register r)
{
	volatile u8 *at = u->mapped + (size_t)r * u->stride;

	if (!u->mapped)
		return in8((u16)(u->base + r));
	return u->width == 4 ? (u8) * (volatile u32 *)at : *at;
}

void uart_put(const struct uart *u, enum uart_register r, u8 v)
{
	volatile u8 *at = u->mapped + (size_t)r * u->stride;

	if (!u->mapped)
		out8((u16)(u->base + r), v);
	else if (u->width == 4)
		*(volatile u32 *)at = v;
	else
		*at = v;
}
