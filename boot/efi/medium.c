/* SPDX-License-Identifier: GPL-2.0-or-later
 * Whether what the loader came from can be written to. Firmware says so for a partition; of a CD over USB, which is what a remote
 * console mounts, OVMF says the contrary, and a write that fails leaves a volume there that cannot be read either. So the drive is
 * asked too. */
#include "boot/efi/uefi.h"

#include "base/string.h"

enum {
	CD_BLOCK = 2048, /* bytes; no other drive has these */
	PATH_BYTES = 512,
};

static EFI_GUID blocks_guid = EFI_BLOCK_IO_PROTOCOL_GUID;

static const EFI_BLOCK_IO_MEDIA *media_of(EFI_HANDLE device)
{
	EFI_BLOCK_IO_PROTOCOL *blocks;

	return EFI_ERROR(uefi.boot->HandleProtocol(device, &blocks_guid, (void **)&blocks)) ? NULL : blocks->Media;
}

/* The bytes of a partition's path before the node that says where on its drive it is; 0 if they make no sense. */
static size_t drive_path_bytes(EFI_DEVICE_PATH *partition)
{
	EFI_DEVICE_PATH *node = partition;
	size_t bytes = 0;

	while (!IsDevicePathEndType(node) && DevicePathType(node) != MEDIA_DEVICE_PATH) {
		size_t length = DevicePathNodeLength(node);

		bytes += length;
		if (length < sizeof(*node) || bytes > PATH_BYTES - sizeof(*node))
			return 0;
		node = NextDevicePathNode(node);
	}
	return bytes;
}

/* The media in the drive on which this is a partition; NULL if that cannot be found out. */
static const EFI_BLOCK_IO_MEDIA *media_of_drive(EFI_HANDLE device)
{
	static u8 path[PATH_BYTES];
	EFI_GUID guid = EFI_DEVICE_PATH_PROTOCOL_GUID;
	EFI_DEVICE_PATH *partition, *drive = (EFI_DEVICE_PATH *)path;
	EFI_HANDLE handle;
	size_t bytes;

	if (EFI_ERROR(uefi.boot->HandleProtocol(device, &guid, (void **)&partition)))
		return NULL;
	bytes = drive_path_bytes(partition);
	if (!bytes)
		return NULL;
	memcpy(path, partition, bytes);
	SetDevicePathEndNode((EFI_DEVICE_PATH *)(path + bytes));
	return EFI_ERROR(uefi.boot->LocateDevicePath(&blocks_guid, &drive, &handle)) ? NULL : media_of(handle);
}

bool medium_is_read_only(void)
{
	EFI_GUID guid = EFI_LOADED_IMAGE_PROTOCOL_GUID;
	const EFI_BLOCK_IO_MEDIA *media;
	EFI_LOADED_IMAGE *image;

	if (EFI_ERROR(uefi.boot->HandleProtocol(uefi.image, &guid, (void **)&image)))
		return false;
	media = media_of(image->DeviceHandle);
	if (media && media->ReadOnly)
		return true;
	media = media_of_drive(image->DeviceHandle);
	return media && media->BlockSize == CD_BLOCK;
}
