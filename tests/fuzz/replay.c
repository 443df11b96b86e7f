/* SPDX-License-Identifier: GPL-2.0-or-later
 * A fuzz target over files that are there, without a fuzzer and with any compiler:
 *
 *     build/test/replay-TARGET FOLDER...
 *
 * Prints TAP, one test for each folder. A file that brings the target down is the one named last. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static int replay_file(const char *folder, const char *name)
{
	static uint8_t bytes[1 << 20];
	char path[4096];
	FILE *file;
	size_t count;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	file = fopen(path, "rb");
	if (!file)
		return 0;
	printf("# %s\n", path);
	fflush(stdout);
	count = fread(bytes, 1, sizeof bytes, file);
	fclose(file);
	LLVMFuzzerTestOneInput(bytes, count);
	return 1;
}

/* Returns how many files there were. */
static int replay_folder(const char *folder)
{
	DIR *directory = opendir(folder);
	struct dirent *entry;
	int files = 0;

	while (directory && (entry = readdir(directory)))
		if (entry->d_name[0] != '.')
			files += replay_file(folder, entry->d_name);
	if (directory)
		closedir(directory);
	return files;
}

int main(int argc, char **argv)
{
	int empty = 0;

	for (int i = 1; i < argc; i++) {
		int files = replay_folder(argv[i]);

		printf("%sok %d - %s: %d files\n", files ? "" : "not ", i, argv[i], files);
		empty += files == 0;
	}
	printf("1..%d\n", argc - 1);
	return empty != 0;
}
