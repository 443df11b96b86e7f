/* SPDX-License-Identifier: GPL-2.0-or-later
 * Any text is a command line: it is understood, and then all of its variants have names, or it is refused with one
 * line that says why. */
#include <stdio.h>

#include "tests/unit/machine.h"

#include "base/mem.h"
#include "base/text.h"
#include "lab/lab.h"

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t count);

static void expect(bool is_so)
{
	if (!is_so)
		abort();
}

static void parse(const char *cmdline)
{
	static struct plan plan;
	char name[TEXT_BYTES];

	memset(&plan, 0, sizeof(plan));
	if (plan_parse(&plan, cmdline)) {
		expect(*plan.error && memchr(plan.error, '\0', sizeof(plan.error)));
		expect(!strchr(plan.error, '\n') || strchr(cmdline, '\n')); /* it quotes what it does not understand */
		return;
	}
	expect(plan.nr_variants >= 1 && plan.nr_variants <= MAX_VARIANTS);
	for (unsigned i = 0; i < plan.nr_variants; i++) {
		plan_variant_name(&plan, i, name, sizeof(name));
		expect(*name && memchr(name, '\0', sizeof(name)));
	}
}

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t count)
{
	static bool started;
	char *cmdline = malloc(count + 1);

	if (!started)
		test_machine(2, 2, 2, 1);
	started = true;
	expect(cmdline);
	memcpy(cmdline, bytes, count);
	cmdline[count] = '\0';
	parse(cmdline);
	free(cmdline);
	return 0;
}
