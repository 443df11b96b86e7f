/* SPDX-License-Identifier: GPL-2.0-or-later
 * Reading what a multiboot2 loader or a PVH hypervisor left in memory, and believing none of its sizes. */
#include "arch/x86/bootinfo.h"

#include "arch/x86/oddity.h"
#include "arch/x86/phys.h"
#include "base/string.h"
#include "base/text.h"
#include "boot/results.h"

enum {
	MOST_BLOCK_BYTES = 4 << 20, /* a server's block with its EFI map and section headers is some 30 KiB */
	MOST_PVH_ENTRIES = 4096,    /* map entries or modules; more is damage */
	MOST_PIXELS = 16384,	    /* a side of a screen */
	MOST_PITCH = 1 << 20,	    /* bytes */
};

/* Multiboot2 tag types. */
enum {
	TAG_END = 0,
	TAG_CMDLINE = 1,
	TAG_LOADER = 2,
	TAG_MODULE = 3,
	TAG_MEMORY_MAP = 6,
	TAG_FRAMEBUFFER = 8,
	TAG_EFI32_TABLE = 11,
	TAG_EFI64_TABLE = 12,
	TAG_RSDP_OLD = 14,
	TAG_RSDP_NEW = 15,
	TAG_EFI_MAP = 17,
	TAG_EFI_SERVICES_LIVE = 18,
	TAG_EFI32_HANDLE = 19,
	TAG_EFI64_HANDLE = 20,
};

enum {
	TAG_HEADER = 8,	      /* type, size */
	MAP_ENTRY_BYTES = 20, /* the fields used of an entry: base, length, type */
	MEMORY_USABLE = 1,    /* every other type, known or not, is somebody else's */
	PVH_V0_BYTES = 40,    /* hvm_start_info before it had a memory map */
	PVH_V1_BYTES = 56,
	PVH_MAP_ENTRY = 24,
	PVH_MODULE_ENTRY = 32,
};

/* Shorter tags of these types are not read; 0: any size will do. */
static const u8 least_tag_bytes[] = {
	[TAG_MODULE] = 16,
	[TAG_MEMORY_MAP] = 16,
	[TAG_FRAMEBUFFER] = 30,
	[TAG_RSDP_OLD] = TAG_HEADER + RSDP_BYTES_V1,
	[TAG_RSDP_NEW] = TAG_HEADER + RSDP_BYTES_V2,
};

#define warn(bi, ...) (oddity_is_told(&(bi)->oddities, "boot") ? say("boot: " __VA_ARGS__) : (void)0)

static const char rsdp_signature[] = "RSD PTR ";

/* Copies a string that ends with a NUL or after `bytes` bytes. Returns whether it had to be cut. */
static bool copy_string(char *dst, size_t size, const u8 *src, size_t bytes)
{
	size_t n = 0;

	while (n < bytes && n < size - 1 && src[n])
		n++;
	memcpy(dst, src, n);
	dst[n] = '\0';
	return n < bytes && src[n];
}

/* A full table may forget usable memory, but not that memory is reserved: that is cut out of what the table holds. */
static void range_overflow(struct bootinfo *bi, const struct raw_range *range)
{
	warn(bi, "more than %u memory map entries, 0x%lx to 0x%lx is left out\n", BOOT_RANGES, range->start, range->end);
	if (range->usable)
		return;
	for (unsigned i = 0; i < bi->nr_ranges; i++) {
		struct raw_range *r = &bi->range[i];

		if (r->usable && r->start < range->end && range->start < r->end)
			r->end = max_u64(r->start, range->start);
	}
}

static void add_range(struct bootinfo *bi, u64 start, u64 end, bool usable)
{
	struct raw_range range = { start, end, usable };
	struct raw_range *last = bi->nr_ranges ? &bi->range[bi->nr_ranges - 1] : NULL;

	if (start >= end)
		return;
	/* EFI maps come in hundreds of small neighbours. Once the table is full, usable memory grows no more: it might over
	 * reserved memory that found no place. */
	if (last && last->usable == usable && last->end == start && !(usable && bi->nr_ranges == BOOT_RANGES))
		last->end = end;
	else if (bi->nr_ranges == BOOT_RANGES)
		range_overflow(bi, &range);
	else
		bi->range[bi->nr_ranges++] = range;
}

