/* SPDX-License-Identifier: GPL-2.0-or-later
 * BOOTX64.EFI: loads the kernel that fairmetal.cfg names, as a multiboot2 loader, and puts results of the boot before into a file.
 */
#include "base/string.h"
#include "boot/efi/config.h"
#include "boot/efi/firmware.h"
#include "boot/efi/leave.h"
#include "boot/efi/menu.h"
#include "boot/efi/save.h"
#include "boot/efi/uefi.h"
#include "boot/results.h"

enum { SECONDS_TO_READ = 60 };

struct uefi uefi;

static const char config_path[] = "/fairmetal.cfg";
static const char loader_name[] = "Fairmetal's UEFI loader";

/* Not on the firmware's stack, of which there may be little. */
static struct config config;
static struct departure departure;

static bool read_config(void)
{
	struct config_error error;
	u64 bytes;
	u8 *text;
	EFI_STATUS status = file_read(config_path, &text, &bytes);

	if (EFI_ERROR(status))
		return fail("%s: %s", config_path, status_text(status));
	if (bytes >= 2 && (text[0] == 0xff || text[0] == 0xfe))
		return fail("%s is UTF-16: save it as plain text or UTF-8", config_path);
	if (config_parse((char *)text, &config, &error))
		return true;
	if (!error.line)
		return fail("%s: %s", config_path, error.why);
	return fail("%s, line %u: %s", config_path, error.line, error.why);
}

static bool load_kernel(const char *path)
{
	const char *wrong;
	u8 *file, *staged;
	u64 bytes;
	EFI_STATUS status = file_read(path, &file, &bytes);

	if (EFI_ERROR(status))
		return fail("%s: %s", path, status_text(status));
	wrong = elf_check(file, bytes, &departure.image);
	if (wrong)
		return fail("%s: %s", path, wrong);
	staged = memory_take(departure.image.end - departure.image.start, EfiLoaderData);
	if (!staged)
		return fail("%s: not enough memory", path);
	elf_unpack(file, &departure.image, staged);
	departure.staged = staged;
	return true;
}

static bool take_memory(const char *cmdline)
{
	u64 size;
	void *block;

	if (!memory_map_prepare(&departure.map, &departure.map_size))
		return fail("the firmware does not tell its memory map");
	size = mb2_size(strlen(cmdline) + sizeof(loader_name) + sizeof(RESULTS_MODULE), departure.map_size / departure.map.stride);
	block = memory_take(size, EfiLoaderData);
	departure.page = memory_take(UEFI_PAGE, EfiLoaderCode);
	if (!block || !departure.page)
		return fail("not enough memory");
	mb2_begin(&departure.mb2, block, (u32)size);
	return true;
}

static void collect_information(const char *cmdline, bool keeps_results)
{
	struct mb2_screen screen;
	bool acpi2;
	const void *rsdp = firmware_rsdp(&acpi2);

	mb2_cmdline(&departure.mb2, cmdline);
	mb2_loader(&departure.mb2, loader_name);
	mb2_efi_table(&departure.mb2, (u64)uefi.table);
	if (rsdp)
		mb2_rsdp(&departure.mb2, rsdp, acpi2);
	if (firmware_screen(&screen))
		mb2_screen(&departure.mb2, &screen);
	if (keeps_results)
		mb2_module(&departure.mb2, (u32)config.results, (u32)(config.results + RESULTS_BYTES), RESULTS_MODULE);
}

/* Returns only if it could not. */
static bool boot(void)
{
	const struct config_entry *entry;
	EFI_STATUS status;
	bool keeps_results;

	if (firmware_secure_boot())
		print("Secure Boot is on; nothing here is signed. Turn it off in the firmware's setup if starting fails.\n");
	status = volume_open();
	if (EFI_ERROR(status))
		return fail("no files where the loader came from: %s", status_text(status));
	if (!read_config())
		return false;
	keeps_results = results_keep(config.results);
	entry = &config.entry[menu_choose(&config)];
	print("Starting %s %s\n", entry->kernel, entry->cmdline);
	if (!load_kernel(entry->kernel) || !take_memory(entry->cmdline))
		return false;
	collect_information(entry->cmdline, keeps_results);
	return leave_is_possible(&departure) && leave(&departure);
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *table)
{
	EFI_INPUT_KEY key;

	uefi = (struct uefi){ image, table, table->BootServices };
	uefi.boot->SetWatchdogTimer(0, 0, 0, NULL);
	print("\n%s, %s\n", loader_name, FAIRMETAL_VERSION);
	boot();
	print("Any key returns to the firmware, or %u s\n", SECONDS_TO_READ);
	wait_key(SECONDS_TO_READ, &key);
	return EFI_LOAD_ERROR;
}
