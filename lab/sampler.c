/* SPDX-License-Identifier: GPL-2.0-or-later
 * The sampler: sample=. A run with it differs from one without by its timer interrupts and nothing else. */
#include "lab/sampler.h"

#include "base/bug.h"
#include "base/mem.h"
#include "base/record.h"
#include "base/text.h"
#include "base/timer.h"

enum { MOST_SAMPLES = 4096, SHORTEST_NS = 10000 };

#define LONGEST_NS (3600 * NSEC_PER_SEC)

struct sample {
	u64 at_ns, lost, tasks, free_bytes;
	struct sched_sample cpu[];
};

static struct {
	u64 period_ns;
	char *memory; /* of samples, each of sample_bytes() */
	u64 room;     /* how many there is memory for; the last place is for the end of the run */
	u64 start_ns;

	struct spinlock lock; /* for the rest */
	u64 taken, lost;      /* the first taken is the start of the run; lost since the last */
	bool running, armed;
	unsigned cpu; /* where the timer is */
	struct timer timer;
} sampler = { .lock = SPINLOCK_INIT(RANK_OBJECT) };

/* ---- sample= ---- */

static u64 unit_ns(const char *name)
{
	static const struct {
		const char *name;
		u64 ns;
	} unit[] = { { "us", NSEC_PER_USEC }, { "ms", NSEC_PER_MSEC }, { "s", NSEC_PER_SEC } };

	for (unsigned i = 0; i < ARRAY_SIZE(unit); i++)
		if (!strcmp(name, unit[i].name))
			return unit[i].ns;
	return 0;
}

static size_t digits_of(const char *text)
{
	size_t n = 0;

	while (text[n] >= '0' && text[n] <= '9')
		n++;
	return n;
}

int sampler_parse(const char *text, u64 *period_ns, char error[PLAN_ERROR_BYTES])
{
	size_t digits = digits_of(text);
	u64 number = 0, unit = unit_ns(text + digits);

	*period_ns = 0;
	if (!*text)
		return 0;
	if (!text_number(text, digits, &number) && unit && number <= LONGEST_NS / unit && number * unit >= SHORTEST_NS) {
		*period_ns = number * unit;
		return 0;
	}
	text_format(
		error, PLAN_ERROR_BYTES, "sample= \"%s\": expected a time from 10us to 3600s, such as 500us, 100ms or 1s", text);
	return -E_INVAL;
}

/* ---- taking them ---- */

static size_t sample_bytes(void)
{
	return sizeof(struct sample) + machine_nr_cpus() * sizeof(struct sched_sample);
}

static struct sample *sample_at(u64 i)
{
	return (struct sample *)(sampler.memory + i * sample_bytes());
}

/* An eighth of the memory, at most. */
void sampler_init(u64 period_ns)
{
	sampler.period_ns = period_ns;
	if (!period_ns)
		return;
	sampler.room = min_u64(MOST_SAMPLES + 1, mem_free_bytes() / 8 / sample_bytes());
	sampler.memory = sampler.room < 2 ? NULL : mem_alloc_forever(sampler.room * sample_bytes());
	if (sampler.memory)
		return;
	say("There is not enough memory for samples\n");
	sampler.period_ns = 0;
}

static void take(void)
{
	struct sample *s = sample_at(sampler.taken++);

	s->at_ns = machine_clock_ns() - sampler.start_ns;
	s->lost = sampler.lost;
	s->tasks = task_count();
	s->free_bytes = mem_free_bytes();
	for (unsigned cpu = 0; cpu < machine_nr_cpus(); cpu++)
		sched_sample(cpu, &s->cpu[cpu]);
	sampler.lost = 0;
}

static void take_if_room(void)
{
	if (sampler.taken + 1 < sampler.room)
		take();
	else
		sampler.lost++;
}

/* The next instant that is still to come; where a sample took as long as a period, the run has one for itself in between. */
static u64 next_instant(u64 this_ns, u64 began_ns)
{
	u64 now = machine_clock_ns(), periods = (now - this_ns) / sampler.period_ns + 1;

	return this_ns + (periods + (now - began_ns >= sampler.period_ns)) * sampler.period_ns;
}

static void fire(struct timer *timer)
{
	u64 began_ns = machine_clock_ns();

	spin_lock(&sampler.lock);
	sampler.armed = sampler.running;
	if (sampler.running)
		take_if_room();
	spin_unlock(&sampler.lock);
	if (!sampler.armed)
		return;
	timer->deadline_ns = next_instant(timer->deadline_ns, began_ns);
	timer_start(timer);
}

static void begin(void)
{
	unsigned long flags = spin_lock_irq(&sampler.lock);

	sampler.start_ns = machine_clock_ns();
	sampler.taken = 0;
	sampler.lost = 0;
	take();
	sampler.running = true;
	sampler.armed = true;
	sampler.cpu = machine_cpu();
	sampler.timer.deadline_ns = sampler.start_ns + sampler.period_ns;
	sampler.timer.fire = fire;
	timer_start(&sampler.timer);
	spin_unlock_irq(&sampler.lock, flags);
}

