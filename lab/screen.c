/* SPDX-License-Identifier: GPL-2.0-or-later
 * Two-level designs: full factorials of up to four factors, fractions of resolution V and better of more (Box and Hunter 1961). */
#include "lab/screen.h"

#include "base/knobs.h"
#include "base/string.h"
#include "base/text.h"
#include "sched/knobs.h"

/*
 * Of each number of factors: how many are free, and for each of the others the free ones whose sum, modulo 2, it is, A being 1.
 * That way all are low together, so that the first variant is the machine as it is. Where such a generator has an even number of
 * letters, words of odd length have a minus sign: I = -ABCDE.
 */
static const struct design {
	unsigned free;
	u8 generator[2];
	const char *resolution, *words;
} designs[SCREEN_FACTORS + 1] = {
	[2] = { 2, { 0 }, "full", "" },
	[3] = { 3, { 0 }, "full", "" },
	[4] = { 4, { 0 }, "full", "" },
	[5] = { 4, { 0x0f }, "V", "I = -ABCDE" },
	[6] = { 5, { 0x1f }, "VI", "I = ABCDEF" },
	[7] = { 6, { 0x3f }, "VII", "I = -ABCDEFG" },
	[8] = { 6, { 0x0f, 0x33 }, "V", "I = -ABCDG = -ABEFH = CDEFGH" },
};

static int refuse(const char *what, const char *which, char *error, size_t size)
{
	text_format(error, size,
		"screen=: %s \"%s\": expected NAME of a feature, NAME:LOW/HIGH or NAME:HIGH, with commas between them", what,
		which);
	return -E_INVAL;
}

static const struct knob *find_knob(const char *name)
{
	for (unsigned i = 0; i < sched_knob_table.nr; i++)
		if (!strcmp(sched_knob_table.knob[i].name, name))
			return &sched_knob_table.knob[i];
	return NULL;
}

static bool is_given_before(const struct screen *s, const char *name)
{
	for (unsigned i = 0; i < s->nr; i++)
		if (!strcmp(s->factor[i].name, name))
			return true;
	return false;
}

/* The levels stand behind the name, or follow from it. */
static int set_levels(struct screen *s, char *levels, char *error, size_t size)
{
	const char *name = s->factor[s->nr].name;
	const struct knob *k = find_knob(name);
	char *slash = levels ? strchr(levels, '/') : NULL;

	s->factor[s->nr].low = levels;
	s->factor[s->nr].high = levels;
	if (slash) {
		*slash = '\0';
		s->factor[s->nr].high = slash + 1;
	} else if (levels && k && k->kind != KNOB_FEATURE) {
		knob_print(k, s->factor[s->nr].base, sizeof(s->factor[s->nr].base));
		s->factor[s->nr].low = s->factor[s->nr].base;
	} else if (!levels && k && k->kind == KNOB_FEATURE) {
		s->factor[s->nr].low = "off";
		s->factor[s->nr].high = "on";
	} else {
		return refuse("no two values of", name, error, size);
	}
	if (!strcmp(s->factor[s->nr].low, s->factor[s->nr].high))
		return refuse("the same value twice of", name, error, size);
	return 0;
}

static int add_factor(struct screen *s, char *text, char *error, size_t size)
{
	char *colon = strchr(text, ':');

	if (s->nr == SCREEN_FACTORS)
		return refuse("more than 8 switches, the first too many being", text, error, size);
	if (colon)
		*colon = '\0';
	if (is_given_before(s, text))
		return refuse("given twice:", text, error, size);
	s->factor[s->nr].name = text;
	if (set_levels(s, colon ? colon + 1 : NULL, error, size))
		return -E_INVAL;
	s->nr++;
	return 0;
}

int screen_parse(struct screen *s, const char *text, char *error, size_t size)
{
	char *next;

	memset(s, 0, sizeof(*s));
	if (text_copy(s->text, sizeof(s->text), text) >= sizeof(s->text))
		return refuse("too long:", text, error, size);
	for (char *at = s->text; at; at = next) {
		next = strchr(at, ',');
		if (next)
			*next++ = '\0';
		if (add_factor(s, at, error, size))
			return -E_INVAL;
	}
	return s->nr < 2 ? refuse("only one switch:", text, error, size) : 0;
}

unsigned screen_variants(const struct screen *s)
{
	return 1u << designs[s->nr].free;
}

static bool is_high(const struct screen *s, unsigned variant, unsigned factor)
{
	const struct design *d = &designs[s->nr];

	if (factor < d->free)
		return variant >> factor & 1;
	return __builtin_parity(variant & d->generator[factor - d->free]);
}

void screen_words(const struct screen *s, unsigned variant, char *words, size_t size)
{
	size_t used = 0;

	for (unsigned i = 0; i < s->nr && used < size; i++)
		used += (size_t)text_format(words + used, size - used, "%s%s=%s", i ? " " : "", s->factor[i].name,
			is_high(s, variant, i) ? s->factor[i].high : s->factor[i].low);
}

void screen_say(const struct screen *s)
{
	const struct design *d = &designs[s->nr];

	say("Screen: %u switches in %u of %u combinations; resolution %s%s%s\n", s->nr, screen_variants(s), 1u << s->nr,
		d->resolution, *d->words ? ", " : "", d->words);
	for (unsigned i = 0; i < s->nr; i++)
		say("  %c  %s: %s, %s\n", 'A' + (int)i, s->factor[i].name, s->factor[i].low, s->factor[i].high);
}
