/* SPDX-License-Identifier: GPL-2.0-or-later
 * The loader's view of the firmware: console, files, memory. Until leave.c has called ExitBootServices. */
#ifndef BOOT_EFI_UEFI_H
#define BOOT_EFI_UEFI_H

#include <efi.h>

#include "base/types.h"
#include "boot/efi/memory_map.h"

/* What the firmware gave; set once, by efi_main(). */
struct uefi {
	EFI_HANDLE image;
	EFI_SYSTEM_TABLE *table;
	EFI_BOOT_SERVICES *boot;
};
extern struct uefi uefi;

/* ---- console.c ---- */

void print(const char *fmt, ...) printf_like(1, 2);
/* print() as the reason for giving up. Returns false. */
bool fail(const char *fmt, ...) printf_like(1, 2);
/* What a status means, in a few words. */
const char *status_text(EFI_STATUS status);
/* Waits for a key up to so many seconds. Returns whether there was one. */
bool wait_key(unsigned seconds, EFI_INPUT_KEY *key);

/* ---- file.c: paths with / from the root of the volume that the loader came from ---- */

EFI_STATUS volume_open(void);
/* Reads a whole file into memory of its own, at the start of a page, with a NUL after it. */
EFI_STATUS file_read(const char *path, u8 **text, u64 *bytes);
bool file_exists(const char *path);
EFI_STATUS directory_make(const char *path);
/* Writes a new file down to the medium. */
EFI_STATUS file_write(const char *path, const char *text, u64 bytes);

/* ---- medium.c ---- */

/* Known without trying; false if nobody knows. */
bool medium_is_read_only(void);

/* ---- memory.c ---- */

/* Whole pages at the highest free place below 4 GiB, where code without paging can reach; NULL if there are none. */
void *memory_take(u64 bytes, EFI_MEMORY_TYPE type);
/* These very pages. */
EFI_STATUS memory_take_at(u64 start, u64 bytes, EFI_MEMORY_TYPE type);
/* A buffer for the map with room for what it may grow by. */
bool memory_map_prepare(struct memory_map *map, u64 *size);
/* Reads the map into that buffer; no memory is taken, so that *key stays good. */
EFI_STATUS memory_map_read(struct memory_map *map, u64 size, UINTN *key);

#endif
