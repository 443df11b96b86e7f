/* SPDX-License-Identifier: GPL-2.0-or-later
 * A kernel has no driver for the stick, the firmware has: results that outlive a reset in memory become files here. */
#include "boot/efi/save.h"

#include "base/text.h"
#include "boot/efi/uefi.h"
#include "boot/results.h"

enum { FILES_MOST = 9999, SECONDS_TO_READ = 20 };

static bool next_name(char *name, size_t size)
{
	for (unsigned i = 1; i <= FILES_MOST; i++) {
		text_format(name, size, "/fairmetal/log-%04u.txt", i);
		if (!file_exists(name))
			return true;
	}
	return false;
}

static EFI_STATUS write_results(const struct results *results, char *name, size_t size)
{
	EFI_STATUS status = medium_is_read_only() ? EFI_WRITE_PROTECTED : directory_make("/fairmetal");

	if (EFI_ERROR(status))
		return status;
	return next_name(name, size) ? file_write(name, results->text, results_bytes(results)) : EFI_VOLUME_FULL;
}

/* Whoever could still save them with a camera or another stick is given the time. */
static void save_results(struct results *results)
{
	char name[32] = "/fairmetal";
	EFI_STATUS status = write_results(results, name, sizeof(name));
	EFI_INPUT_KEY key;

	if (EFI_ERROR(status)) {
		print("Results of the boot before (%u bytes) could not be written to %s: %s\n", results_bytes(results), name,
			status_text(status));
		print("Starting will overwrite them. Any key goes on, or %u s\n", SECONDS_TO_READ);
		wait_key(SECONDS_TO_READ, &key);
		return;
	}
	print("Results of the boot before: %u bytes, now in %s\n", results_bytes(results), name);
	results->magic = 0;
}

static bool place_is_free(u64 results)
{
	struct memory_entry blocker;
	struct memory_map map;
	UINTN key;
	u64 size;

	if (!memory_map_prepare(&map, &size) || EFI_ERROR(memory_map_read(&map, size, &key)))
		return false;
	if (memory_range_is(&map, results, results + RESULTS_BYTES, memory_is_free, &blocker))
		return true;
	print("No place for results to survive a reset: 0x%lx belongs to %s\n", blocker.start, memory_type_name(blocker.type));
	return false;
}

/* Read before taken: firmware may fill what it gives. */
bool results_keep(u64 results)
{
	if (!results || !place_is_free(results))
		return false;
	if (medium_is_read_only())
		print("Results cannot be saved: this medium is read-only, as a CD is. What the console shows is all there will be.\n");
	if (results_bytes((struct results *)results))
		save_results((struct results *)results);
	return !EFI_ERROR(memory_take_at(results, RESULTS_BYTES, EfiReservedMemoryType));
}
