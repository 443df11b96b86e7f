/* SPDX-License-Identifier: GPL-2.0-or-later
 * The decision trace: what was decided, when, about whom and why (docs/trace.md).
 *
 * Each CPU writes down what it decides in a ring of its own, in which new events replace the oldest. Reasons come about in other
 * places than the events that tell them, a few calls before: they are left in the CPU's scratch.
 */
#include "sched/trace.h"

#include "base/mem.h"
#include "base/text.h"
#include "sched/balance.h"

static_assert(RESULT_one_pinned - RESULT_moved == PASS_ONE_PINNED - PASS_MOVED, "one word for each result, in order");
static_assert(FOUND_arriving - FOUND_not_due == WASTE_ARRIVING - WASTE_NOT_DUE, "one word for each cause, in order");
static_assert(FOR_newidle - FOR_idle == CPU_NEWLY_IDLE - CPU_IDLE, "one word for each occasion, in order");
static_assert(MIGRATE_newidle - MIGRATE_idle == CPU_NEWLY_IDLE - CPU_IDLE, "one word for each occasion, in order");
static_assert(AT_NUMA - AT_SIBLING == LEVEL_NUMA - LEVEL_SMT, "one word for each level, in order");
static_assert(NR_TRACE_WORDS <= 256 && MAX_CPUS < TRACE_NO_CPU, "they fit where entries have them");

/* ---- entries: the arguments of each event, one after the other ---- */

typedef u32 entry_TASK, entry_NUMBER;
typedef u16 entry_CPU;
typedef u8 entry_WORD, entry_FLAGS;

struct trace_entry {
	u64 time_ns : 56, event : 8; /* two years */
	union {
		struct {
			u8 none;
#define EVENT(event, meaning)                                                                                                      \
	}                                                                                                                          \
	;                                                                                                                          \
	struct {
#define ARG(event, arg, kind, meaning) entry_##kind event##_##arg;
#define WORD(list, word, meaning)
#include "base/trace.def"
#undef EVENT
#undef ARG
#undef WORD
		};
	};
};
static_assert(sizeof(struct trace_entry) == 24, "small, since there are many");

