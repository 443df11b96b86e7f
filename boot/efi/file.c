/* SPDX-License-Identifier: GPL-2.0-or-later
 * Files on the volume that the loader was started from. */
#include "boot/efi/uefi.h"

#include "base/string.h"

enum {
	PATH_MOST = 128,      /* characters */
	PIECE = 1 << 20,      /* bytes; some firmware fails on larger reads */
	FILE_MOST = 64 << 20, /* bytes; anything larger is no kernel */
};

static EFI_FILE_HANDLE root;

EFI_STATUS volume_open(void)
{
	EFI_GUID image_guid = EFI_LOADED_IMAGE_PROTOCOL_GUID, volume_guid = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;
	EFI_SIMPLE_FILE_SYSTEM_PROTOCOL *volume;
	EFI_LOADED_IMAGE *image;
	EFI_STATUS status = uefi.boot->HandleProtocol(uefi.image, &image_guid, (void **)&image);

	if (!EFI_ERROR(status))
		status = uefi.boot->HandleProtocol(image->DeviceHandle, &volume_guid, (void **)&volume);
	if (!EFI_ERROR(status))
		status = volume->OpenVolume(volume, &root);
	return status;
}

static EFI_STATUS file_open(const char *path, u64 mode, u64 attributes, EFI_FILE_HANDLE *file)
{
	CHAR16 wide[PATH_MOST + 1];
	unsigned n = 0;

	for (; path[n]; n++) {
		if (n == PATH_MOST)
			return EFI_NOT_FOUND;
		wide[n] = path[n] == '/' ? '\\' : (u8)path[n];
	}
	wide[n] = 0;
	return root->Open(root, file, wide, mode, attributes);
}

bool file_exists(const char *path)
{
	EFI_FILE_HANDLE file;

	if (EFI_ERROR(file_open(path, EFI_FILE_MODE_READ, 0, &file)))
		return false;
	file->Close(file);
	return true;
}

/* The end is where the position may be set to, and is told without a structure of unknown length. */
static EFI_STATUS file_bytes(EFI_FILE_HANDLE file, u64 *bytes)
{
	EFI_STATUS status = file->SetPosition(file, UINT64_MAX);

	if (!EFI_ERROR(status))
		status = file->GetPosition(file, bytes);
	if (!EFI_ERROR(status))
		status = file->SetPosition(file, 0);
	return status;
}

static EFI_STATUS read_pieces(EFI_FILE_HANDLE file, u8 *text, u64 bytes)
{
	for (u64 at = 0; at < bytes;) {
		UINTN piece = min_u64(bytes - at, PIECE);
		EFI_STATUS status = file->Read(file, &piece, text + at);

		if (EFI_ERROR(status))
			return status;
		if (!piece)
			return EFI_VOLUME_CORRUPTED;
		at += piece;
	}
	text[bytes] = '\0';
	return EFI_SUCCESS;
}

EFI_STATUS file_read(const char *path, u8 **text, u64 *bytes)
{
	EFI_FILE_HANDLE file;
	EFI_STATUS status = file_open(path, EFI_FILE_MODE_READ, 0, &file);

	if (EFI_ERROR(status))
		return status;
	*text = NULL;
	status = file_bytes(file, bytes);
	if (!EFI_ERROR(status) && *bytes <= FILE_MOST)
		*text = memory_take(*bytes + 1, EfiLoaderData);
	if (!EFI_ERROR(status))
		status = *text ? read_pieces(file, *text, *bytes) : EFI_OUT_OF_RESOURCES;
	file->Close(file);
	return status;
}

EFI_STATUS directory_make(const char *path)
{
	EFI_FILE_HANDLE directory;
	EFI_STATUS status =
		file_open(path, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | EFI_FILE_MODE_CREATE, EFI_FILE_DIRECTORY, &directory);

	if (!EFI_ERROR(status))
		directory->Close(directory);
	return status;
}

static EFI_STATUS write_pieces(EFI_FILE_HANDLE file, const char *text, u64 bytes)
{
	for (u64 at = 0; at < bytes;) {
		UINTN piece = min_u64(bytes - at, PIECE);
		EFI_STATUS status = file->Write(file, &piece, (void *)(text + at));

		if (EFI_ERROR(status))
			return status;
		if (!piece)
			return EFI_VOLUME_FULL;
		at += piece;
	}
	return file->Flush(file);
}

EFI_STATUS file_write(const char *path, const char *text, u64 bytes)
{
	EFI_FILE_HANDLE file;
	EFI_STATUS status = file_open(path, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | EFI_FILE_MODE_CREATE, 0, &file), closed;

	if (EFI_ERROR(status))
		return status;
	status = write_pieces(file, text, bytes);
	closed = file->Close(file);
	return EFI_ERROR(status) ? status : closed;
}
