/* SPDX-License-Identifier: GPL-2.0-or-later
 * fairlog check: says what is lost or damaged, and a verdict. */
#include "tools/fairlog/commands.h"

#include "tools/fairlog/log.h"

#include <errno.h>
#include <string.h>

struct check {
	const char *file;
	unsigned only_boot;
	unsigned judged, whole;
	unsigned verdict_boot; /* the one that the verdict is about */
	char verdict[VERDICT_BYTES];
};

static void print_problem(void *context, unsigned boot, unsigned long line, const char *text)
{
	const struct check *check = context;

	if (check->only_boot == 0 || check->only_boot == boot)
		printf("line %lu: %s\n", line, text);
}

static void print_verdict(const struct check *check)
{
	printf("%s: boot %u: %s\n", check->file, check->verdict_boot, check->verdict);
}

/* Each verdict is held back until it is known whether there are others. */
static void judge_boot(void *context, struct boot *boot)
{
	struct check *check = context;

	if (check->only_boot == 0 || check->only_boot == boot->number) {
		if (check->judged > 0)
			print_verdict(check);
		check->judged++;
		check->whole += boot_is_whole(boot);
		check->verdict_boot = boot->number;
		boot_verdict(boot, check->verdict);
	}
	boot_free(boot);
}

int command_check(FILE *in, const char *file, unsigned only_boot)
{
	struct check check = { .file = file, .only_boot = only_boot };
	struct log_reader reader = { .context = &check, .say = print_problem, .boot_done = judge_boot };
	int boots = log_read(in, &reader);

	if (boots < 0) {
		fprintf(stderr, "fairlog check: cannot read %s: %s\n", file, strerror(errno));
		return EXIT_UNREADABLE;
	}
	if (boots == 0) {
		printf("%s: incomplete: there is no record in it\n", file);
		return EXIT_DAMAGED;
	}
	if (check.judged == 0) {
		fprintf(stderr, "fairlog check: --boot %u: expected a number from 1 to %d, the boots in %s\n", only_boot, boots,
			file);
		return EXIT_UNREADABLE;
	}
	if (boots == 1) {
		printf("%s: %s\n", file, check.verdict);
	} else {
		print_verdict(&check);
		if (only_boot == 0)
			printf("%s: %s: %u of %d boots are whole\n", file, check.whole == check.judged ? "whole" : "damaged",
				check.whole, boots);
	}
	return check.whole == check.judged ? EXIT_WHOLE : EXIT_DAMAGED;
}
