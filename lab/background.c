/* SPDX-License-Identifier: GPL-2.0-or-later
 * Workloads that accompany another. Their memory and text are kept apart, so that they can be repeated any number of times. */
#include "lab/background.h"

#include "base/aside.h"
#include "base/record.h"
#include "base/text.h"

enum { KEPT_TEXT_BYTES = 64 * 1024 };

static bool is_ok(const struct run *r)
{
	return !strcmp(r->status, "ok");
}

/* ---- the companion's side ---- */

static void run_again(struct companion *c)
{
	aside_begin(c->aside);
	memset(&c->run, 0, sizeof(c->run));
	c->run.over = &c->background->over;
	c->planned->workload->run(c->planned->options, &c->run);
	WRITE_ONCE(c->repeats, c->repeats + 1);
}

/* Its parent reaps whatever child ends first, and must not meet this one in the middle of the run, which has failed with it. */
static void accompany(void *argument)
{
	struct companion *c = argument;

	aside_enter(c->aside);
	do
		run_again(c);
	while (is_ok(&c->run) && !READ_ONCE(c->background->over));
	while (!READ_ONCE(c->background->over))
		task_sleep_ns(NSEC_PER_MSEC);
}

/* ---- the start ---- */

static unsigned number_of(const struct background *b, const struct workload *w)
{
	unsigned number = 1;

	for (unsigned i = 0; i < b->nr; i++)
		number += b->companion[i].planned->workload == w;
	return number;
}

static bool add(struct background *b, const struct planned_workload *planned)
{
	struct companion *c = &b->companion[b->nr];

	c->background = b;
	c->planned = planned;
	c->number = number_of(b, planned->workload);
	c->aside = aside_new(KEPT_TEXT_BYTES);
	if (!c->aside)
		return false;
	b->nr++;
	return true;
}

static bool spawn_all(struct background *b)
{
	for (; b->started < b->nr; b->started++)
		if (!task_spawn("background", accompany, &b->companion[b->started], true))
			return false;
	return true;
}

static bool has_begun(const struct companion *c)
{
	return READ_ONCE(c->repeats) || READ_ONCE(c->run.start_ns);
}

/* They may have much to set up. All together have so long; NULL, or who has not begun. */
static const struct companion *wait_for_begin(const struct background *b)
{
	enum { MOST_STEPS = 10000 };
	unsigned steps = 0;

	for (unsigned i = 0; i < b->nr; i++)
		for (; !has_begun(&b->companion[i]); task_sleep_ns(NSEC_PER_MSEC))
			if (steps++ == MOST_STEPS)
				return &b->companion[i];
	return NULL;
}

static const char *blame(struct background *b, const struct planned_workload *planned, const char *why)
{
	text_format(b->status, sizeof(b->status), "with %s: %s", planned->text, why);
	return b->status;
}

const char *background_start(struct background *b, const struct plan *plan)
{
	const struct companion *late;

	memset(b, 0, sizeof(*b));
	while (b->nr < plan->nr_backgrounds)
		if (!add(b, &plan->background[b->nr]))
			return blame(b, &plan->background[b->nr], "not enough memory to begin it");
	if (!spawn_all(b))
		return blame(b, &plan->background[b->started], "not enough memory to begin it");
	late = wait_for_begin(b);
	return late ? blame(b, late->planned, "it has not begun within 10 s") : NULL;
}

/* ---- the end ---- */

static void note_failure(struct background *b, struct run *r)
{
	for (unsigned i = 0; is_ok(r) && i < b->started; i++) {
		const struct companion *c = &b->companion[i];

		if (is_ok(&c->run))
			continue;
		r->status = blame(b, c->planned, c->run.status);
	}
}

void background_finish(struct background *b, struct run *r)
{
	WRITE_ONCE(b->over, true);
	for (unsigned i = 0; i < b->started; i++)
		task_reap(REAP_ANY);
	note_failure(b, r);
}

static void say_companion(const struct companion *c)
{
	u64 left_out;
	const char *text = aside_text(c->aside, &left_out);

	say("With %s", c->planned->text);
	if (c->repeats > 1)
		say(", the last of %llu times", (unsigned long long)c->repeats);
	say(":\n%s", text);
	if (left_out)
		say("\n(and %llu bytes more)\n", (unsigned long long)left_out);
}

void background_say(const struct background *b)
{
	for (unsigned i = 0; i < b->started; i++)
		say_companion(&b->companion[i]);
}

/* ---- figures ---- */

static void put(const struct companion *c, const char *figure, u64 value)
{
	char number[16] = "", name[96];

	if (c->number > 1)
		text_format(number, sizeof(number), "%u", c->number);
	text_format(name, sizeof(name), "%s%s.%s", c->planned->workload->name, number, figure);
	record_map_uint(name, value);
}

void background_put_results(const struct background *b)
{
	for (unsigned i = 0; i < b->started; i++) {
		const struct companion *c = &b->companion[i];

		put(c, "repeats", c->repeats);
		for (unsigned k = 0; k < c->run.nr_metrics; k++)
			put(c, c->run.metric[k].name, c->run.metric[k].value);
	}
}
