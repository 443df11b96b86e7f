/* SPDX-License-Identifier: GPL-2.0-or-later
 * From what each CPU noticed to a word on the run. */
#include "lab/certify.h"

#include "base/record.h"
#include "base/text.h"

static const struct {
	unsigned bit;
	const char *key, *name;
} kinds[] = {
	{ CERTIFY_FREQUENCY, "frequency", "the frequency" },
	{ CERTIFY_SMI, "smi", "SMIs" },
	{ CERTIFY_THERMAL, "heat", "heat" },
	{ CERTIFY_GAPS, "gaps", "gaps" },
};

/* ---- figures ---- */

/* a / b in millionths. More than 2^43 cycles are halved until the product fits 64 bits. */
static u64 ppm_of(u64 a, u64 b)
{
	while (a >> 43) {
		a >>= 1;
		b >>= 1;
	}
	return b ? a * 1000000 / b : 0;
}

/* The machine's sums. */
struct sums {
	unsigned known, hot, gap_cpu;
	u64 actual, base, slowest_ppm, fastest_ppm, smis, gaps, longest_gap_ns;
};

/* Too few cycles make no frequency. */
static void add_frequency(struct sums *s, const struct certificate *c)
{
	enum { ENOUGH = 1000000 };
	u64 ppm;

	s->actual += c->actual_cycles;
	s->base += c->base_cycles;
	if (c->base_cycles < ENOUGH)
		return;
	ppm = ppm_of(c->actual_cycles, c->base_cycles);
	s->slowest_ppm = s->slowest_ppm ? min_u64(s->slowest_ppm, ppm) : ppm;
	s->fastest_ppm = max_u64(s->fastest_ppm, ppm);
}

/* Every CPU takes part in every SMI, so the most that one has seen is how many there were. */
static void add_up(struct sums *s)
{
	struct certificate c;

	*s = (struct sums){ .known = ~0u };
	for (unsigned cpu = 0; cpu < machine_nr_cpus(); cpu++) {
		machine_certificate(cpu, &c);
		s->known &= c.known;
		s->smis = max_u64(s->smis, c.smis);
		s->hot += c.hot != 0;
		s->gaps += c.gaps;
		if (c.longest_gap_ns > s->longest_gap_ns)
			s->gap_cpu = cpu;
		s->longest_gap_ns = max_u64(s->longest_gap_ns, c.longest_gap_ns);
		add_frequency(s, &c);
	}
}

/* ---- judging ---- */

static void add_reason(struct certified *out, const char *fmt, ...) printf_like(2, 3);
static void add_reason(struct certified *out, const char *fmt, ...)
{
	size_t used = strlen(out->dirty);
	va_list args;

	if (used)
		used += (size_t)text_format(out->dirty + used, sizeof(out->dirty) - used, ", ");
	if (used >= sizeof(out->dirty))
		return;
	va_start(args, fmt);
	text_vformat(out->dirty + used, sizeof(out->dirty) - used, fmt, args);
	va_end(args);
}

static const char *plural(u64 n)
{
	return n == 1 ? "" : "s";
}

/* A hundredth above the base frequency is more than two counters read one after the other can be off by. */
static void judge(const struct sums *s, bool turbo_off, struct certified *out)
{
	enum { BASE_PPM = 1000000, SLACK_PPM = 10000 };

	if (s->smis)
		add_reason(out, "%llu SMI%s", (unsigned long long)s->smis, plural(s->smis));
	if (s->gaps)
		add_reason(out, "%llu gap%s, the longest %s ms on CPU %u", (unsigned long long)s->gaps, plural(s->gaps),
			text_decimal(s->longest_gap_ns, NSEC_PER_MSEC, 3).text, s->gap_cpu);
	if (s->hot)
		add_reason(out, "slowed down for heat, power or current: %u CPU%s", s->hot, plural(s->hot));
	if (turbo_off && s->fastest_ppm > BASE_PPM + SLACK_PPM)
		add_reason(out, "turbo in spite of turbo=off: %s %% of the base frequency",
			text_decimal(s->fastest_ppm, 10000, 1).text);
}

