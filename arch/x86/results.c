/* SPDX-License-Identifier: GPL-2.0-or-later
 * Writing so that a reset at any instant finds something true. */
#include "arch/x86/results.h"

#include "arch/machine.h"
#include "arch/x86/console.h"
#include "arch/x86/x86.h"
#include "base/crc32.h"
#include "base/mem.h"
#include "base/string.h"
#include "base/text.h"
#include "boot/results.h"

/* What was said while a run was measured, 64 KiB, and the report of a fault for people and as a record, some 40 KiB. */
enum { LAST_WORDS_BYTES = 128 * 1024 };

static const char full[] = "\n[No more room: what follows is not kept, but for the report of a fault]\n";

static struct {
	struct results *place; /* NULL: nowhere */
	u32 used, most;
	u32 crc;
	bool begun, full, repeats;
} kept;

/* ---- the place ---- */

static bool is_free(const struct memmap *map, u64 start, u64 end)
{
	for (unsigned i = 0; i < map->nr; i++)
		if (map->range[i].start <= start && end <= map->range[i].end)
			return true;
	return false;
}

void results_claim(const struct bootinfo *info, struct memmap *map)
{
	const struct mem_range *given = &info->results;

	if (given->end - given->start == RESULTS_BYTES) {
		kept.place = (struct results *)given->start;
	} else if (is_free(map, RESULTS_ADDR, RESULTS_ADDR + RESULTS_BYTES)) {
		kept.place = (struct results *)RESULTS_ADDR;
		memmap_reserve(map, RESULTS_ADDR, RESULTS_ADDR + RESULTS_BYTES);
	}
}

/* ---- writing ---- */

/* A reset does not write caches back. */
static void write_back(const void *start, size_t bytes)
{
	u64 end = (u64)start + bytes;

	for (u64 line = (u64)start & ~(u64)(CACHE_LINE - 1); line < end; line += CACHE_LINE)
		__asm__ volatile("clflush (%0)" ::"r"(line) : "memory");
	__asm__ volatile("mfence" ::: "memory");
}

static void set_extent(void)
{
	STORE_RELEASE(kept.place->extent, (u64)kept.crc << 32 | kept.used);
	write_back(kept.place, sizeof(*kept.place));
}

static void append(const char *text, size_t bytes)
{
	char *to = kept.place->text + kept.used;

	memcpy(to, text, bytes);
	write_back(to, bytes);
	kept.crc = crc32_more(kept.crc, text, bytes);
	kept.used += (u32)bytes;
	set_extent();
}

void results_keep(const char *text, size_t bytes)
{
	if (!kept.begun || kept.full || kept.repeats)
		return;
	if (bytes <= kept.most - kept.used) {
		append(text, bytes);
	} else {
		kept.full = true;
		append(full, sizeof(full) - 1); /* kept.most leaves room for it */
	}
}

void results_last_words(void)
{
	kept.most = RESULTS_TEXT_MOST - sizeof(full);
	kept.full = kept.repeats = false;
}

void machine_console_repeats(bool so)
{
	kept.repeats = so;
}

/* ---- a new boot ---- */

static void begin(void)
{
	kept.most = RESULTS_TEXT_MOST - LAST_WORDS_BYTES;
	set_extent();
	kept.place->version = RESULTS_VERSION;
	kept.place->reserved = 0;
	kept.place->magic = RESULTS_MAGIC;
	write_back(kept.place, sizeof(*kept.place));
	kept.begun = true;
}

/* Past results_keep(): it is not of this boot. */
static void write_old(const char *text, u32 bytes)
{
	static const char end[] = "== End of the log of the boot before\n";
	char head[80];

	console_write(head, (size_t)text_format(head, sizeof(head),
				    "== The log of the boot before, which survived in memory: %u bytes\n", bytes));
	console_write(text, bytes);
	console_write("\n", text[bytes - 1] != '\n');
	console_write(end, sizeof(end) - 1);
}

void results_recall(void)
{
	u32 bytes;
	char *old;

	if (!kept.place)
		return;
	bytes = results_bytes(kept.place);
	old = bytes ? mem_alloc_forever(bytes) : NULL;
	if (old)
		memcpy(old, kept.place->text, bytes);
	begin();
	if (old)
		write_old(old, bytes);
}
