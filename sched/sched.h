/* SPDX-License-Identifier: GPL-2.0-or-later
 * The scheduler as the layers above see it: tasks, and what can be done to them.
 *
 * Lock order: task->wakeup_lock, then run-queue locks by ascending CPU (base/spinlock.h has the whole list). Interrupts are off
 * while a run-queue lock is held, and that lock crosses a context switch: the next task releases what the previous one took.
 */
#ifndef SCHED_SCHED_H
#define SCHED_SCHED_H

#include <bsd/sys/queue.h>
#include <bsd/sys/tree.h>

#include "arch/machine.h"
#include "base/cpumask.h"
#include "base/spinlock.h"
#include "sched/knobs.h"

enum task_state {
	TASK_RUNNING,  /* runs or wants to */
	TASK_SLEEPING, /* waits to be woken */
	TASK_WAKING,   /* has been woken, is not queued yet */
	TASK_DEAD,     /* will never run again */
};

/* The last two are real-time ones. */
enum task_policy { POLICY_NORMAL, POLICY_BATCH, POLICY_IDLE, POLICY_FIFO, POLICY_RR };

/* A weight and its cached inverse, about 2^32 / weight; inverse 0: not known yet. */
struct load_weight {
	u64 weight;
	u32 inverse;
};

/* For how much of the recent past somebody was runnable, by pelt.c, in units of 1024 ns; kept while power_aware(). */
struct sched_avg {
	u64 last_update; /* ns */
	u32 sum, period; /* of decaying time: runnable, all */
	/* Of a task: */
	u64 contribution; /* to its queue's sums of load */
	s64 decay_count;  /* asleep: the queue's decay_counter then; moved while asleep: less the steps slept until then; else 0 */
};

/* What CFS keeps of a task. Guarded by the lock of its run queue. */
struct sched_entity {
	RB_ENTRY(sched_entity) node;	 /* cfs->tree, while queued and not running */
	TAILQ_ENTRY(sched_entity) peers; /* cfs->tasks, while queued */
	struct load_weight load;
	bool on_rq;
	u64 exec_start;	   /* rq clock when its runtime was last accounted */
	u64 sum_exec;	   /* ns of CPU time, ever */
	u64 prev_sum_exec; /* sum_exec when it was last picked */
	u64 vruntime;	   /* ns, weighted; with vruntime=relative counted from min_vruntime while on its way to a queue */
	s64 avg_wakeup, avg_overlap, avg_running; /* ns; averages.c */
	u64 last_wakeup, start_runtime;		  /* values of sum_exec */
	struct sched_avg avg;
};

/* What the real-time class keeps of a task. Guarded by the lock of its run queue. */
struct rt_entity {
	TAILQ_ENTRY(task) peers;   /* rt->list[], while queued, the running one too */
	TAILQ_ENTRY(task) waiting; /* rt->pushable, while `pushable` */
	u32 slice;		   /* ticks left of POLICY_RR */
	bool queued, pushable;
	bool migratory; /* counts in rt->nr_migratory */
};

struct sched_class;
struct rq;

struct task {
	struct context context; /* first: machine_current() is a task */
	char name[24];
	u32 id;
	u8 state;	 /* enum task_state; atomic */
	u8 policy;	 /* enum task_policy; rq->lock */
	s8 nice;	 /* rq->lock */
	u8 rt_priority;	 /* 1..99, more is better; 0: not real-time; rq->lock */
	bool on_rq;	 /* rq->lock; read by wakers */
	bool on_cpu;	 /* still has a CPU's registers; atomic */
	u8 need_resched; /* rq->lock; read by its CPU */
	bool is_idle;	 /* an idle task */
	bool exiting;
	u32 preempt_off;   /* own; may not be preempted while above 0 */
	u32 syscall_depth; /* own; above 0: in kernel code */
	u32 cpu;	   /* while queued rq->lock to write, else wakeup_lock */
	struct spinlock wakeup_lock;
	const struct sched_class *class;
	struct sched_entity se;
	struct rt_entity rt;
	struct task *wake_next; /* rq->wake_list of its next CPU */
	struct cpumask allowed; /* wakeup_lock and rq->lock to write */
	u32 nr_allowed;
	u8 mask_kind;					 /* rq.h; of allowed */
	u32 warm_cpu;					 /* own; where it ran last */
	u64 nr_migrations, nr_voluntary, nr_involuntary; /* rq->lock */
	/* wakeup_lock; affine.c */
	u64 nr_wakeups_affine, nr_wakeups_affine_attempts;