void certify(const struct run *r, bool turbo_off, struct certified *out)
{
	struct sums s;

	*out = (struct certified){ .dirty = "" };
	if (!r->start_ns) {
		add_reason(out, "nothing was measured");
		return;
	}
	add_up(&s);
	out->known = s.known;
	if (s.known & CERTIFY_FREQUENCY) {
		out->mean_ppm = ppm_of(s.actual, s.base);
		out->slowest_ppm = s.slowest_ppm;
		out->fastest_ppm = s.fastest_ppm;
	}
	judge(&s, turbo_off, out);
	out->clean = !*out->dirty;
}

/* ---- provoke=gap ---- */

/* Longer than any tick's period. */
static void keep_interrupts_off(void)
{
	unsigned long flags = machine_irq_save();
	u64 end = machine_clock_ns() + 25 * NSEC_PER_MSEC;

	while (machine_clock_ns() < end)
		machine_relax();
	machine_irq_restore(flags);
}

static void leave_alone(void)
{
}

const struct run_watch *certificate_breaker(void)
{
	static const struct run_watch watch = { keep_interrupts_off, leave_alone };

	return &watch;
}

/* ---- telling ---- */

static void say_unknown(unsigned known)
{
	const char *before = "; not supported: ";

	for (unsigned i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!(known & kinds[i].bit)) {
			say("%s%s", before, kinds[i].name);
			before = ", ";
		}
}

void say_certificate(const struct certified *c)
{
	if (!c->known)
		return;
	say("Certificate: %s%s", c->clean ? "clean" : "not clean: ", c->dirty);
	if (c->mean_ppm)
		say("; %s %% of the base frequency, %s to %s", text_decimal(c->mean_ppm, 10000, 1).text,
			text_decimal(c->slowest_ppm, 10000, 1).text, text_decimal(c->fastest_ppm, 10000, 1).text);
	say_unknown(c->known);
	say("\n");
}

static u64 frequency_of(const struct certificate *c)
{
	return ppm_of(c->actual_cycles, c->base_cycles);
}

static u64 smis_of(const struct certificate *c)
{
	return c->smis;
}

static u64 heat_of(const struct certificate *c)
{
	return c->hot;
}

static u64 gaps_of(const struct certificate *c)
{
	return c->gaps;
}

static u64 longest_gap_of(const struct certificate *c)
{
	return c->longest_gap_ns;
}

/* Of each CPU; an empty list where it is not known. */
static void put(enum record_field field, bool known, u64 (*figure)(const struct certificate *c))
{
	static u64 number[MAX_CPUS];
	unsigned nr = known ? machine_nr_cpus() : 0;
	struct certificate c;

	for (unsigned cpu = 0; cpu < nr; cpu++) {
		machine_certificate(cpu, &c);
		number[cpu] = figure(&c);
	}
	record_uints(field, number, nr);
}

void report_certificate(const struct certified *c, u64 position)
{
	const char *known[ARRAY_SIZE(kinds)];
	unsigned nr = 0;

	if (!c->known)
		return;
	for (unsigned i = 0; i < ARRAY_SIZE(kinds); i++)
		if (c->known & kinds[i].bit)
			known[nr++] = kinds[i].key;
	record_begin(RECORD_certificate);
	record_uint(FIELD_certificate_position, position);
	record_strs(FIELD_certificate_known, known, nr);
	put(FIELD_certificate_frequency_ppm, c->known & CERTIFY_FREQUENCY, frequency_of);
	put(FIELD_certificate_smis, c->known & CERTIFY_SMI, smis_of);
	put(FIELD_certificate_heat, c->known & CERTIFY_THERMAL, heat_of);
	put(FIELD_certificate_gaps, c->known & CERTIFY_GAPS, gaps_of);
	put(FIELD_certificate_longest_gap_ns, c->known & CERTIFY_GAPS, longest_gap_of);
	record_end();
}
