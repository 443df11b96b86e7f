/* SPDX-License-Identifier: GPL-2.0-or-later
 * The shape of a machine from a short text. */
#include "arch/shape.h"

#include "base/string.h"
#include "base/text.h"

/* Machines that the literature speaks of. CPUs are numbered as these texts say, siblings next to each other. */
static const struct {
	const char *name, *shape;
} presets[] = {
	{ "q6600", "1n:2l:2c:1t" },   /* Core 2 Quad: two pairs, each with an L2 of its own */
	{ "e5620", "1n:4c:2t" },      /* Westmere: four cores, eight threads, one L3 */
	{ "2x4", "2p:2l:2c:1t" },     /* stoakley: two quad-core packages of two pairs */
	{ "4x4", "4p:2l:2c:1t" },     /* tigerton: four of them */
	{ "nehalem", "2n:4c:2t/21" }, /* two packages, each a node */
	{ "4x10", "4n:10c:1t/21" },   /* four nodes of ten cores */
	/* Wasted Cores: eight nodes, one or two hops apart */
	{ "opterons", "8n:8c/10,16,16,22,16,22,16,22,16,10,22,16,16,22,22,16,16,22,10,16,16,16,16,16,22,16,16,10,16,16,22,22,"
		      "16,16,16,16,10,16,16,22,22,22,16,16,16,10,22,16,16,22,16,22,16,22,10,16,22,16,16,22,22,16,16,10" },
};

enum { LEVELS = 5, LOCAL_DISTANCE = 10, REMOTE_DISTANCE = 20 };

static const char letters[LEVELS + 1] = "nplct";

struct reader {
	const char *s;
	char *error;
	size_t size;
};

static int complain(struct reader *r, const char *what)
{
	text_format(r->error, r->size,
		"topo: %s at \"%.24s\"; expected [Nn:][Np:][Nl:][Nc:][Nt][/distance,...] as in 2n:4c:2t, or a preset", what, r->s);
	return -E_INVAL;
}

static int read_number(struct reader *r, u64 *value)
{
	size_t digits = 0;

	while (r->s[digits] >= '0' && r->s[digits] <= '9')
		digits++;
	if (text_number(r->s, digits, value))
		return -E_INVAL;
	r->s += digits;
	return 0;
}

/* 4n:10c:1t: each level once, from the outside in. */
static int read_counts(struct reader *r, u64 count[LEVELS])
{
	unsigned next = 0;

	for (;;) {
		const char *level, *at = r->s;
		u64 n;

		if (read_number(r, &n) || !n) {
			r->s = at;
			return complain(r, "no count above 0");
		}
		level = *r->s ? strchr(letters, *r->s) : NULL;
		if (!level)
			return complain(r, "no level n, p, l, c or t");
		if ((unsigned)(level - letters) < next)
			return complain(r, "a level out of order");
		next = (unsigned)(level - letters);
		if (n > MAX_CPUS) {
			r->s = at;
			return complain(r, "too many CPUs");
		}
		count[next++] = n;
		r->s++;
		if (*r->s != ':')
			return 0;
		r->s++;
	}
}

static int place_all(struct reader *r, const u64 count[LEVELS], struct topology *t)
{
	u64 cpus = 1;

	for (unsigned i = 0; i < LEVELS; i++)
		cpus *= count[i];
	if (cpus > MAX_CPUS || count[0] > MAX_NODES)
		return complain(r, "too many CPUs or nodes");
	t->nr_cpus = (unsigned)cpus;
	for (unsigned cpu = 0; cpu < cpus; cpu++) {
		struct cpu_place *p = &t->cpu[cpu];

		p->thread = (u16)(cpu % count[4]);
		p->core = (u16)(cpu / count[4]);
		p->llc = (u16)(p->core / count[3]);
		p->package = (u16)(p->llc / count[2]);
		p->node = (u16)(p->package / count[1]);
	}
	t->nr_cores = (unsigned)(cpus / count[4]);
	t->nr_llcs = (unsigned)(t->nr_cores / count[3]);
	t->nr_packages = (unsigned)(t->nr_llcs / count[2]);
	t->nr_nodes = (unsigned)count[0];
	return 0;
}

static void set_distances(struct topology *t, u8 remote)
{
	for (unsigned a = 0; a < t->nr_nodes; a++)
		for (unsigned b = 0; b < t->nr_nodes; b++)
			t->distance[a][b] = a == b ? LOCAL_DISTANCE : remote;
}

static bool next_distance(struct reader *r, u64 *v)
{
	if (*r->s != ',')
		return false;
	r->s++;
	return !read_number(r, v) && *v >= LOCAL_DISTANCE && *v <= 255;
}

/* One distance for all, or the whole table row by row. */
static int read_distances(struct reader *r, struct topology *t)
{
	u64 first, v;

	r->s++;
	if (read_number(r, &first) || first < LOCAL_DISTANCE || first > 255)
		return complain(r, "no distance from 10 to 255");
	if (!*r->s && first == LOCAL_DISTANCE && t->nr_nodes > 1)
		return complain(r, "no distance above 10 between nodes");
	if (!*r->s) {
		set_distances(t, (u8)first);
		return 0;
	}
	for (unsigned i = 0; i < t->nr_nodes * t->nr_nodes; i++) {
		if (!i)
			v = first;
		else if (!next_distance(r, &v))
			return complain(r, "not one distance for each pair of nodes");
		if ((i / t->nr_nodes == i % t->nr_nodes) != (v == LOCAL_DISTANCE))
			return complain(r, "the distance 10 anywhere but from a node to itself");
		t->distance[i / t->nr_nodes][i % t->nr_nodes] = (u8)v;
	}
	return 0;
}

