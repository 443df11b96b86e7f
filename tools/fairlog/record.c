/* SPDX-License-Identifier: GPL-2.0-or-later
 * Decides whether a candidate is a record: sequence number, CRC and JSON. */
#include "tools/fairlog/record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { CRC_DIGITS = 8 };
static const char crc_mark[] = "} *";

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Reads the number behind '@' and returns how many bytes '@', number and blank take, or 0 if they are not there. */
static size_t read_seq(const char *text, size_t length, uint64_t *seq)
{
	size_t i;

	*seq = 0;
	for (i = 1; i < length && is_digit(text[i]); i++) {
		if (__builtin_mul_overflow(*seq, 10, seq) || __builtin_add_overflow(*seq, text[i] - '0', seq))
			return 0;
	}
	if (*seq > INT64_MAX)
		return 0;
	if (length == 0 || text[0] != '@' || i == 1 || i == length || text[i] != ' ')
		return 0;
	return i + 1;
}

/* True if text is } *01234567 with any lower-case digits. */
static bool read_crc(const char *text, size_t length, uint32_t *crc)
{
	const size_t mark = sizeof crc_mark - 1;

	if (length < mark + CRC_DIGITS || memcmp(text, crc_mark, mark) != 0)
		return false;
	*crc = 0;
	for (const char *c = text + mark; c < text + mark + CRC_DIGITS; c++) {
		if (is_digit(*c))
			*crc = *crc << 4 | (uint32_t)(*c - '0');
		else if (*c >= 'a' && *c <= 'f')
			*crc = *crc << 4 | (uint32_t)(*c - 'a' + 10);
		else
			return false;
	}
	return true;
}

bool frame_read(const char *text, size_t length, struct frame *frame, char reason[REASON_BYTES])
{
	size_t json_at = read_seq(text, length, &frame->seq);
	uint32_t crc = 0, stated;
	size_t summed = 0;

	if (json_at == 0) {
		snprintf(reason, REASON_BYTES, "its number is not one from 0 to %" PRId64, INT64_MAX);
		return false;
	}
	snprintf(reason, REASON_BYTES, "it does not end in } *CRC32");

	/* A string in the JSON may look like an end, so each is tried until one is right. */
	for (size_t i = json_at; i < length; i++) {
		if (!read_crc(text + i, length - i, &stated))
			continue;
		crc = (uint32_t)crc32(crc, (const Bytef *)text + summed, (uInt)(i + 1 - summed));
		summed = i + 1;
		if (crc == stated) {
			frame->json = text + json_at;
			frame->json_length = summed - json_at;
			frame->crc = crc;
			frame->crc_length = summed;
			return true;
		}
		snprintf(reason, REASON_BYTES, "its CRC32 is given as %08" PRIx32 " but its text has %08" PRIx32, stated, crc);
	}
	return false;
}

/* Copies one number to *out; false if it is not an unsigned integer below 2^64. */
static bool copy_number(const char *number, size_t length, char **out, char reason[REASON_BYTES])
{
	char *end;
	uint64_t value;

	errno = 0;
	value = strtoull(number, &end, 10);
	if (number[0] == '-' || (number[0] == '0' && length > 1) || end != number + length || errno == ERANGE) {
		snprintf(reason, REASON_BYTES, "the number %.*s is not an integer from 0 to %" PRIu64,
			(int)(length < 40 ? length : 40), number, UINT64_MAX);
		return false;
	}
	if (value > INT64_MAX) {
		*out += sprintf(*out, "%" PRId64, (int64_t)value);
	} else {
		memcpy(*out, number, length);
		*out += length;
	}
	return true;
}

/* Copies JSON so that jansson takes it as it is meant: numbers are checked and folded into its range (see record_integer), and
 * escapes for what is not printable ASCII stay visible as such, so that strings are safe to print. Returns the end of the copy or
 * NULL. */
static char *copy_json(const char *json, const char *json_end, char *out, char reason[REASON_BYTES])
{
	bool in_string = false;

	while (json < json_end) {
		if (*json < ' ' || *json > '~') {
			snprintf(
				reason, REASON_BYTES, "it has the byte 0x%02x, which is not printable ASCII", (unsigned char)*json);
			return NULL;
		}
		if (!in_string && (*json == '-' || is_digit(*json))) {
			size_t length = strspn(json, "0123456789+-.eE");

			if (!copy_number(json, length, &out, reason))
				return NULL;
			json += length;
			continue;
		}
		if (in_string && *json == '\\') {
			bool is_plain = json[1] == '"' || json[1] == '\\' || json[1] == '/';

			*out++ = is_plain ? *json++ : '\\';
		} else if (*json == '"') {
			in_string = !in_string;
		}
		*out++ = *json++;
	}
	return out;
}

json_t *frame_json(const struct frame *frame, char reason[REASON_BYTES])
{
	char *original = calloc(1, frame->json_length + 1);
	char *folded = malloc(2 * frame->json_length + 1); /* neither an escape nor a number grows by more than one byte */
	char *end = NULL;
	json_t *json = NULL;
	json_error_t error;

	if (original && folded) {
		memcpy(original, frame->json, frame->json_length);
		end = copy_json(original, original + frame->json_length, folded, reason);
	} else {
		snprintf(reason, REASON_BYTES, "there is no memory left to read it");
	}
	if (end) {
		json = json_loadb(folded, (size_t)(end - folded), JSON_REJECT_DUPLICATES, &error);
		if (!json)
			snprintf(reason, REASON_BYTES, "its JSON is not valid: %s", error.text);
	}
	free(original);
	free(folded);
	return json;
}

uint64_t record_integer(const json_t *integer)
{
	return (uint64_t)json_integer_value(integer);
}