/* The timer is left alone, and finds at its next instant that nobody wants it. */
static void finish(void)
{
	unsigned long flags = spin_lock_irq(&sampler.lock);

	sampler.running = false;
	take();
	spin_unlock_irq(&sampler.lock, flags);
}

const struct run_watch *sampler_watch(void)
{
	static const struct run_watch watch = { begin, finish };

	sampler.taken = 0;
	return sampler.period_ns ? &watch : NULL;
}

/* A timer can only be stopped where it was started. */
static void disarm(void)
{
	unsigned long flags = spin_lock_irq(&sampler.lock);

	sampler.running = false;
	if (sampler.armed)
		timer_stop(&sampler.timer);
	sampler.armed = false;
	spin_unlock_irq(&sampler.lock, flags);
}

void sampler_stop(void)
{
	struct cpumask there = { .word = { 0 } }, all = current()->allowed;

	if (!READ_ONCE(sampler.armed))
		return;
	mask_set(&there, sampler.cpu);
	bug_on(task_set_allowed(current(), &there));
	disarm();
	bug_on(task_set_allowed(current(), &all));
}

/* ---- reporting ---- */

/* What has happened between two samples: of a counter, by which clocks that differ a little must not run backwards. */
static u64 since(u64 before, u64 after)
{
	return after > before ? after - before : 0;
}

static u64 sum_of(const u64 *number)
{
	u64 sum = 0;

	for (unsigned cpu = 0; cpu < machine_nr_cpus(); cpu++)
		sum += number[cpu];
	return sum;
}

/* Per CPU, between a sample and the one before. */
struct interval {
	u64 ns;
	u64 queued[MAX_CPUS], switches[MAX_CPUS], migrations[MAX_CPUS], ticks[MAX_CPUS], idle_ns[MAX_CPUS];
};

static void compare(const struct sample *a, const struct sample *b, struct interval *i)
{
	i->ns = since(a->at_ns, b->at_ns);
	for (unsigned cpu = 0; cpu < machine_nr_cpus(); cpu++) {
		const struct sched_sample *from = &a->cpu[cpu], *to = &b->cpu[cpu];

		i->queued[cpu] = to->queued;
		i->switches[cpu] = since(from->switches, to->switches);
		i->migrations[cpu] = since(from->migrations, to->migrations);
		i->ticks[cpu] = since(from->ticks, to->ticks);
		i->idle_ns[cpu] = since(from->idle_ns, to->idle_ns);
	}
}

static void put_sample(u64 position, u64 number, const struct sample *s, const struct interval *i)
{
	unsigned n = machine_nr_cpus();

	record_begin(RECORD_sample);
	record_uint(FIELD_sample_position, position);
	record_uint(FIELD_sample_number, number);
	record_uint(FIELD_sample_at_ns, s->at_ns);
	record_uint(FIELD_sample_lost, s->lost);
	record_uint(FIELD_sample_tasks, s->tasks);
	record_uint(FIELD_sample_free_bytes, s->free_bytes);
	record_uint(FIELD_sample_ticks, sum_of(i->ticks));
	record_uints(FIELD_sample_queued, i->queued, n);
	record_uints(FIELD_sample_switches, i->switches, n);
	record_uints(FIELD_sample_migrations, i->migrations, n);
	record_uints(FIELD_sample_idle_ns, i->idle_ns, n);
	record_end();
}

static unsigned long long per_second(u64 events, const struct interval *i)
{
	return (events * NSEC_PER_SEC + i->ns / 2) / max_u64(i->ns, 1);
}

static void say_head(void)
{
	say("procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n"
	    " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n");
}

/* No task sleeps uninterruptibly, nothing is swapped, read or written; of interrupts only ticks are counted, and what a CPU does
 * for tasks is not told from what it does for them in the kernel. */
static void say_sample(const struct sample *s, const struct interval *i)
{
	u64 all_ns = max_u64(1, i->ns * machine_nr_cpus());
	int idle = (int)min_u64(100, (100 * sum_of(i->idle_ns) + all_ns / 2) / all_ns);

	say("%2d %2d %6d %6llu %6d %6d %4d %4d %5d %5d %4llu %4llu %2d %2d %2d %2d %2d\n", (int)sum_of(i->queued), 0, 0,
		(unsigned long long)(s->free_bytes >> 10), 0, 0, 0, 0, 0, 0, per_second(sum_of(i->ticks), i),
		per_second(sum_of(i->switches), i), 100 - idle, 0, idle, 0, 0);
	if (s->lost)
		say("(before this one %llu samples were lost: there was no more room)\n", (unsigned long long)s->lost);
}

void sampler_report(u64 position)
{
	static struct interval interval;

	if (sampler.taken < 2)
		return;
	say_head();
	for (u64 i = 1; i < sampler.taken; i++) {
		compare(sample_at(i - 1), sample_at(i), &interval);
		say_sample(sample_at(i), &interval);
	}
	for (u64 i = 1; i < sampler.taken; i++) {
		compare(sample_at(i - 1), sample_at(i), &interval);
		put_sample(position, i - 1, sample_at(i), &interval);
	}
}