int shape_parse(const char *text, struct topology *out, char *error, size_t size)
{
	struct reader r = { text, error, size };
	u64 count[LEVELS] = { 1, 1, 1, 1, 1 };
	int err;

	for (unsigned i = 0; i < ARRAY_SIZE(presets); i++)
		if (!strcmp(presets[i].name, text))
			r.s = presets[i].shape;
	err = read_counts(&r, count);
	if (!err)
		err = place_all(&r, count, out);
	if (err)
		return err;
	set_distances(out, REMOTE_DISTANCE);
	if (*r.s == '/')
		err = read_distances(&r, out);
	return !err && *r.s ? complain(&r, "something more") : err;
}

/* ---- the other way ---- */

/* Has each of the nr groups that this field of a place numbers as many CPUs as any other? */
static bool is_even(const struct topology *t, size_t field, unsigned nr)
{
	for (unsigned group = 0; group < nr; group++) {
		unsigned cpus = 0;

		for (unsigned cpu = 0; cpu < t->nr_cpus; cpu++)
			cpus += *(const u16 *)((const char *)&t->cpu[cpu] + field) == group;
		if (cpus * nr != t->nr_cpus)
			return false;
	}
	return true;
}

static bool packages_span_nodes(const struct topology *t)
{
	for (unsigned a = 0; a < t->nr_cpus; a++)
		for (unsigned b = 0; b < a; b++)
			if (t->cpu[a].package == t->cpu[b].package && t->cpu[a].node != t->cpu[b].node)
				return true;
	return false;
}

static bool is_regular(const struct topology *t)
{
	return is_even(t, offsetof(struct cpu_place, node), t->nr_nodes) &&
	       is_even(t, offsetof(struct cpu_place, package), t->nr_packages) &&
	       is_even(t, offsetof(struct cpu_place, llc), t->nr_llcs) &&
	       is_even(t, offsetof(struct cpu_place, core), t->nr_cores) && !packages_span_nodes(t);
}

/* Where the text so far ends, one more count; a level of one is left out, as it may be. */
static size_t print_level(char *dst, size_t size, size_t used, const char *before, unsigned n, char level)
{
	return n == 1 && *before ? used : used + (size_t)text_format(dst + used, size - used, "%s%u%c", before, n, level);
}

static void print_distances(const struct topology *t, char *dst, size_t size)
{
	unsigned least = 255, most = 0;

	for (unsigned a = 0; a < t->nr_nodes; a++)
		for (unsigned b = 0; b < t->nr_nodes; b++)
			if (a != b) {
				least = (unsigned)min_u64(least, t->distance[a][b]);
				most = (unsigned)max_u64(most, t->distance[a][b]);
			}
	if (least < most)
		text_format(dst, size, "/%u..%u", least, most);
	else if (t->nr_nodes > 1 && most != REMOTE_DISTANCE)
		text_format(dst, size, "/%u", most);
}

void shape_print(const struct topology *t, char *dst, size_t size)
{
	size_t used = 0;

	if (!is_regular(t)) {
		text_format(dst, size, "not alike: nodes %u, packages %u, caches %u, cores %u, CPUs %u", t->nr_nodes,
			t->nr_packages, t->nr_llcs, t->nr_cores, t->nr_cpus);
		return;
	}
	used = print_level(dst, size, used, "", t->nr_nodes, 'n');
	used = print_level(dst, size, used, ":", t->nr_packages / t->nr_nodes, 'p');
	used = print_level(dst, size, used, ":", t->nr_llcs / t->nr_packages, 'l');
	used += (size_t)text_format(dst + used, size - used, ":%uc", t->nr_cores / t->nr_llcs);
	used = print_level(dst, size, used, ":", t->nr_cpus / t->nr_cores, 't');
	print_distances(t, dst + used, size - used);
}

/* ---- costs by distance ---- */

/* Returns how many numbers there are between commas; 0: something is no such number, or there are too many. */
static unsigned read_costs(const char *s, u64 list[NR_DISTANCES])
{
	for (unsigned nr = 0; nr < NR_DISTANCES; nr++) {
		const char *comma = strchr(s, ',');
		size_t bytes = comma ? (size_t)(comma - s) : strlen(s);

		if (text_number(s, bytes, &list[nr]) || list[nr] > NSEC_PER_SEC)
			return 0;
		if (!comma)
			return nr + 1;
		s = comma + 1;
	}
	return 0;
}

int shape_parse_costs(const char *name, const char *text, u64 list[NR_DISTANCES], char *error, size_t size)
{
	unsigned nr = read_costs(text, list);

	if (nr != 1 && nr != NR_DISTANCES) {
		text_format(error, size,
			"%s=%s: expected ns for the same core, cache, node and farther, such as 0,1000,5000,10000, or one for all",
			name, text);
		return -E_INVAL;
	}
	for (; nr < NR_DISTANCES; nr++)
		list[nr] = list[0];
	return 0;
}
