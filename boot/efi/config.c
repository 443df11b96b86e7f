/* SPDX-License-Identifier: GPL-2.0-or-later
 * Reading fairmetal.cfg. */
#include "boot/efi/config.h"

#include "base/string.h"
#include "base/text.h"
#include "boot/results.h"

struct parser {
	struct config *config;
	const char *title; /* of the entry that has no command line yet */
	const char *kernel;
};

/* A line's handler returns NULL or what is wrong with it. */
struct word {
	const char *name;
	const char *(*take)(struct parser *parser, char *value);
};

static const char *take_number(const char *value, u64 most, u64 *number)
{
	if (text_number(value, strlen(value), number))
		return "expected a number, decimal or 0x and hexadecimal";
	return *number > most ? "the number is too large" : NULL;
}

static const char *take_timeout(struct parser *parser, char *value)
{
	u64 seconds = 0;
	const char *wrong = take_number(value, CONFIG_TIMEOUT_MOST, &seconds);

	parser->config->timeout_s = (unsigned)seconds;
	return wrong;
}

static const char *take_default(struct parser *parser, char *value)
{
	u64 first = 0;
	const char *wrong = take_number(value, CONFIG_ENTRIES - 1, &first);

	parser->config->first = (unsigned)first;
	return wrong;
}

static const char *take_results(struct parser *parser, char *value)
{
	const u64 limit = 1ull << 32; /* a module's address has 32 bits */
	const char *wrong = take_number(value, limit - RESULTS_BYTES, &parser->config->results);

	if (!wrong && parser->config->results % 4096)
		wrong = "the address is not that of a page";
	return wrong;
}

static const char *take_title(struct parser *parser, char *value)
{
	size_t n = strlen(value);

	if (parser->title)
		return "the title before this one has no cmdline";
	if (n >= 2 && (value[0] == '"' || value[0] == '\'') && value[n - 1] == value[0]) {
		value[n - 1] = '\0';
		value++;
	}
	parser->title = value;
	return NULL;
}

static const char *take_kernel(struct parser *parser, char *value)
{
	parser->kernel = value;
	return value[0] == '/' ? NULL : "the kernel's path does not begin with /";
}

static const char *take_cmdline(struct parser *parser, char *value)
{
	struct config *config = parser->config;

	if (!parser->title)
		return "a cmdline without a title before it";
	if (config->nr == CONFIG_ENTRIES)
		return "more entries than the menu has keys for";
	config->entry[config->nr++] = (struct config_entry){ parser->title, parser->kernel, value };
	parser->title = NULL;
	return NULL;
}

static const struct word words[] = {
	{ "title", take_title },
	{ "kernel", take_kernel },
	{ "cmdline", take_cmdline },
	{ "timeout=", take_timeout },
	{ "default=", take_default },
	{ "results=", take_results },
};

/* The value behind a word, or NULL if the line begins with another one. A word that does not end with = ends with a space. */
static char *value_of(char *line, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(line, word, n))
		return NULL;
	line += n;
	if (word[n - 1] != '=' && *line && !text_is_space(*line))
		return NULL;
	while (text_is_space(*line))
		line++;
	return line;
}

static const char *take_line(struct parser *parser, char *line)
{
	if (!*line || *line == '#')
		return NULL;
	for (unsigned i = 0; i < ARRAY_SIZE(words); i++) {
		char *value = value_of(line, words[i].name);

		if (value)
			return words[i].take(parser, value);
	}
	return "expected title, kernel, cmdline, timeout=, default=, results= or a comment";
}

/* Cuts a line off without the space around it and moves *next behind it. */
static char *cut_line(char **next)
{
	char *line = *next, *end = line;

	while (*end && *end != '\n')
		end++;
	*next = *end ? end + 1 : end;
	*end = '\0';
	while (text_is_space(*line))
		line++;
	while (end > line && text_is_space(end[-1]))
		*--end = '\0';
	return line;
}

static const char *check_whole(const struct parser *parser)
{
	if (parser->title)
		return "the last title has no cmdline";
	if (!parser->config->nr)
		return "there is nothing to boot in it: title and cmdline are missing";
	return parser->config->first < parser->config->nr ? NULL : "default= names no entry; the first one has number 0";
}

bool config_parse(char *text, struct config *config, struct config_error *error)
{
	static const char utf8_mark[] = "\xef\xbb\xbf";
	struct parser parser = { .config = config, .kernel = "/fairmetal/fairmetal.elf" };

	memset(config, 0, sizeof(*config));
	config->timeout_s = 10;
	config->results = RESULTS_ADDR;
	*error = (struct config_error){ 0 };
	if (!strncmp(text, utf8_mark, 3))
		text += 3;
	while (*text && !error->why) {
		error->line++;
		error->why = take_line(&parser, cut_line(&text));
	}
	if (!error->why) {
		error->line = 0;
		error->why = check_whole(&parser);
	}
	return !error->why;
}
