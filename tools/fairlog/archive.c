/* SPDX-License-Identifier: GPL-2.0-or-later
 * Writes a .tar.gz. */
#define _GNU_SOURCE /* vasprintf */
#include "tools/fairlog/archive.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { BLOCK = 512 };

static gzFile archive;

static void fail(const char *what)
{
	fprintf(stderr, "fairlog export: %s: %s\n", what, strerror(errno ? errno : EIO));
	exit(2);
}

static void put(const void *data, size_t bytes)
{
	if (bytes > 0 && gzwrite(archive, data, (unsigned)bytes) != (int)bytes)
		fail("cannot write the archive");
}

static void fill_block(uint64_t bytes)
{
	static const char zeros[BLOCK];

	put(zeros, (BLOCK - bytes % BLOCK) % BLOCK);
}

/* One file's head; the sum counts its own field as blanks. */
struct head {
	char name[100], mode[8], owner[8], group[8], bytes[12], time[12], sum[8], kind, link[100], magic[6], version[2], rest[247];
};
_Static_assert(sizeof(struct head) == BLOCK, "as POSIX has it");

static void put_head(const char *name, uint64_t bytes)
{
	struct head head = { .mode = "0000644", .owner = "0000000", .group = "0000000", .time = "00000000000", .kind = '0' };
	unsigned sum = 0;

	memcpy(head.magic, "ustar", 6);
	memcpy(head.version, "00", 2);
	snprintf(head.name, sizeof head.name, "%s", name);
	snprintf(head.bytes, sizeof head.bytes, "%011" PRIo64, bytes & 077777777777);
	memset(head.sum, ' ', sizeof head.sum);
	for (size_t i = 0; i < sizeof head; i++)
		sum += ((const unsigned char *)&head)[i];
	snprintf(head.sum, sizeof head.sum - 1, "%06o", sum & 0777777);
	put(&head, sizeof head);
}

void archive_begin(void)
{
	int out;

	fflush(stdout);
	out = dup(STDOUT_FILENO);
	archive = out < 0 ? NULL : gzdopen(out, "wb");
	if (!archive)
		fail("cannot write the archive");
}

void archive_put(const char *name, const char *format, ...)
{
	char *content;
	int bytes;
	va_list args;

	va_start(args, format);
	bytes = vasprintf(&content, format, args);
	va_end(args);
	if (bytes < 0)
		fail("no memory for a file of the archive");
	put_head(name, (uint64_t)bytes);
	put(content, (size_t)bytes);
	fill_block((uint64_t)bytes);
	free(content);
}

void archive_put_stream(const char *name, FILE *stream)
{
	char chunk[65536];
	long bytes = ftell(stream);
	size_t count;

	if (bytes < 0)
		fail("cannot read a temporary file");
	put_head(name, (uint64_t)bytes);
	rewind(stream);
	while ((count = fread(chunk, 1, sizeof chunk, stream)) > 0)
		put(chunk, count);
	fill_block((uint64_t)bytes);
}

/* Two empty blocks. */
void archive_end(void)
{
	static const char zeros[2 * BLOCK];

	put(zeros, sizeof zeros);
	if (gzclose(archive) != Z_OK)
		fail("cannot write the archive");
}