static void add_module(struct bootinfo *bi, u64 start, u64 end)
{
	if (start >= end)
		return;
	add_range(bi, start, end, false);
	if (bi->nr_modules == BOOT_MODULES) {
		warn(bi, "more than %u modules, the one at 0x%lx is not listed\n", BOOT_MODULES, start);
		return;
	}
	bi->module[bi->nr_modules++] = (struct mem_range){ start, end };
}

/* A module's name stands behind its two addresses. */
static void take_module(struct bootinfo *bi, const u8 *tag, u32 size)
{
	u64 start = read_u32(tag + 8), end = read_u32(tag + 12);
	char name[sizeof(RESULTS_MODULE)];

	if (copy_string(name, sizeof(name), tag + 16, size - 16) || strcmp(name, RESULTS_MODULE)) {
		add_module(bi, start, end);
		return;
	}
	add_range(bi, start, end, false);
	bi->results = (struct mem_range){ start, max_u64(start, end) };
}

static bool has_usable(const struct bootinfo *bi)
{
	for (unsigned i = 0; i < bi->nr_ranges; i++)
		if (bi->range[i].usable && bi->range[i].start < bi->range[i].end)
			return true;
	return false;
}

/* --- multiboot2 --- */

static void take_memory_map(struct bootinfo *bi, const u8 *tag, u32 size)
{
	const u32 first = TAG_HEADER + 8; /* behind entry_size and entry_version */
	u32 entry = read_u32(tag + TAG_HEADER);

	if (entry < MAP_ENTRY_BYTES) {
		warn(bi, "memory map entries of %u bytes, which take %u: none is used\n", entry, MAP_ENTRY_BYTES);
		return;
	}
	for (u32 at = first; entry <= size - at; at += entry) {
		u64 base = read_u64(tag + at);

		add_range(bi, base, mem_end(base, read_u64(tag + at + 8)), read_u32(tag + at + 16) == MEMORY_USABLE);
	}
}

static bool fb_is_sane(const struct boot_fb *fb)
{
	u64 line;

	if (!fb->addr || !fb->width || fb->width > MOST_PIXELS || !fb->height || fb->height > MOST_PIXELS)
		return false;
	if (fb->type == FB_RGB && (fb->bpp == 24 || fb->bpp == 32))
		line = (u64)fb->width * fb->bpp / 8;
	else if (fb->type == FB_TEXT)
		line = (u64)fb->width * 2;
	else
		return false;
	if (fb->pitch < line || fb->pitch > MOST_PITCH)
		return false;
	return fb->addr <= MEM_LIMIT - (u64)MOST_PITCH * MOST_PIXELS;
}

/* GRUB without a VGA ROM describes a 1-bit screen that is not there, with a type never accepted here. */
static void take_framebuffer(struct bootinfo *bi, const u8 *tag)
{
	struct boot_fb fb;

	fb.addr = read_u64(tag + 8);
	fb.pitch = read_u32(tag + 16);
	fb.width = read_u32(tag + 20);
	fb.height = read_u32(tag + 24);
	fb.bpp = tag[28];
	fb.type = tag[29];
	if (fb_is_sane(&fb))
		bi->fb = fb;
	else
		warn(bi, "no use for a framebuffer of type %u, %ux%u, %u bits a pixel, at 0x%lx\n", fb.type, fb.width, fb.height,
			fb.bpp, fb.addr);
}

/* The new RSDP wins over the old one, in whichever order they come. */
static void take_rsdp(struct bootinfo *bi, const u8 *tag, unsigned bytes)
{
	if (bi->rsdp_bytes >= bytes)
		return;
	memcpy(bi->rsdp, tag + TAG_HEADER, bytes);
	bi->rsdp_bytes = bytes;
}

