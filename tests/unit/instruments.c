/* SPDX-License-Identifier: GPL-2.0-or-later
 * Of the test machine: its counters, and what holds it still and certifies it. */
#include <stdio.h>

#include "tests/unit/machine.h"

/* ---- counters ---- */

struct hw_counts test_counts;
u32 test_wanted;
bool test_counting;

const char *machine_counters(void)
{
	return test_counts.supported ? "test" : "none";
}

const char *machine_counter_of(enum hw_event event)
{
	return test_counts.supported >> event & 1 ? "0x3c" : NULL;
}

void machine_counters_begin(u32 wanted)
{
	assert_false(test_counting || machine_irqs_off());
	test_counting = wanted;
	test_wanted = wanted;
}

void machine_counters_end(struct hw_counts *out)
{
	*out = test_counting ? test_counts : (struct hw_counts){ .supported = 0 };
	test_counting = false;
}

/* ---- holding still ---- */

unsigned test_holds, test_let_gos;
struct certificate test_certificate[TEST_CERTIFIED];
void (*test_on_certificate)(bool begin);

void machine_hold_still(const struct still_wish *wish)
{
	(void)wish;
	assert_false(machine_irqs_off());
	assert_int_equal(test_holds, test_let_gos);
	test_holds++;
}

void machine_let_go(void)
{
	test_let_gos++;
	assert_int_equal(test_holds, test_let_gos);
}

void machine_still(enum still_item item, struct still_note *note)
{
	static const char *const name[] = {
		[STILL_TURBO] = "turbo", [STILL_PSTATE] = "pstate", [STILL_CSTATE] = "cstate", [STILL_PREFETCH] = "prefetch"
	};

	snprintf(note->before, sizeof(note->before), "%s before", name[item]);
	snprintf(note->during, sizeof(note->during), "%s during", name[item]);
	snprintf(note->after, sizeof(note->after), "%s after", name[item]);
	snprintf(note->state, sizeof(note->state), "held");
}

void machine_certificate_begin(void)
{
	if (test_on_certificate)
		test_on_certificate(true);
}

void machine_certificate_end(void)
{
	if (test_on_certificate)
		test_on_certificate(false);
}

void machine_certificate(unsigned cpu, struct certificate *out)
{
	*out = cpu < TEST_CERTIFIED ? test_certificate[cpu] : (struct certificate){ .known = 0 };
}