	/* statistics: stats.c. rq->lock */
	u64 queued_at;		   /* rq clock when it was queued there or gave up the CPU */
	u64 run_delay_ns;	   /* time that it could have run and had no CPU, ever */
	u64 run_delay_before_wait; /* run_delay_ns when it last had one */
	u64 wait_max_ns;
	u64 pcount; /* times that it was given a CPU */
	/* Of a wakeup after which it has not run yet; written by the waker while t is on no queue, else rq->lock. latency.c */
	u64 woken_at;		   /* ns; 0: it has run */
	const struct rq *woken_by; /* of the waking CPU; NULL: by an interrupt */
	bool pulled;		   /* newidle has taken it to where it is about to run */
	u64 nr_failed_migrations_affine, nr_failed_migrations_running, nr_failed_migrations_hot, nr_forced_migrations;
	struct task_record *record; /* NULL: none is kept */

	/* family: fork.c */
	struct task *parent;
	TAILQ_ENTRY(task) siblings;
	TAILQ_HEAD(, task) zombies; /* child_lock: children that have ended */
	struct spinlock child_lock;
	u32 nr_children;     /* own: not yet reaped */
	bool awaiting;	     /* child_lock: in task_reap(), */
	struct task *awaits; /* child_lock: for this child or REAP_ANY */
	u32 references;	     /* atomic */
	void (*entry)(void *);
	void *argument;
	void *stack_top;
	bool owns_space;
	struct task **vfork_waiter; /* own: whom its exec or its end sets going again; NULL: nobody */
};

static inline struct task *current(void)
{
	return (struct task *)machine_current();
}

/* ---- the life of a task ---- */

/* Once, on the boot CPU, with memory and topology ready: this flow becomes CPU 0's idle task. */
void sched_init(void);
/* On every CPU at the end of its boot, interrupts off: run tasks for ever. */
_Noreturn void sched_run_cpu(void);
/* entry() of machine_start_cpus(). */
void sched_secondary(void);
/* Wait until every CPU has come so far; before it no task may be made. */
void sched_await_cpus(void);

/* Between runs, nothing else running: take over changed knobs and forget what was learned (idle averages, balance intervals, ...).
 */
void sched_apply_knobs(void);

/*
 * A child of the current task that will call entry(argument), placed by fork balancing and made runnable. `process` gives it an
 * address space of its own, else it shares its parent's. NULL when memory is out.
 */
struct task *task_spawn(const char *name, void (*entry)(void *), void *argument, bool process);
/* A child as by task_spawn() that shares this task's address space; the caller sleeps until the child has called task_exec() with
 * success or ended. */
struct task *task_vfork(const char *name, void (*entry)(void *), void *argument);
/* The calling task begins another program: exec balancing may move it, it gets an address space of its own (no threads of it may be
 * left in the one that it had), and who vforked it goes on. 0, or -E_NOMEM with nothing changed. */
int task_exec(void);
_Noreturn void task_exit(void);

/* Wait until a child has ended and let go of it. child: that one, or REAP_ANY for the first. Returns its id. */
#define REAP_ANY ((struct task *)0)
u32 task_reap(struct task *child);

/* Between runs, when all tasks but the one that runs them are gone and before mem_end_run(): their memory is no longer the
 * scheduler's. */
void sched_end_run(void);

/* Account for wasted time from now on; or do not: then nothing of it is noted, and the sums stay. Between runs, in a task. */
void sched_keep_waste(bool keep);
/* Between runs, before sched_end_run(): were tasks bound to so few sets of CPUs that the account of waste is exact? */
bool sched_waste_is_exact(void);

/* Tasks that exist apart from idle tasks and stoppers. */
u32 task_count(void);

/* CPU time that the current task has had, ever, in ns. */
u64 task_cpu_ns(void);

/* ---- sleeping and waking ---- */

/* The classic pattern: prepare, look whether the event has come, else schedule(), and at the end task_set_running(). */
void task_set_sleeping(void);
void task_set_running(void);
void schedule(void);

enum wake_flags { WAKE_SYNC = 1, WAKE_FORK = 2 };