static void take_tag(struct bootinfo *bi, u32 type, const u8 *tag, u32 size)
{
	if (type < ARRAY_SIZE(least_tag_bytes) && size < least_tag_bytes[type]) {
		warn(bi, "tag %u of %u bytes is too short, it takes %u\n", type, size, least_tag_bytes[type]);
		return;
	}
	switch (type) {
	case TAG_CMDLINE:
		bi->cmdline_cut = copy_string(bi->cmdline, sizeof(bi->cmdline), tag + TAG_HEADER, size - TAG_HEADER);
		break;
	case TAG_LOADER:
		copy_string(bi->loader, sizeof(bi->loader), tag + TAG_HEADER, size - TAG_HEADER);
		break;
	case TAG_MODULE:
		take_module(bi, tag, size);
		break;
	case TAG_MEMORY_MAP:
		take_memory_map(bi, tag, size);
		break;
	case TAG_FRAMEBUFFER:
		take_framebuffer(bi, tag);
		break;
	case TAG_RSDP_OLD:
		take_rsdp(bi, tag, RSDP_BYTES_V1);
		break;
	case TAG_RSDP_NEW:
		take_rsdp(bi, tag, RSDP_BYTES_V2);
		break;
	case TAG_EFI_SERVICES_LIVE:
		warn(bi, "the loader left UEFI boot services running; its memory map may be wrong\n");
		bi->firmware = FIRMWARE_UEFI;
		break;
	case TAG_EFI32_TABLE:
	case TAG_EFI64_TABLE:
	case TAG_EFI_MAP:
	case TAG_EFI32_HANDLE:
	case TAG_EFI64_HANDLE:
		bi->firmware = FIRMWARE_UEFI;
		break;
	}
}

static void take_tags(struct bootinfo *bi, const u8 *block, u32 total)
{
	u32 at = 8, size;

	for (; at < total && total - at >= TAG_HEADER; at += (size + 7) & ~7u) {
		u32 type = read_u32(block + at);

		size = read_u32(block + at + 4);
		if (type == TAG_END)
			return;
		if (size < TAG_HEADER || size > total - at) {
			warn(bi, "tag %u of %u bytes at %u breaks the multiboot2 block of %u bytes\n", type, size, at, total);
			return;
		}
		take_tag(bi, type, block + at, size);
	}
	warn(bi, "the multiboot2 block of %u bytes has no end tag\n", total);
}

/* Whether the memory map has memory where the screen is said to be: what is drawn would land in somebody's data. */
static bool fb_is_misplaced(const struct bootinfo *bi)
{
	u64 start = bi->fb.addr, end = start + (u64)bi->fb.pitch * bi->fb.height;
	bool found = false;

	for (unsigned i = 0; i < bi->nr_ranges; i++) {
		const struct raw_range *r = &bi->range[i];

		if (!r->usable && r->start <= start && end <= r->end)
			return false;
		found = found || (r->usable && r->start < end && start < r->end);
	}
	return found;
}

static int parse_multiboot2(u64 info, struct bootinfo *bi)
{
	const u8 *block = phys_map(info, 8);
	u32 total;

	bi->firmware = FIRMWARE_BIOS;
	if (!block)
		return -E_INVAL;
	total = read_u32(block);
	if (total < 8 || total > MOST_BLOCK_BYTES) {
		say("boot: a multiboot2 block of %u bytes makes no sense\n", total);
		return -E_INVAL;
	}
	block = phys_map(info, total);
	if (!block)
		return -E_INVAL;
	bi->block = (struct mem_range){ info, mem_end(info, total) };
	take_tags(bi, block, total);
	if (fb_is_misplaced(bi)) {
		warn(bi, "the framebuffer at 0x%lx is where the memory map has memory, ignored\n", bi->fb.addr);
		bi->fb = (struct boot_fb){ 0 };
	}
	return 0;
}

/* --- PVH --- */

/* A string of unknown length is read page by page: the page after its end may not exist. */
static void take_pvh_cmdline(struct bootinfo *bi, u64 phys)
{
	size_t have = 0, copied;

	while (phys) {
		size_t bytes = MEM_PAGE - phys % MEM_PAGE;
		const u8 *text = phys_map(phys, bytes);

		if (!text) {
			warn(bi, "the command line cannot be read at 0x%lx\n", phys);
			return;
		}
		bi->cmdline_cut = copy_string(bi->cmdline + have, sizeof(bi->cmdline) - have, text, bytes);
		copied = strlen(bi->cmdline + have);
		if (copied < bytes)
			return;
		have += copied;
		phys = mem_end(phys, bytes);
	}
}

