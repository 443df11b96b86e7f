/* SPDX-License-Identifier: GPL-2.0-or-later
 * A mutator for logs: changes bytes, lines and numbers, then mostly makes the numbers and checksums of the records right again.
 * Without that, no change would get past the checksum. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t count, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t count, size_t room, unsigned seed);

struct text {
	char *at;
	size_t used, room;
};

/* What does not fit is left out. */
static void put(struct text *t, const char *bytes, size_t count)
{
	if (count > t->room - t->used)
		count = t->room - t->used;
	memcpy(t->at + t->used, bytes, count);
	t->used += count;
}

static unsigned draw(unsigned below)
{
	return (unsigned)rand() % below;
}

/* ---- sealing ---- */

static const char *find_line_end(const char *at, const char *end)
{
	const char *line_end = memchr(at, '\n', (size_t)(end - at));

	return line_end ? line_end + 1 : end;
}

/* The last } of a line, behind which the checksum belongs, or NULL. */
static const char *find_last_brace(const char *at, const char *end)
{
	while (end > at && end[-1] != '}')
		end--;
	return end > at ? end - 1 : NULL;
}

/* Where the JSON of a record begins, if the line is one: @NUMBER { */
static const char *find_json(const char *at, const char *end)
{
	const char *c = at + 1;

	if (at == end || *at != '@')
		return NULL;
	while (c < end && *c >= '0' && *c <= '9')
		c++;
	return c + 1 < end && c[0] == ' ' && c[1] == '{' ? c + 1 : NULL;
}

/* Copies a line; a record gets the number *seq, or keeps its own if seq is NULL, and its checksum. */
static void put_sealed(struct text *t, const char *at, const char *end, uint64_t *seq)
{
	const char *json = find_json(at, end), *brace = json ? find_last_brace(json, end) : NULL;
	size_t first = t->used;
	char text[40];

	if (!brace) {
		put(t, at, (size_t)(end - at));
		return;
	}
	if (seq && end - json > 9 && memcmp(json, "{\"t\":\"boot", 10) == 0)
		*seq = 0;
	if (seq)
		put(t, text, (size_t)sprintf(text, "@%llu ", (unsigned long long)(*seq)++));
	else
		put(t, at, (size_t)(json - at));
	put(t, json, (size_t)(brace + 1 - json));
	put(t, text, (size_t)sprintf(text, " *%08lx\n", crc32(0, (const Bytef *)t->at + first, (uInt)(t->used - first))));
}

static void seal(struct text *to, const char *bytes, size_t count, bool renumber)
{
	const char *end = bytes + count;
	uint64_t seq = 0;

	while (bytes < end) {
		const char *line_end = find_line_end(bytes, end);

		put_sealed(to, bytes, line_end, renumber ? &seq : NULL);
		bytes = line_end;
	}
}

/* ---- changes ---- */

struct line {
	const char *at, *end;
};

static struct line pick_line(const char *bytes, size_t count)
{
	const char *at = bytes + draw((unsigned)count);

	while (at > bytes && at[-1] != '\n')
		at--;
	return (struct line){ at, find_line_end(at, bytes + count) };
}

/* Lines once more, elsewhere, or not at all. */
static void change_lines(struct text *to, const char *bytes, size_t count)
{
	struct line from = pick_line(bytes, count), at = pick_line(bytes, count);
	bool remove = draw(2), insert = !remove || draw(2);

	for (const char *c = bytes, *next; c < bytes + count; c = next) {
		next = find_line_end(c, bytes + count);
		if (c == at.at && insert)
			put(to, from.at, (size_t)(from.end - from.at));
		if (c != from.at || !remove)
			put(to, c, (size_t)(next - c));
	}
}

/* Another number, or another string, for one of a record's. */
static void change_value(struct text *to, const char *bytes, size_t count)
{
	static const char *const values[] = { "0", "1", "2", "\"\"", "\"ok\"", "[]", "{}", "9223372036854775807",
		"9223372036854775808", "18446744073709551615", "18446744073709551616", "\"\\u0000\"", "\"base\"", "\"hackbench\"",
		"[1,2,3]", "{\"a\":1}", "\"newidle=off\"", "\"elapsed_ns\"", "\"more\"", "\"cpu\"",
		"[18446744073709551615,18446744073709551615]" };
	const char *value = values[draw(sizeof values / sizeof values[0])];
	const char *end = bytes + count, *from = bytes + draw((unsigned)count), *colon = memchr(from, ':', (size_t)(end - from)),
		   *rest;

	if (!colon) {
		put(to, bytes, count);
		return;
	}
	for (rest = colon + 1;
		rest < end && *rest != '\n' && !(*rest == ',' && (rest[-1] != ',' && rest + 1 < end && rest[1] == '"')); rest++)
		;
	put(to, bytes, (size_t)(colon + 1 - bytes));
	put(to, value, strlen(value));
	put(to, rest, (size_t)(end - rest));
}

static void change(struct text *to, const char *bytes, size_t count, size_t room)
{
	size_t changed;

	switch (draw(4)) {
	case 0:
		change_lines(to, bytes, count);
		return;
	case 1:
	case 2:
		change_value(to, bytes, count);
		return;
	default:
		put(to, bytes, count);
		changed = LLVMFuzzerMutate((uint8_t *)to->at, to->used, room);
		to->used = changed;
	}
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t count, size_t room, unsigned seed)
{
	struct text changed = { malloc(room), 0, room }, sealed = { malloc(room), 0, room };
	struct text *result = &changed;

	srand(seed);
	if (!changed.at || !sealed.at)
		abort();
	if (count > 0)
		change(&changed, (const char *)bytes, count, room);
	else
		changed.used = LLVMFuzzerMutate((uint8_t *)changed.at, 0, room);
	if (draw(16) > 0) {
		seal(&sealed, changed.at, changed.used, draw(8) > 0);
		result = &sealed;
	}
	memcpy(bytes, result->at, result->used);
	count = result->used;
	free(changed.at);
	free(sealed.at);
	return count;
}