static const struct {
	u8 event, offset, bytes;
} args[] = {
#define EVENT(event, meaning)
#define ARG(event, arg, kind, meaning)                                                                                             \
	{ TRACE_##event, offsetof(struct trace_entry, event##_##arg), sizeof(((struct trace_entry *)0)->event##_##arg) },
#define WORD(list, word, meaning)
#include "base/trace.def"
#undef EVENT
#undef ARG
#undef WORD
};

/* ---- per CPU ---- */

/* Owner CPU, interrupts off; `on`: the queue's lock to change. */
static struct tracer {
	struct trace_entry *ring;
	u64 written; /* ever, in this run; the next goes to ring[next] */
	u32 next;
	bool on;
	u8 place, rule;		    /* enum trace_word */
	struct trace_entry *waking; /* the last of those; NULL: it was not traced */
	/* As they were before the CPU picked. */
	u32 nr_running;
	const struct sched_entity *leftmost, *next_buddy, *last_buddy;
} cache_aligned tracers[MAX_CPUS];

static u32 ring_entries;
static bool wanted; /* the state that CPUs go over to when their counters are read */

bool trace_on, trace_kept;

static struct tracer *this_tracer(void)
{
	return &tracers[machine_cpu()];
}

/* Room for an event of this CPU, to be filled in; NULL: it is not traced now. */
static struct trace_entry *begin(enum trace_event event)
{
	struct tracer *c = this_tracer();
	struct trace_entry *e = &c->ring[c->next];

	debug_bug_on(!machine_irqs_off());
	if (!READ_ONCE(c->on))
		return NULL;
	c->next = c->next + 1 < ring_entries ? c->next + 1 : 0;
	c->written++;
	e->time_ns = machine_peek_ns();
	e->event = event;
	return e;
}

static u32 in_32_bits(u64 n)
{
	return (u32)min_u64(n, UINT32_MAX);
}

/* ---- switches ---- */

void trace_pick(const struct rq *rq)
{
	struct tracer *c = this_tracer();

	c->nr_running = rq->cfs.nr_running;
	c->leftmost = rq->cfs.leftmost;
	c->next_buddy = rq->cfs.next;
	c->last_buddy = rq->cfs.last;
}

/* Where one is both buddies, which of them it has been picked as: see buddy.c. */
static bool last_wins(void)
{
	return knob.buddy_pick == BUDDY_PICK_LAST_FIRST || (knob.buddy_pick == BUDDY_PICK_KEEP && !knob.NEXT_BUDDY);
}

/* Who is leftmost needs no other reason. */
static enum trace_word why_fair(const struct tracer *c, const struct sched_entity *se)
{
	if (c->nr_running == 1)
		return PICK_only;
	if (se == c->leftmost)
		return PICK_leftmost;
	if (se == c->next_buddy && !(se == c->last_buddy && last_wins()))
		return PICK_next_buddy;
	return se == c->last_buddy ? PICK_last_buddy : PICK_skip;
}

static enum trace_word why_picked(const struct task *t)
{
	if (t->is_idle)
		return PICK_idle;
	if (t->class == &fair_class)
		return why_fair(this_tracer(), &t->se);
	return t->class == &rt_class ? PICK_real_time : PICK_stopper;
}

void trace_switched(const struct task *prev, const struct task *next, bool sleeps, bool preempted)
{
	struct trace_entry *e = begin(TRACE_switch);
	bool dead = prev->state == TASK_DEAD;

	if (!e)
		return;
	e->switch_prev = prev->id;
	e->switch_next = next->id;
	e->switch_why = why_picked(next);
	if (sleeps)
		e->switch_left = dead ? LEFT_dead : LEFT_sleeps;
	else
		e->switch_left = preempted ? LEFT_preempted : LEFT_runs_on;
}

/* ---- moving ---- */

void trace_migrate(const struct task *t, unsigned to, enum trace_word cause)
{
	struct trace_entry *e = t->cpu != to ? begin(TRACE_migrate) : NULL;

	if (!e)
		return;
	e->migrate_task = t->id;
	e->migrate_from = (u16)t->cpu;
	e->migrate_to = (u16)to;
	e->migrate_cause = (u8)cause;
}

/* A push is no pass, and is made for no CPU. */
void trace_pull(const struct balance *b, const struct task *t)
{
	trace_migrate(t, b->dst_cpu, b->rq ? MIGRATE_idle + b->idle : MIGRATE_push);
}

/* ---- waking ---- */

void trace_place(enum trace_word why)
{
	this_tracer()->place = (u8)why;
}

void trace_rule(enum trace_word rule)
{
	this_tracer()->rule = (u8)rule;
}

void trace_waking(const struct task *t, unsigned cpu, unsigned wake_flags)
{
	struct tracer *c = this_tracer();
	struct trace_entry *e = c->waking = begin(TRACE_waking);

	if (!e)
		return;
	e->waking_waker = current()->id;
	e->waking_task = t->id;
	e->waking_flags = (wake_flags & WAKE_SYNC ? TRACE_FLAG_SYNC : 0) | (this_rq()->in_interrupt ? TRACE_FLAG_INTERRUPT : 0);
	e->waking_cpu = (u16)cpu;
	e->waking_why = t->class == &stop_class ? PLACE_bound : c->place;
	trace_migrate(t, cpu, MIGRATE_wakeup);
}

/* Nothing but its migration has been written since. */
void trace_remote(void)
{
	struct tracer *c = this_tracer();

	if (c->waking)
		c->waking->waking_flags |= TRACE_FLAG_REMOTE;
}

/* What the classes need not say. */
static u8 rule_of(const struct task *t, unsigned cpu)
{
	return t == cpu_rq(cpu)->curr ? (u8)RULE_itself : this_tracer()->rule;
}

void trace_wakeup(const struct task *t, unsigned cpu)
{
	struct trace_entry *e = begin(TRACE_wakeup);

	if (!e)
		return;
	e->wakeup_task = t->id;
	e->wakeup_cpu = (u16)cpu;
	e->wakeup_rule = rule_of(t, cpu);
}

void trace_wakeup_new(const struct task *t, unsigned cpu)
{
	struct trace_entry *e = begin(TRACE_wakeup_new);

	if (!e)
		return;
	e->wakeup_new_task = t->id;
	e->wakeup_new_cpu = (u16)cpu;
	e->wakeup_new_rule = rule_of(t, cpu);
}

/* ---- fork, exec ---- */

void trace_fork(const struct task *child, unsigned cpu)
{
	struct trace_entry *e = begin(TRACE_fork);

	if (!e)
		return;
	e->fork_parent = current()->id;
	e->fork_child = child->id;
	e->fork_cpu = (u16)cpu;
	e->fork_why = this_tracer()->place;
	trace_migrate(child, cpu, MIGRATE_fork);
}

void trace_exec(const struct task *t, unsigned cpu)
{
	struct trace_entry *e = begin(TRACE_exec);

	if (!e)
		return;
	e->exec_task = t->id;
	e->exec_cpu = (u16)cpu;
	e->exec_why = this_tracer()->place;
}

/* ---- balancing ---- */

void trace_balance(const struct balance *b, unsigned result, unsigned moved)
{
	struct trace_entry *e = begin(TRACE_balance);

	if (!e)
		return;
	e->balance_cpu = (u16)b->rq->cpu;
	e->balance_level = (u8)(AT_SIBLING + b->sd->kind);
	e->balance_occasion = (u8)(FOR_idle + b->idle);
	e->balance_result = (u8)(RESULT_moved + result);
	e->balance_found = (u8)(FOUND_not_due + (*b->responsible ? b->met : WASTE_NOBODY));
	e->balance_busiest = b->src && b->src != b->dst ? (u16)b->src->cpu : TRACE_NO_CPU;
	e->balance_moved = moved;
	e->balance_imbalance = in_32_bits(b->wanted);
}

void trace_newidle(const struct rq *rq, enum trace_word result, u64 took_ns)
{
	struct trace_entry *e = begin(TRACE_newidle);

	if (!e)
		return;
	e->newidle_result = (u8)result;
	e->newidle_found = (u8)(FOUND_not_due + rq->look);
	e->newidle_avg_idle_ns = in_32_bits(rq->avg_idle);
	e->newidle_cost_ns = in_32_bits(knob.sched_migration_cost_ns);
	e->newidle_took_ns = in_32_bits(took_ns);
}

/* ---- the names of those who have ended ---- */

enum { MOST_ENDED = 16384, MOST_NAMED = MOST_ENDED + 2 * MAX_CPUS + 1 };

static struct {
	struct traced_task *task; /* [MOST_NAMED] */
	u32 ended;		  /* atomic; may come to more than there is room for */
} named;

/* As Linux counts it: 0 is the best, 120 is nice 0. */
static u8 priority_of(const struct task *t)
{
	if (t->class == &stop_class)
		return 0;
	return (u8)(t->class == &rt_class ? 99 - t->rt_priority : 120 + t->nice);
}

static void name_task(struct traced_task *n, const struct task *t)
{
	n->id = t->id;
	n->priority = priority_of(t);
	n->idle = t->is_idle;
	text_copy(n->name, sizeof(n->name), t->name);
}

void trace_end(const struct task *t)
{
	u32 i = __atomic_fetch_add(&named.ended, 1, __ATOMIC_RELAXED);
	struct trace_entry *e = trace_on ? begin(TRACE_exit) : NULL;

	if (e)
		e->exit_task = t->id;
	if (i < MOST_ENDED)
		name_task(&named.task[i], t);
}

/* Behind those who have ended come those who outlive runs. */
unsigned sched_trace_tasks(const struct traced_task **tasks, u64 *left_out)
{
	unsigned n = (unsigned)min_u64(named.ended, MOST_ENDED);

	*tasks = named.task;
	*left_out = named.ended - n;
	name_task(&named.task[n++], current());
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++) {
		name_task(&named.task[n++], cpu_rq(cpu)->idle);
		name_task(&named.task[n++], cpu_rq(cpu)->stop);
	}
	return n;
}

