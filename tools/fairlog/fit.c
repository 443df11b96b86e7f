/* SPDX-License-Identifier: GPL-2.0-or-later
 * What is to be pasted elsewhere has no room for remarks, so a log with anything amiss is not shown. */
#include "tools/fairlog/fit.h"

#include "tools/fairlog/commands.h"
#include "tools/fairlog/log.h"

#include <errno.h>
#include <string.h>

static bool is_fit(const struct boot *boot)
{
	return boot_is_whole(boot) && boot->runs_failed == 0 && boot->record[RECORD_machine] &&
	       strcmp(record_get_string(boot->record[RECORD_end], FIELD_end_status), "ok") == 0;
}

int fit_show(
	const char *command, FILE *in, const char *file, unsigned only_boot, void (*show)(const char *file, const struct boot *))
{
	int boots, code = EXIT_UNREADABLE;
	struct boot *boot = log_read_boot(in, only_boot, &boots);
	char verdict[VERDICT_BYTES];

	if (boots < 0) {
		fprintf(stderr, "fairlog %s: cannot read %s: %s\n", command, file, strerror(errno));
	} else if (boots == 0) {
		fprintf(stderr, "fairlog %s: %s: incomplete: there is no record in it\n", command, file);
		code = EXIT_DAMAGED;
	} else if (!boot) {
		fprintf(stderr, "fairlog %s: --boot %u: expected a number from 1 to %d, the boots in %s\n", command, only_boot,
			boots, file);
	} else if (!is_fit(boot)) {
		fprintf(stderr, "fairlog %s: %s: %s\n", command, file, boot_verdict(boot, verdict));
		code = EXIT_DAMAGED;
	} else {
		show(file, boot);
		code = EXIT_WHOLE;
	}
	boot_free(boot);
	return code;
}