/* Make a sleeping task runnable; false if it was not asleep. Any context; takes wakeup_lock and run-queue locks. */
bool task_wake(struct task *t, unsigned wake_flags);

/*
 * A one-shot event for one task, which sets *waiter to itself beforehand: task_await() returns when somebody has called
 * task_complete(), which sets *waiter to NULL. After that neither *waiter nor the task is touched by the other any more.
 */
void task_await(struct task **waiter);
void task_complete(struct task **waiter);

void task_yield(void);
/* Give the CPU to t, which waits somewhere: it runs next there, at once if `preempt`. False: t runs, sleeps or is of another class.
 */
bool task_yield_to(struct task *t, bool preempt);
void task_sleep_ns(u64 ns);
/* Until machine_clock_ns() is that, if it is not yet. */
void task_sleep_until_ns(u64 instant_ns);

/* ---- the boundary between user and kernel code ---- */

/* Around every call into ipc: with preempt=none only user code is preempted, and the way out looks whether somebody better waits.
 */
void syscall_enter(void);
void syscall_exit(void);

/* Where kernel code has just released its locks: with preempt=full a task that should yield the CPU does so here. */
void preempt_point(void);

/* ---- attributes ---- */

/* The task's nice level, -20..19. Any task. */
void task_set_nice(struct task *t, int nice);
/* Not for the real-time policies; takes a task out of them. */
void task_set_policy(struct task *t, enum task_policy policy);
/* POLICY_FIFO or POLICY_RR, priority 1..99. Any task; whoever has the best priority runs at once. */
void task_set_realtime(struct task *t, enum task_policy policy, unsigned priority);
/* The CPUs where t may run, at least one of them online; on return it is on none other. 0, -E_INVAL. */
int task_set_allowed(struct task *t, const struct cpumask *allowed);
/* ---- ticks ---- */

/* Number of the tick that has begun last; the same on all CPUs. */
u64 tick_now(void);

/* Spread the ticks of the CPUs over the period, by that seed; 0: all at once. Takes effect from each CPU's next tick on. */
void sched_set_tick_phases(u64 seed);

/* ---- counters ---- */

/* What a CPU is about when it balances. */
enum idle_type { CPU_IDLE, CPU_NOT_IDLE, CPU_NEWLY_IDLE, NR_IDLE_TYPES };

/* Time in which a CPU was idle while a task that may run there waited. */
struct waste {
	u64 ns;	      /* CPU time lost: of as many idle CPUs at a time as could have been given waiting tasks */
	u64 idle_ns;  /* per idle CPU that some waiting task may run on */
	u64 wait_ns;  /* per waiting task that may run on some idle CPU */
	u64 pairs_ns; /* per pair of the two */
};

/* Why an idle CPU did not have one of the waiting tasks (docs/waste.md); where it found several reasons, the last of them here. */
enum waste_cause {
	WASTE_NOT_DUE,	 /* it has not looked since they wait, or has seen none of them: its next date is to come */
	WASTE_NOBODY,	 /* its tick is stopped, or another CPU was to look on its behalf */
	WASTE_OFF,	 /* it became idle without looking: newidle=off or never */
	WASTE_THRESHOLD, /* it saw them, and took the difference for too small, or each for too heavy, to be moved */
	WASTE_THROTTLED, /* it became idle without looking, or without looking further: that would not have paid */
	WASTE_LOCK,	 /* it is looking, and may wait for locks */
	WASTE_AFFINITY,	 /* those it found may not run there */
	WASTE_HOT,	 /* those it found ran too recently */
	WASTE_BUDDY,	 /* those it found are buddies */
	WASTE_ARRIVING,	 /* something is on its way to it */
	NR_WASTE_CAUSES,
};

/* Machine-wide sums and per-CPU idle time, since boot. */
struct sched_totals {
	u64 switches, voluntary, involuntary, migrations, wakeups_local, wakeups_remote, wakeups_running, task_clock_ns;
	u64 balance_attempts[NR_IDLE_TYPES], balance_pulls[NR_IDLE_TYPES];
	u64 active_pushes, run_delay_ns;
	u64 newidle_calls, newidle_ns; /* newidle walks, throttled ones apart */
	u64 newidle_locks;	       /* pairs of run-queue locks taken in them */
	u64 newidle_followed,
		newidle_saved_ns;     /* pulls of which it is known how much longer the task would have waited, and that */
	u64 cold_ns, newidle_cold_ns; /* charged to tasks that found their caches cold, and of that to those that newidle pulled */
	struct waste waste;
	u64 wasted_by[NR_WASTE_CAUSES]; /* waste.ns by cause */
	u64 idle_ns[MAX_CPUS];
};
void sched_totals(struct sched_totals *out);

