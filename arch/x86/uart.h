/* SPDX-License-Identifier: GPL-2.0-or-later
 * The serial console: one 16550. */
#ifndef ARCH_X86_UART_H
#define ARCH_X86_UART_H

#include "base/types.h"

/* Look for a UART at that port; set it to 8N1 at that speed (0: leave it). Without one, all output is dropped. */
void uart_init(u16 port, u64 baud);
void uart_write(const char *text, size_t bytes);

#endif
