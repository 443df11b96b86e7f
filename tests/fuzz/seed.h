/* SPDX-License-Identifier: GPL-2.0-or-later
 * Writing memory as tests/fuzz/image.h has it. */
#ifndef TESTS_FUZZ_SEED_H
#define TESTS_FUZZ_SEED_H

#include <stdio.h>
#include <stdlib.h>

#include "base/types.h"

static inline FILE *seed_begin(const char *folder, const char *name)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "wb");
	if (!file) {
		perror(path);
		exit(1);
	}
	return file;
}

static inline void seed_piece(FILE *file, u64 phys, const void *bytes, u16 count)
{
	fwrite(&phys, sizeof(phys), 1, file);
	fwrite(&count, sizeof(count), 1, file);
	fwrite(bytes, 1, count, file);
}

#endif
