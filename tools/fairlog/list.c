/* SPDX-License-Identifier: GPL-2.0-or-later
 * fairlog list: what a log is of, on one line, for scripts: state, machine, build and command line with a tab between them. */
#include "tools/fairlog/commands.h"

#include "tools/fairlog/log.h"

#include <errno.h>
#include <string.h>

static const char *state_of(const struct boot *boot)
{
	if (!boot_is_whole(boot))
		return "damaged";
	return record_get_string(boot->record[RECORD_end], FIELD_end_status);
}

int command_list(FILE *in, const char *file, unsigned only_boot)
{
	int boots;
	struct boot *boot = log_read_boot(in, only_boot, &boots);
	const json_t *record = boot ? boot->record[RECORD_boot] : NULL;
	int code = boot && boot_is_whole(boot) ? EXIT_WHOLE : EXIT_DAMAGED;

	if (boots < 0) {
		fprintf(stderr, "fairlog list: cannot read %s: %s\n", file, strerror(errno));
		return EXIT_UNREADABLE;
	}
	if (record)
		printf("%s\t%s\t%s\t%s\t%s\n", file, state_of(boot), record_get_string(record, FIELD_boot_machine),
			record_get_string(record, FIELD_boot_build), record_get_string(record, FIELD_boot_cmdline));
	else
		printf("%s\tdamaged\t\t\t\n", file);
	boot_free(boot);
	return code;
}
