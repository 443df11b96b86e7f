/* SPDX-License-Identifier: GPL-2.0-or-later
 * From the name of a published experiment to a command line. */
#include "lab/exp.h"

#include "arch/machine.h"
#include "base/bug.h"
#include "base/string.h"
#include "base/text.h"

static const struct experiment {
	const char *name, *mail, *machines, *question, *words;
} catalogue[] = {
#define EXPERIMENT(...) { __VA_ARGS__ },
#include "lab/catalogue.def"
#undef EXPERIMENT
};

static const struct experiment *find(const char *name)
{
	for (unsigned i = 0; i < ARRAY_SIZE(catalogue); i++)
		if (!strcmp(catalogue[i].name, name))
			return &catalogue[i];
	return NULL;
}

static int refuse(const char *name, char *error, size_t size)
{
	size_t used = (size_t)text_format(error, size, "exp=%.40s: expected list or one of ", name);

	for (unsigned i = 0; i < ARRAY_SIZE(catalogue) && used < size; i++)
		used += (size_t)text_format(error + used, size - used, "%s%s", i ? "|" : "", catalogue[i].name);
	return -E_INVAL;
}

/* ---- numbers in the words ---- */

static u64 read_number(const char **at)
{
	const char *start = *at;
	u64 value;

	while (**at >= '0' && **at <= '9')
		++*at;
	bug_on(text_number(start, (size_t)(*at - start), &value));
	return value;
}

/* Rounded up, so that nothing becomes nothing. */
static u64 shorten(const char **at, u64 percent)
{
	u64 value = (read_number(at) * percent + 99) / 100;

	if (**at != '/')
		return value;
	++*at;
	return max_u64(value, read_number(at));
}

/* *at is behind the per cent sign. */
static u64 number_at(const char **at, u64 percent)
{
	if (**at != 'C')
		return shorten(at, percent);
	++*at;
	return machine_nr_cpus();
}

static void write_words(const struct experiment *e, u64 percent, char words[EXP_WORDS_BYTES])
{
	size_t used = 0;

	for (const char *at = e->words; *at;) {
		bug_on(used + 24 > EXP_WORDS_BYTES); /* the longest number */
		if (*at == '%') {
			at++;
			used += (size_t)text_format(
				words + used, EXP_WORDS_BYTES - used, "%llu", (unsigned long long)number_at(&at, percent));
		} else {
			words[used++] = *at++;
		}
	}
	words[used] = '\0';
}

int exp_expand(const char *name, u64 percent, char words[EXP_WORDS_BYTES], char *error, size_t size)
{
	const struct experiment *e = find(name);

	*words = '\0';
	if (!*name || !strcmp(name, "list"))
		return 0;
	if (!e)
		return refuse(name, error, size);
	write_words(e, percent, words);
	return 0;
}

/* ---- for people ---- */

void say_experiments(void)
{
	char words[EXP_WORDS_BYTES];

	say("\nPublished experiments, as in exp=%s scale=10; what the command line says besides holds on top:\n",
		catalogue[0].name);
	for (unsigned i = 0; i < ARRAY_SIZE(catalogue); i++) {
		const struct experiment *e = &catalogue[i];

		write_words(e, 100, words);
		say("\n%s: %s\n  %s\n  on topo= %s\n  is %s\n", e->name, e->question, e->mail, e->machines, words);
	}
}

void say_experiment(const char *name, u64 percent)
{
	const struct experiment *e = find(name);

	if (!e)
		return;
	say("Experiment %s at %llu %% of its length: %s\n  %s, about %s\n", e->name, (unsigned long long)percent, e->question,
		e->mail, e->machines);
}
