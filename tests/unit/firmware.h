/* SPDX-License-Identifier: GPL-2.0-or-later
 * Memory with ACPI tables in it, for tests of the decoders. phys_map hands out copies of exactly the bytes asked for, so that
 * AddressSanitizer sees every byte read beyond them; a miss there is a read of memory the kernel has not mapped. */
#ifndef TESTS_UNIT_FIRMWARE_H
#define TESTS_UNIT_FIRMWARE_H

#include "tests/unit/tables.h"

#include "arch/x86/acpi.h"
#include "base/text.h"

/* Everything said since the last clear_memory. */
static char said[65536];
static size_t said_bytes;

void say(const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(said + said_bytes, sizeof(said) - said_bytes, fmt, args);
	va_end(args);
	said_bytes = min_u64(said_bytes + (u64)n, sizeof(said) - 1);
}

static inline bool was_said(const char *part)
{
	return strstr(said, part);
}

static inline unsigned lines_said(void)
{
	unsigned lines = 0;

	for (const char *at = said; *at; at++)
		lines += *at == '\n';
	return lines;
}

/* --- physical memory: the tables, the rest does not exist --- */

enum { MOST_MAPPINGS = 2048 };

static void *mapping[MOST_MAPPINGS];
static unsigned nr_mappings;
static struct acpi_info info;

static inline void unmap_all(void)
{
	while (nr_mappings)
		free(mapping[--nr_mappings]);
}

const void *phys_map(u64 phys, u64 bytes)
{
	for (unsigned i = 0; i < nr_tables; i++) {
		const struct test_table *t = &memory[i];

		if (phys < t->phys || phys - t->phys > t->size || bytes > t->size - (phys - t->phys))
			continue;
		assert_true(nr_mappings < MOST_MAPPINGS);
		mapping[nr_mappings] = malloc(bytes);
		memcpy(mapping[nr_mappings], t->bytes + (phys - t->phys), bytes);
		return mapping[nr_mappings++];
	}
	return NULL;
}

static inline void clear_memory(void)
{
	nr_tables = 0;
	said_bytes = 0;
	said[0] = '\0';
}

static inline int parse(void)
{
	int err = acpi_parse_at(RSDP_AT, &info);

	unmap_all();
	return err;
}

/* Wraps what was built in an XSDT and reads it. */
static inline int finish(void)
{
	put_root("XSDT", XSDT_AT, 8);
	put_rsdp(2, 0, XSDT_AT);
	return parse();
}

#endif
