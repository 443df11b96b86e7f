/* SPDX-License-Identifier: GPL-2.0-or-later
 * Memory from the firmware, whole pages only. Nothing is given back: all of it is the kernel's soon. */
#include "boot/efi/uefi.h"

enum { MAP_SLACK = 64 }; /* entries; taking memory for the map makes some, and after a refused exit no more can be taken */

static u64 pages_of(u64 bytes)
{
	return (bytes + UEFI_PAGE - 1) / UEFI_PAGE;
}

void *memory_take(u64 bytes, EFI_MEMORY_TYPE type)
{
	EFI_PHYSICAL_ADDRESS start = UINT32_MAX;

	if (EFI_ERROR(uefi.boot->AllocatePages(AllocateMaxAddress, type, pages_of(bytes), &start)))
		return NULL;
	return (void *)start;
}

EFI_STATUS memory_take_at(u64 start, u64 bytes, EFI_MEMORY_TYPE type)
{
	return uefi.boot->AllocatePages(AllocateAddress, type, pages_of(bytes), &start);
}

bool memory_map_prepare(struct memory_map *map, u64 *size)
{
	UINTN bytes = 0, key, stride = 0;
	UINT32 version;

	if (uefi.boot->GetMemoryMap(&bytes, NULL, &key, &stride, &version) != EFI_BUFFER_TOO_SMALL || !stride)
		return false;
	*size = bytes + MAP_SLACK * stride;
	*map = (struct memory_map){ .entries = memory_take(*size, EfiLoaderData), .stride = stride };
	return map->entries;
}

EFI_STATUS memory_map_read(struct memory_map *map, u64 size, UINTN *key)
{
	UINTN bytes = size, stride;
	UINT32 version;
	EFI_STATUS status = uefi.boot->GetMemoryMap(&bytes, (void *)map->entries, key, &stride, &version);

	map->bytes = bytes;
	map->stride = stride;
	return status;
}
