/* SPDX-License-Identifier: GPL-2.0-or-later
 * All consoles of a PC as one: serial ports wherever they are, the screen, the keyboard. */
#ifndef ARCH_X86_CONSOLE_H
#define ARCH_X86_CONSOLE_H

#include "arch/x86/acpi.h"
#include "arch/x86/bootinfo.h"

/* In the order in which they become possible: the first port, for complaints about what comes next; the others where a PC has them,
 * and the screen, once the parameters are known; the screen vanishes while page tables are replaced; ports that have to be looked
 * for, when memory can be mapped. */
void console_begin(void);
void console_init(const struct bootinfo *info);
void console_hide_screen(void);
void console_complete(const struct acpi_info *acpi);

/* To all of them, with their line ends. Any context; one at a time. */
void console_write(const char *text, size_t bytes);

/* As machine_console_read(). */
int console_read(char *c);

/* What was lost on the way, if anything was. */
void console_farewell(void);

/* Where nobody could read a log elsewhere: keep the screen for so long, or until a key is pressed. Needs the clock. */
void console_hold(u64 seconds);

#endif
