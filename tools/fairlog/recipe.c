/* SPDX-License-Identifier: GPL-2.0-or-later
 * From the command line that a kernel got back to the make that started it. What make is given passes two shells and make itself,
 * and each takes its own characters out. */
#include "tools/fairlog/recipe.h"

#include "tools/fairlog/allocate.h"
#include "tools/fairlog/text_stream.h"

#include <inttypes.h>
#include <string.h>

enum { MEM_STEP_MIB = 16, MEM_DEFAULT_MIB = 256 }; /* firmware and holes take less than a step away */

static const char safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.,:=/+@%-";

/* ---- quoting ---- */

/* Takes the text over. */
static char *replace(char *text, char what, const char *by)
{
	struct text_stream to;

	text_stream_open(&to);
	for (const char *at = text; *at; at++) {
		if (*at == what)
			fputs(by, to.file);
		else
			fputc(*at, to.file);
	}
	free(text);
	return text_stream_close(&to);
}

/* The next word of the kernel's command line as base/cmdline.c takes it: quotation marks group, a backslash keeps. */
static bool next_word(const char **at, char *word)
{
	const char *from = *at + strspn(*at, " ");
	bool quoted = false;

	if (!*from)
		return false;
	for (; *from && (quoted || *from != ' '); from++) {
		if (*from == '"') {
			quoted = !quoted;
			continue;
		}
		if (*from == '\\' && from[1])
			from++;
		*word++ = *from;
	}
	*word = '\0';
	*at = from;
	return true;
}

/* As people write it: run="hackbench -g 4". */
static void put_shell_word(FILE *to, const char *word)
{
	size_t plain = strspn(word, safe);
	const char *equals = memchr(word, '=', plain);

	if (word[plain] == '\0' && plain > 0) {
		fputs(word, to);
		return;
	}
	if (equals)
		fprintf(to, "%.*s", (int)(equals + 1 - word), word);
	fputc('"', to);
	for (word = equals ? equals + 1 : word; *word; word++) {
		if (strchr("\\\"$`", *word))
			fputc('\\', to);
		fputc(*word, to);
	}
	fputc('"', to);
}

/* The simulator is started by a shell that takes its command line apart. */
static char *words_for_shell(const char *words)
{
	char *word = allocate(NULL, strlen(words) + 1);
	const char *blank = "";
	struct text_stream to;

	text_stream_open(&to);
	while (next_word(&words, word)) {
		fputs(blank, to.file);
		put_shell_word(to.file, word);
		blank = " ";
	}
	free(word);
	return text_stream_close(&to);
}

/* QEMU is started with its kernel's command line between apostrophes. */
static char *text_for_shell(const char *text)
{
	return replace(strcpy(allocate(NULL, strlen(text) + 1), text), '\'', "'\\''");
}

/* ---- the line ---- */

/* The shape, if the command line begins with it, as make has it do; it is taken off. */
static char *take_topo(const char **cmdline)
{
	const char *from = *cmdline;
	size_t length = strcspn(from, " ");
	char *topo;

	if (strncmp(from, "topo=", 5) != 0 || strspn(from, safe) < length)
		return NULL;
	topo = allocate(NULL, length - 4);
	memcpy(topo, from + 5, length - 5);
	topo[length - 5] = '\0';
	*cmdline = from + length + (from[length] == ' ');
	return topo;
}

static void put_memory(FILE *to, const json_t *machine)
{
	uint64_t step = (uint64_t)MEM_STEP_MIB << 20;
	uint64_t mib = (record_get_uint(machine, FIELD_machine_memory_bytes) + step - 1) / step * MEM_STEP_MIB;

	if (mib != MEM_DEFAULT_MIB)
		fprintf(to, " MEM=%" PRIu64 "M", mib);
}

static void put_options(FILE *to, const char *on, const char *topo, const json_t *machine)
{
	fprintf(to, "make run MACHINE=%s", on);
	if (strcmp(on, "metal") == 0) {
		fprintf(to, " CPUS=%" PRIu64,
			record_get_uint(machine, FIELD_machine_cpus) + record_get_uint(machine, FIELD_machine_cpus_left_out));
		if (strcmp(record_get_string(machine, FIELD_machine_hypervisor), "KVMKVMKVM") == 0)
			fprintf(to, " ACCEL=kvm");
	}
	if (topo)
		fprintf(to, " TOPO=%s", topo);
	if (strcmp(on, "sim") != 0)
		put_memory(to, machine);
}

/* Make starts QEMU with the kernel in hand, which is PVH; lockstep with its instructions counted, which is exact. */
static bool make_can(const json_t *boot, const json_t *machine)
{
	const char *on = record_get_string(boot, FIELD_boot_machine);

	if (strcmp(on, "sim") == 0)
		return true;
	if (strcmp(record_get_string(boot, FIELD_boot_loader), "PVH") != 0)
		return false;
	if (strcmp(on, "lockstep") == 0)
		return record_get_uint(boot, FIELD_boot_exact) == 1;
	return strcmp(record_get_string(machine, FIELD_machine_hypervisor), "none") != 0;
}

static char *make_line(const json_t *image, const json_t *machine, const char *topo, const char *words)
{
	const char *on = record_get_string(image, FIELD_boot_machine);
	char *args = strcmp(on, "sim") == 0 ? words_for_shell(words) : text_for_shell(words);
	struct text_stream to;

	args = replace(replace(args, '$', "$$"), '\'', "'\\''");
	text_stream_open(&to);
	put_options(to.file, on, topo, machine);
	fprintf(to.file, " ARGS='%s'", args);
	free(args);
	return text_stream_close(&to);
}

struct recipe recipe_of(const struct boot *boot)
{
	const json_t *image = boot->record[RECORD_boot], *machine = boot->record[RECORD_machine];
	const char *words = record_get_string(image, FIELD_boot_cmdline);
	struct recipe recipe = { .by_hand = !make_can(image, machine) };
	char *topo;

	if (recipe.by_hand) {
		recipe.text = strcpy(allocate(NULL, strlen(words) + 1), words);
		return recipe;
	}
	topo = strcmp(record_get_string(image, FIELD_boot_machine), "metal") == 0 ? NULL : take_topo(&words);
	recipe.same_log = record_get_uint(image, FIELD_boot_exact) == 1 && topo;
	recipe.text = make_line(image, machine, topo, words);
	free(topo);
	return recipe;
}
