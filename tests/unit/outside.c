/* SPDX-License-Identifier: GPL-2.0-or-later
 * Of the test machine: its console and keyboard, and how other CPUs are stopped and looked at. */
#include "tests/unit/machine.h"

#include "base/string.h"

/* ---- the console ---- */

static char console[256 * 1024];
static size_t console_bytes;

size_t test_console_stop;

void machine_console_write(const char *text, size_t bytes)
{
	bool stops = test_console_stop && console_bytes + bytes >= test_console_stop;

	if (stops)
		bytes = test_console_stop - console_bytes;
	size_t room = sizeof(console) - 1 - console_bytes, n = bytes < room ? bytes : room;

	memcpy(console + console_bytes, text, n);
	console_bytes += n;
	if (stops) {
		test_console_stop = 0;
		machine_end(END_HALT, VERDICT_OK);
	}
}

void machine_console_repeats(bool so)
{
	(void)so;
}

const char *test_console(void)
{
	console[console_bytes] = '\0';
	return console;
}

void test_console_clear(void)
{
	console_bytes = 0;
}

static const char *typed = "";

void test_type(const char *keys)
{
	typed = keys;
}

int machine_console_read(char *c)
{
	if (!*typed)
		return -E_NOENT;
	*c = *typed++;
	return 1;
}

/* ---- other CPUs ---- */

void machine_stop_others(void)
{
}

u64 (*test_stopped_at)(unsigned cpu);

unsigned machine_stopped_at(unsigned cpu, bool *irqs_off, u64 *address, unsigned max)
{
	(void)max;
	if (!test_stopped_at)
		return 0;
	*irqs_off = false;
	*address = test_stopped_at(cpu);
	return 1;
}

bool machine_break(enum machine_breakage what)
{
	(void)what;
	return false;
}

unsigned machine_backtrace(u64 *address, unsigned max)
{
	(void)address, (void)max;
	return 0;
}

const char *machine_symbol(u64 address, u64 *offset)
{
	(void)address, (void)offset;
	return NULL;
}
