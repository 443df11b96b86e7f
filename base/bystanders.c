/* SPDX-License-Identifier: GPL-2.0-or-later
 * One line per CPU, or per row of CPUs at the same place: idle machines are large. */
#include "base/bystanders.h"

#include "arch/machine.h"
#include "base/bug.h"
#include "base/string.h"
#include "base/text.h"

enum { MOST_LINES = 64, LINE_BYTES = 320, PLACE_BYTES = 240, MOST_FRAMES = 6 };

/* "interrupts off: inner+0x12 < outer+0x34" */
static void describe_place(unsigned cpu, char place[PLACE_BYTES])
{
	u64 address[MOST_FRAMES];
	bool irqs_off = false;
	unsigned n = machine_stopped_at(cpu, &irqs_off, address, MOST_FRAMES);
	size_t used;

	if (!n) {
		text_format(place, PLACE_BYTES, "no answer");
		return;
	}
	used = (size_t)text_format(place, PLACE_BYTES, "interrupts %s:", irqs_off ? "off" : "on");
	for (unsigned i = 0; i < n; i++) {
		char name[FAULT_ADDRESS_BYTES];

		fault_describe_address(name, sizeof(name), address[i]);
		if (used + strlen(name) + sizeof(" < ") > PLACE_BYTES)
			break;
		used += (size_t)text_format(place + used, PLACE_BYTES - used, "%s%s", i ? " < " : " ", name);
	}
}

/* Of CPUs from the first on, as many as are at its place. Returns the one behind them. */
static unsigned describe_row(unsigned first, unsigned self, char line[LINE_BYTES])
{
	static char place[2][PLACE_BYTES];
	unsigned last = first;
	char cpus[32];

	describe_place(first, place[0]);
	for (; last + 1 < machine_nr_cpus() && last + 1 != self; last++) {
		describe_place(last + 1, place[1]);
		if (strcmp(place[0], place[1]))
			break;
	}
	if (first == last)
		text_format(cpus, sizeof(cpus), "CPU %u", first);
	else
		text_format(cpus, sizeof(cpus), "CPUs %u-%u", first, last);
	text_format(line, LINE_BYTES, "%s (%s), %s", cpus, fault_task_name ? fault_task_name(first) : "none", place[0]);
	return last + 1;
}

static unsigned describe_rest(unsigned first, char line[LINE_BYTES])
{
	text_format(line, LINE_BYTES, "CPUs %u-%u: no room", first, machine_nr_cpus() - 1);
	return machine_nr_cpus();
}

unsigned bystanders_describe(unsigned self, const char *const **lines)
{
	static char line[MOST_LINES][LINE_BYTES];
	static const char *list[MOST_LINES];
	unsigned n = 0, next;

	for (unsigned cpu = 0; cpu < machine_nr_cpus(); cpu = next) {
		next = cpu + 1;
		if (cpu == self)
			continue;
		next = n < MOST_LINES - 1 ? describe_row(cpu, self, line[n]) : describe_rest(cpu, line[n]);
		list[n] = line[n];
		n++;
	}
	*lines = list;
	return n;
}
