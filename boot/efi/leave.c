/* SPDX-License-Identifier: GPL-2.0-or-later
 * The last steps: the place for the image, the end of the firmware, the jump. */
#include "boot/efi/leave.h"

#include "base/string.h"
#include "boot/efi/uefi.h"

enum { TRIES = 8 }; /* an interrupt between reading the map and leaving may change it, seldom twice */

extern const u8 enter_kernel[], enter_kernel_end[];
typedef void enter_kernel_fn(u64 entry, u64 info, u64 to, u64 from, u64 bytes);

/* Taken as a loader's now, or somebody's who will be gone when the image is copied there. */
bool leave_is_possible(struct departure *departure)
{
	u64 start = departure->image.start, end = departure->image.end;
	struct memory_entry blocker;
	UINTN key;

	if (!EFI_ERROR(memory_take_at(start, end - start, EfiLoaderData)))
		return true;
	if (EFI_ERROR(memory_map_read(&departure->map, departure->map_size, &key)))
		return fail("the firmware does not tell its memory map");
	if (memory_range_is(&departure->map, start, end, memory_is_ours_later, &blocker)) {
		print("0x%lx to 0x%lx is the firmware's until it ends; the kernel follows it there\n", start, end);
		return true;
	}
	return fail("the kernel wants 0x%lx to 0x%lx, but 0x%lx belongs to %s", start, end, blocker.start,
		memory_type_name(blocker.type));
}

/* Between the two calls nothing may be taken or said: either changes the map. */
static EFI_STATUS end_firmware(struct departure *departure)
{
	EFI_STATUS status = EFI_INVALID_PARAMETER;

	for (unsigned try = 0; try < TRIES && status == EFI_INVALID_PARAMETER; try++) {
		UINTN key;

		status = memory_map_read(&departure->map, departure->map_size, &key);
		if (EFI_ERROR(status))
			return status;
		if (!mb2_finish(&departure->mb2, &departure->map))
			return EFI_BUFFER_TOO_SMALL;
		status = uefi.boot->ExitBootServices(uefi.image, key);
	}
	return status;
}

bool leave(struct departure *departure)
{
	const struct elf_image *image = &departure->image;
	EFI_STATUS status;

	memcpy(departure->page, enter_kernel, (size_t)(enter_kernel_end - enter_kernel));
	status = end_firmware(departure);
	if (EFI_ERROR(status))
		return fail("the firmware does not hand over the machine: %s", status_text(status));
	((enter_kernel_fn *)departure->page)(
		image->entry, (u64)departure->mb2.block, image->start, (u64)departure->staged, image->end - image->start);
	__builtin_unreachable();
}