/* How far it is from the CPU that wakes a task to the one where it then runs: the same CPU, another of the core, of the last-level
 * cache, of the node, of the machine. What interrupts wake is kept apart, however far. */
enum wake_distance { WAKE_CPU, WAKE_CORE, WAKE_CACHE, WAKE_NODE, WAKE_FAR, WAKE_INTERRUPT, NR_WAKE_DISTANCES };

/* 16 buckets for every power of two (base/histogram.h), so that a number is known within 1/32; up to LATENCY_MOST. */
enum { LATENCY_BITS = 4, LATENCY_MAGNITUDE = 36, LATENCY_BUCKETS = (LATENCY_MAGNITUDE - LATENCY_BITS + 1) << LATENCY_BITS };
#define LATENCY_MOST ((1ull << LATENCY_MAGNITUDE) - 1)

/* Times from a wakeup until the task ran. All 0: none. */
struct latency {
	u64 sum_ns, max_ns;
	u64 bucket[LATENCY_BUCKETS];
};

/* Keep them of wakeups from now on; or do not. Between runs. */
void sched_keep_latencies(bool keep);
void sched_forget_latencies(void);
/* Those of all wakeups after which a task has run since, added up over the CPUs. */
void sched_latencies(struct latency out[NR_WAKE_DISTANCES]);

/* A CPU at this moment, and its counters since boot. Any context; changes nothing, not even by bringing a clock up to date. */
struct sched_sample {
	u64 queued; /* tasks that run or wait there */
	u64 switches, migrations, ticks, idle_ns;
};
void sched_sample(unsigned cpu, struct sched_sample *out);

/* The numbers of a CPU and of one of its domains in /proc/schedstat, version 15, in its order, since boot. */
enum { CPU_STATS = 9, DOMAIN_STATS = 36 };
void sched_cpu_stats(unsigned cpu, u64 out[CPU_STATS]);
/* level: 0 is the lowest. The domain's span, or NULL where the CPU has no such level. */
const struct cpumask *sched_domain_stats(unsigned cpu, unsigned level, u64 out[DOMAIN_STATS]);

/* ---- the decision trace: docs/trace.md; all of it between runs ---- */

/* Room for so many events of each CPU, once and for ever. 0, or -E_NOMEM: then there will be no trace. */
int sched_trace_reserve(u32 events);
u64 sched_trace_bytes(u32 events); /* what that takes */

/* Where there is room: trace each CPU from when its counters are next read by sched_totals(), or until then; the first forgets the
 * events there were. */
void sched_trace(bool on);

/* How many events of that CPU are there; more have been lost, the oldest. */
u64 sched_trace_events(unsigned cpu, u64 *lost);
/* Event i of them, 0 being the oldest: its time since boot, and how many numbers make it up: what it is, and its arguments. */
enum { TRACE_NUMBERS = 16 };
unsigned sched_trace_event(unsigned cpu, u64 i, u64 *time_ns, u64 number[TRACE_NUMBERS]);

struct traced_task {
	u32 id;
	u8 priority; /* as Linux counts it: 0 the best, 99 the last real-time one, 120 nice 0; when it ended */
	bool idle;   /* an idle task */
	char name[24];
};

/* Who has ended since the last sched_trace_forget(), and who outlives runs. left_out: for how many there was no room. */
unsigned sched_trace_tasks(const struct traced_task **tasks, u64 *left_out);
void sched_trace_forget(void);

/* What remains of a task when it has ended. */
struct task_record {
	struct task_record *next; /* made after it */
	char name[24];
	u32 id;
	u64 voluntary, involuntary, migrations, exec_ns, run_delay_ns, wait_max_ns;
};

/* Keep a record of every task made from now on, in the memory of the run; or do not. */
void sched_keep_tasks(bool keep);
/* Take those of tasks made since the last call; they last until mem_end_run(). left_out: for how many there was no memory. */
struct task_record *sched_take_tasks(u64 *left_out);

/* Print the domain tree of every distinct shape. */
void sched_say_domains(void);

#endif