/* Maps an array that hvm_start_info points to; NULL, with a message, when it makes no sense. */
static const u8 *map_pvh_array(const char *what, u64 phys, u32 entries, u32 entry_bytes)
{
	const u8 *array = NULL;

	if (phys && entries <= MOST_PVH_ENTRIES)
		array = phys_map(phys, (u64)entries * entry_bytes);
	if (!array)
		say("boot: PVH %s of %u entries at 0x%lx cannot be read\n", what, entries, phys);
	return array;
}

static void take_pvh_map(struct bootinfo *bi, const u8 *start)
{
	u32 entries = read_u32(start + 48);
	const u8 *map = map_pvh_array("memory map", read_u64(start + 40), entries, PVH_MAP_ENTRY);

	for (u32 i = 0; map && i < entries; i++, map += PVH_MAP_ENTRY) {
		u64 base = read_u64(map);

		add_range(bi, base, mem_end(base, read_u64(map + 8)), read_u32(map + 16) == MEMORY_USABLE);
	}
}

static void take_pvh_modules(struct bootinfo *bi, const u8 *start)
{
	u32 entries = read_u32(start + 12);
	const u8 *list;

	if (!entries)
		return;
	list = map_pvh_array("module list", read_u64(start + 16), entries, PVH_MODULE_ENTRY);
	for (u32 i = 0; list && i < entries; i++, list += PVH_MODULE_ENTRY) {
		u64 base = read_u64(list);

		add_module(bi, base, mem_end(base, read_u64(list + 8)));
	}
}

static int parse_pvh(u64 info, struct bootinfo *bi)
{
	const u8 *start = phys_map(info, PVH_V0_BYTES);

	bi->firmware = FIRMWARE_NONE;
	if (!start || read_u32(start) != BOOT_MAGIC_PVH)
		return -E_INVAL;
	bi->rsdp_phys = read_u64(start + 32);
	bi->block = (struct mem_range){ info, mem_end(info, PVH_V0_BYTES) };
	take_pvh_cmdline(bi, read_u64(start + 24));
	take_pvh_modules(bi, start);
	if (read_u32(start + 4) < 1) {
		say("boot: PVH start info of version 0 has no memory map\n");
		return 0;
	}
	start = phys_map(info, PVH_V1_BYTES);
	if (!start)
		return -E_INVAL;
	bi->block.end = mem_end(info, PVH_V1_BYTES);
	take_pvh_map(bi, start);
	return 0;
}

int bootinfo_parse(u32 magic, u64 info, struct bootinfo *out)
{
	int err;

	memset(out, 0, sizeof(*out));
	if (magic == BOOT_MAGIC_MULTIBOOT2)
		err = parse_multiboot2(info, out);
	else if (magic == BOOT_MAGIC_PVH)
		err = parse_pvh(info, out);
	else
		err = -E_INVAL;
	if (err)
		return err;
	if (out->cmdline_cut)
		say("boot: the command line is longer than %u bytes and was cut\n", BOOT_CMDLINE_MAX);
	return has_usable(out) ? 0 : -E_NOENT;
}

/* --- RSDP --- */

static u64 scan_range(u64 start, u64 bytes)
{
	const u8 *p = phys_map(start, bytes);

	for (u64 at = 0; p && at + RSDP_BYTES_V1 <= bytes; at += 16)
		if (!memcmp(p + at, rsdp_signature, 8) && !byte_sum(p + at, RSDP_BYTES_V1))
			return start + at;
	return 0;
}

u64 rsdp_scan(void)
{
	const u8 *ebda_segment = phys_map(0x40E, 2);
	u64 ebda = ebda_segment ? (u64)read_u16(ebda_segment) << 4 : 0;
	u64 found = 0;

	/* The BIOS data area ends at 0x500, the memory an EBDA can be in at 0xA0000. */
	if (ebda >= 0x500 && ebda < 0xA0000)
		found = scan_range(ebda, 1024);
	return found ? found : scan_range(0xE0000, 0x20000);
}
