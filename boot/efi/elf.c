/* SPDX-License-Identifier: GPL-2.0-or-later
 * Reading a kernel's ELF file, and believing none of its sizes. */
#include "boot/efi/elf.h"

#include "base/string.h"

enum {
	CLASS_64 = 2,
	LITTLE_ENDIAN_DATA = 1,
	TYPE_EXEC = 2,
	MACHINE_X86_64 = 62,
	SEGMENT_LOAD = 1,
	PAGE = 4096,
	HEADER_REACH = 32768, /* a multiboot2 header lies in so many bytes of the file */
	MULTIBOOT2_HEADER = 0xE85250D6,
};

struct elf_header {
	u8 magic[4];
	u8 class, data, rest[10];
	u16 type, machine;
	u32 version;
	u64 entry, segments, sections;
	u32 flags;
	u16 header_bytes, segment_bytes, nr_segments, section_bytes, nr_sections, names;
};
static_assert(sizeof(struct elf_header) == 64, "the file's layout");

struct elf_segment {
	u32 type, flags;
	u64 offset, virt, phys, file_bytes, memory_bytes, align;
};
static_assert(sizeof(struct elf_segment) == 56, "the file's layout");

static const struct elf_header *header_of(const u8 *file)
{
	return (const struct elf_header *)file;
}

static struct elf_segment segment_at(const u8 *file, unsigned i)
{
	struct elf_segment segment;

	memcpy(&segment, file + header_of(file)->segments + i * sizeof(segment), sizeof(segment));
	return segment;
}

static const char *check_header(const u8 *file, u64 bytes)
{
	const struct elf_header *h = header_of(file);

	if (bytes < sizeof(*h) || memcmp(h->magic, "\177ELF", 4))
		return "it is not an ELF file";
	if (h->class != CLASS_64 || h->data != LITTLE_ENDIAN_DATA || h->machine != MACHINE_X86_64 || h->type != TYPE_EXEC)
		return "it is not an executable for 64-bit x86 processors";
	if (h->segment_bytes != sizeof(struct elf_segment) || h->segments > bytes ||
		h->nr_segments > (bytes - h->segments) / sizeof(struct elf_segment))
		return "its list of segments is damaged or cut off";
	return NULL;
}

static const char *check_multiboot2(const u8 *file, u64 bytes)
{
	u64 reach = min_u64(bytes, HEADER_REACH);

	for (u64 at = 0; at + 16 <= reach; at += 8) {
		u32 word[4];

		memcpy(word, file + at, sizeof(word));
		if (word[0] == MULTIBOOT2_HEADER && !word[1] && !(word[0] + word[1] + word[2] + word[3]))
			return NULL;
	}
	return "it has no multiboot2 header";
}

static const char *check_segment(const struct elf_segment *segment, u64 bytes)
{
	const u64 limit = 1ull << 32;

	if (segment->offset > bytes || segment->file_bytes > bytes - segment->offset)
		return "a segment ends behind the end of the file: it is cut off";
	if (segment->file_bytes > segment->memory_bytes)
		return "a segment is damaged: it is larger in the file than in memory";
	if (segment->phys > limit || segment->memory_bytes > limit - segment->phys)
		return "a segment does not lie below 4 GiB";
	return NULL;
}

const char *elf_check(const u8 *file, u64 bytes, struct elf_image *image)
{
	const char *wrong = check_header(file, bytes);

	*image = (struct elf_image){ .start = UINT64_MAX };
	if (!wrong)
		wrong = check_multiboot2(file, bytes);
	for (unsigned i = 0; !wrong && i < header_of(file)->nr_segments; i++) {
		struct elf_segment segment = segment_at(file, i);

		if (segment.type != SEGMENT_LOAD || !segment.memory_bytes)
			continue;
		wrong = check_segment(&segment, bytes);
		image->start = min_u64(image->start, segment.phys & ~(PAGE - 1ull));
		image->end = max_u64(image->end, (segment.phys + segment.memory_bytes + PAGE - 1) & ~(PAGE - 1ull));
	}
	if (wrong)
		return wrong;
	image->entry = header_of(file)->entry;
	return image->entry >= image->start && image->entry < image->end ? NULL : "its entry lies in none of its segments";
}

void elf_unpack(const u8 *file, const struct elf_image *image, u8 *memory)
{
	memset(memory, 0, image->end - image->start);
	for (unsigned i = 0; i < header_of(file)->nr_segments; i++) {
		struct elf_segment segment = segment_at(file, i);

		if (segment.type == SEGMENT_LOAD && segment.memory_bytes)
			memcpy(memory + segment.phys - image->start, file + segment.offset, segment.file_bytes);
	}
}
