/* SPDX-License-Identifier: GPL-2.0-or-later
 * Writes a log of about as many megabytes as are asked for, to see whether fairlog stays fast and small:
 *
 *     build/test/make-large KIND MEGABYTES >LOG
 *
 * runs      as many runs as fit
 * latency   four runs, and behind them one record of latencies after the other, of up to 32 KiB
 * counts    runs with as many tasks as fit into a record, so that most of the log is numbers that a summary needs
 * noise     a log of four runs, each record behind its share of lines for people, bytes at random and what looks like records
 * line      the same log behind and before one line that begins like a record and never ends
 *
 * All but line are whole. Records are made from base/record.def, so that they have whatever fields it has. */
#include "base/record.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RECORD_BYTES = 65000, RUNS = 4, MEGABYTE = 1000000 };

static struct {
	char text[RECORD_BYTES];
	size_t used;
	uint64_t seq, written;
} out;

/* As defined, bit by bit, so as not to trust the library that fairlog uses. */
static uint32_t crc_of(const char *text, size_t length)
{
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < length; i++) {
		crc ^= (unsigned char)text[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return ~crc;
}

static uint64_t state = 1;

static uint64_t draw(uint64_t below)
{
	state = state * 6364136223846793005 + 1442695040888963407;
	return (state >> 33) % below;
}

static void put(const char *text)
{
	size_t bytes = strlen(text);

	memcpy(out.text + out.used, text, bytes);
	out.used += bytes;
}

static void put_number(uint64_t number)
{
	char digits[24];

	snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
	put(digits);
}

/* ---- what is in the fields ---- */

struct values {
	uint64_t position, runs;
	size_t list_bytes; /* of an array */
	const char *variant;
};

static void put_uint(const char *key, const struct values *v)
{
	if (strcmp(key, "format") == 0)
		put_number(RECORD_FORMAT);
	else if (strcmp(key, "position") == 0)
		put_number(v->position);
	else if (strcmp(key, "runs") == 0)
		put_number(v->runs);
	else if (strcmp(key, "warmup") == 0 || strcmp(key, "failed") == 0 || strcmp(key, "exact") == 0)
		put("0");
	else
		put_number(100000 + draw(900000));
}

/* An array of pairs: buckets need an even number. */
static void put_uints(const char *key, const struct values *v)
{
	size_t end = out.used + (strcmp(key, "counts") == 0 || strcmp(key, "buckets") == 0 ? v->list_bytes : 60);
	const char *comma = "";

	put("[");
	while (out.used < end) {
		put(comma);
		put_number(draw(1000) * 32 + 7);
		put(",");
		put_number(draw(300));
		comma = ",";
	}
	put("]");
}

static void put_str(const char *key, const struct values *v)
{
	const char *text = strcmp(key, "status") == 0	  ? "ok"
			   : strcmp(key, "variant") == 0  ? v->variant
			   : strcmp(key, "workload") == 0 ? "hackbench"
			   : strcmp(key, "figure") == 0	  ? "elapsed_ns"
			   : strcmp(key, "better") == 0	  ? "less"
			   : strcmp(key, "distance") == 0 ? "core"
			   : strcmp(key, "machine") == 0  ? "metal"
							  : "";

	put("\"");
	put(text);
	put("\"");
}

static void put_strs(const char *key, const struct values *v)
{
	(void)v;
	put(strcmp(key, "workloads") == 0      ? "[\"hackbench\"]"
		: strcmp(key, "variants") == 0 ? "[\"newidle=throttle\",\"newidle=off\"]"
					       : "[]");
}

static void put_map(const char *key, const struct values *v)
{
	if (strcmp(key, "result") == 0) {
		put("{\"messages\":");
		put_number(32000 + draw(100));
		put(",\"tasks\":400}");
		return;
	}
	put("{\"HZ\":1000,\"preempt\":\"none\",\"newidle\":\"");
	put(strchr(v->variant, '=') + 1);
	put("\",\"sched_latency_ns\":24000000,\"sched_min_granularity_ns\":3000000,\"nohz\":\"off\",\"policy\":\"performance\"}");
}

enum { UINT, UINTS, STR, STRS, MAP };
static void (*const put_kind[])(const char *key, const struct values *v) = {
	[UINT] = put_uint,
	[UINTS] = put_uints,
	[STR] = put_str,
	[STRS] = put_strs,
	[MAP] = put_map,
};

static const char *const record_name[] = {
#define RECORD(type, meaning) [RECORD_##type] = #type,
#define FIELD(type, key, kind, meaning)
#include "base/record.def"
#undef RECORD
#undef FIELD
};

static const struct {
	const char *key;
	enum record_type type;
	unsigned kind;
} fields[] = {
#define RECORD(type, meaning)
#define FIELD(type, key, kind, meaning) [FIELD_##type##_##key] = { #key, RECORD_##type, kind },
#include "base/record.def"
#undef RECORD
#undef FIELD
};

static void write_bytes(const char *bytes, size_t count)
{
	if (fwrite(bytes, 1, count, stdout) != count) {
		perror("make-large");
		exit(1);
	}
	out.written += count;
}

static void write_record(enum record_type type, const struct values *v)
{
	char tail[16];

	out.used = 0;
	put("@");
	put_number(out.seq++);
	put(" {\"t\":\"");
	put(record_name[type]);
	put("\"");
	for (unsigned f = 0; f < NR_FIELDS; f++) {
		if (fields[f].type != type)
			continue;
		put(",\"");
		put(fields[f].key);
		put("\":");
		put_kind[fields[f].kind](fields[f].key, v);
	}
	put("}");
	snprintf(tail, sizeof tail, " *%08x\n", crc_of(out.text, out.used));
	put(tail);
	write_bytes(out.text, out.used);
}

/* ---- the kinds of log ---- */

static void write_head(struct values *v)
{
	*v = (struct values){ .runs = RUNS, .list_bytes = 60, .variant = "newidle=throttle" };
	write_record(RECORD_boot, v);
	write_record(RECORD_machine, v);
	write_record(RECORD_plan, v);
	write_record(RECORD_knobs, v);
}

static void write_run(struct values *v, uint64_t position)
{
	v->position = position;
	v->variant = position % 2 ? "newidle=off" : "newidle=throttle";
	write_record(RECORD_run, v);
}

static void write_end(struct values *v, uint64_t runs)
{
	v->runs = runs;
	write_record(RECORD_end, v);
}

static void write_runs(uint64_t bytes)
{
	struct values v;
	uint64_t position = 0;

	write_head(&v);
	while (out.written < bytes) {
		write_run(&v, position++);
		if (position % 16 == 0)
			write_record(RECORD_latency, &v);
	}
	write_end(&v, position);
}

static void write_latency(uint64_t bytes)
{
	struct values v;

	write_head(&v);
	for (uint64_t position = 0; position < RUNS; position++) {
		write_run(&v, position);
		while (out.written < bytes / RUNS * (position + 1)) {
			v.list_bytes = 50 + draw(32000);
			write_record(RECORD_latency, &v);
		}
		v.list_bytes = 60;
	}
	write_end(&v, RUNS);
}

static void write_counts(uint64_t bytes)
{
	struct values v;
	uint64_t position = 0;

	write_head(&v);
	v.list_bytes = 30000;
	while (out.written < bytes)
		write_run(&v, position++);
	write_end(&v, position);
}

static void write_noise(uint64_t bytes)
{
	static const char *const lines[] = {
		"[    0.123456] smp: brought up 4 CPUs, all of them in time\n",
		"@@@@@@@@@@@@@@@@@@@@@@ @12 {\"t\": @7 {} *0000000 } *0123456 {}}}}}}}}}}}}}\r\n",
		"\33[2J\33[1;32mGRUB\33[0m loading ...\33]0;a title\a\r\n",
	};

	while (out.written < bytes) {
		const char *line = lines[draw(sizeof lines / sizeof lines[0])];
		char garbage[64];

		write_bytes(line, strlen(line));
		for (size_t i = 0; i < sizeof garbage; i++)
			garbage[i] = (char)draw(256);
		write_bytes(garbage, sizeof garbage);
		write_bytes("\n", 1);
	}
}

static void write_noisy(uint64_t bytes)
{
	struct values v;

	write_noise(bytes / 2);
	write_head(&v);
	for (uint64_t position = 0; position < RUNS; position++) {
		write_noise(bytes / 2 + bytes / 2 / RUNS * (position + 1));
		write_run(&v, position);
	}
	write_end(&v, RUNS);
}

static void write_line(uint64_t bytes)
{
	struct values v;

	write_head(&v);
	for (uint64_t position = 0; position < RUNS; position++)
		write_run(&v, position);
	write_bytes("@8 {\"t\":\"run\",\"workload\":\"", 26);
	while (out.written < bytes)
		write_bytes("} *0123abcd 0123456789 ", 23);
	write_bytes("\n", 1);
	write_end(&v, RUNS);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*write)(uint64_t bytes);
	} kinds[] = {
		{ "runs", write_runs },
		{ "latency", write_latency },
		{ "counts", write_counts },
		{ "noise", write_noisy },
		{ "line", write_line },
	};

	for (size_t i = 0; argc == 3 && i < sizeof kinds / sizeof kinds[0]; i++) {
		if (strcmp(argv[1], kinds[i].name) != 0)
			continue;
		kinds[i].write(strtoull(argv[2], NULL, 10) * MEGABYTE);
		return fflush(stdout) == 0 ? 0 : 1;
	}
	fprintf(stderr, "usage: make-large runs|latency|counts|noise|line MEGABYTES >LOG\n");
	return 2;
}
