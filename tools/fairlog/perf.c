/* SPDX-License-Identifier: GPL-2.0-or-later
 * fairlog perf: the runs as perf stat -r would have shown them. */
#include "tools/fairlog/commands.h"

#include "tools/fairlog/fit.h"
#include "tools/fairlog/group.h"
#include "tools/fairlog/head.h"
#include "tools/fairlog/page.h"
#include "tools/fairlog/perfstat.h"

static void show(const char *file, const struct boot *boot)
{
	struct groups groups = groups_make(boot);
	char note[NOTE_BYTES];

	(void)file;
	for (size_t i = 0; i < groups.count; i++)
		perfstat_print_group(&groups.group[i]);
	if (*head_note(boot, note))
		print_wrapped("Note: ", note);
	groups_free(&groups);
}

int command_perf(FILE *in, const char *file, unsigned only_boot)
{
	return fit_show("perf", in, file, only_boot, show);
}