/* ---- from run to run ---- */

int sched_trace_reserve(u32 entries)
{
	bug_on(trace_kept);
	named.task = mem_alloc_forever(MOST_NAMED * sizeof(*named.task));
	if (!named.task)
		return -E_NOMEM;
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++) {
		tracers[cpu].ring = mem_alloc_forever((u64)entries * sizeof(struct trace_entry));
		if (!tracers[cpu].ring)
			return -E_NOMEM;
	}
	ring_entries = entries;
	trace_kept = true;
	return 0;
}

u64 sched_trace_bytes(u32 entries)
{
	return nr_cpus * (u64)entries * sizeof(struct trace_entry) + MOST_NAMED * sizeof(struct traced_task);
}

void sched_trace(bool on)
{
	if (!trace_kept)
		return;
	wanted = on;
	trace_on = true; /* until trace_follow() has seen the last CPU stop */
	for (unsigned cpu = 0; on && cpu < nr_cpus; cpu++) {
		tracers[cpu].written = 0;
		tracers[cpu].next = 0;
	}
}

/* Here, so that the events of a CPU are those that its counters count. */
void trace_follow(unsigned cpu)
{
	WRITE_ONCE(tracers[cpu].on, wanted);
	if (!wanted && cpu == nr_cpus - 1)
		trace_on = false;
}

void sched_trace_forget(void)
{
	named.ended = 0;
}

u64 sched_trace_events(unsigned cpu, u64 *lost)
{
	u64 kept = min_u64(tracers[cpu].written, ring_entries);

	*lost = tracers[cpu].written - kept;
	return kept;
}

static u64 read_arg(const struct trace_entry *e, unsigned arg)
{
	u64 n = 0;

	memcpy(&n, (const char *)e + args[arg].offset, args[arg].bytes);
	return n;
}

unsigned sched_trace_event(unsigned cpu, u64 i, u64 *time_ns, u64 number[TRACE_NUMBERS])
{
	const struct tracer *c = &tracers[cpu];
	const struct trace_entry *e = &c->ring[c->written > ring_entries ? (c->next + i) % ring_entries : i];
	unsigned n = 0;

	*time_ns = e->time_ns;
	number[n++] = e->event;
	for (unsigned arg = 0; arg < ARRAY_SIZE(args); arg++)
		if (args[arg].event == e->event)
			number[n++] = read_arg(e, arg);
	return n;
}
