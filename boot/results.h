/* SPDX-License-Identifier: GPL-2.0-or-later
 * The place in memory where results wait for the next boot: a contract between the kernel, which writes text there, and our UEFI
 * loader, which finds it after a warm reset and makes a file of it.
 *
 * Where: RESULTS_BYTES at RESULTS_ADDR, or at the address of `results=` in fairmetal.cfg. The loader takes it from the firmware as
 * reserved memory and hands it over as a multiboot2 module with the name RESULTS_MODULE; bootinfo.results has it. No such module,
 * no such place.
 *
 * The kernel fills magic and version once, then text; extent last, by one aligned 64-bit store, so that a reset at any instant
 * finds the old extent or the new one, both true of the text before them: text that an extent covers is never changed, only added
 * to. What is written is to be flushed from the caches (CLFLUSH of the lines, text before header, with a fence): a reset does not
 * write them back.
 *
 * The loader clears magic once the file is safe; it makes no file of a length of 0.
 */
#ifndef BOOT_RESULTS_H
#define BOOT_RESULTS_H

#include "base/types.h"

/* 32 MiB: above what firmware is known to build itself in (OVMF up to 24 MiB), below its heap at the top of a small machine's
 * memory. */
#define RESULTS_ADDR   0x2000000ull
#define RESULTS_BYTES  0x100000ull
#define RESULTS_MAGIC  0x31544c5553455246ull /* "FRESULT1" */
#define RESULTS_MODULE "fairmetal-results"

enum { RESULTS_VERSION = 1 };

struct results {
	u64 magic;
	u32 version;
	u32 reserved; /* 0 */
	u64 extent;   /* low half: bytes of text; high half: crc32() of them */
	char text[];
};
static_assert(sizeof(struct results) == 24, "both sides are built by themselves");

#define RESULTS_TEXT_MOST (RESULTS_BYTES - sizeof(struct results))

/* The value of `extent` for so much text. */
u64 results_extent(const char *text, u32 bytes);

/* The bytes of text of a sound area; 0 when there is none, it is damaged or empty. */
u32 results_bytes(const struct results *results);

#endif
