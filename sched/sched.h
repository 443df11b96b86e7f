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

/* What CFS keeps of a task. Guarded by the lock of its run queue. */
struct sched_entity {
	RB_ENTRY(sched_entity) node;	 /* cfs->tree, while queued and not running */
	TAILQ_ENTRY(sched_entity) peers; /* cfs->tasks, while queued */
	struct load_weight load;
	bool on_rq;
	u64 exec_start;	   /* rq clock when its runtime was last accounted */
	u64 sum_exec;	   /* ns of CPU time, ever */
	u64 prev_sum_exec; /* sum_exec when it was last picked */
	u64 vruntime;	   /* ns, weighted; relative to min_vruntime while not queued */
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
	u32 warm_cpu;					 /* own; where it ran last */
	u64 nr_migrations, nr_voluntary, nr_involuntary; /* rq->lock */

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
_Noreturn void task_exit(void);

/* Wait until a child has ended and let go of it. child: that one, or REAP_ANY for the first. */
#define REAP_ANY ((struct task *)0)
void task_reap(struct task *child);

/* Between runs, when all tasks but the one that runs them are gone and before mem_end_run(): their memory is no longer the
 * scheduler's. */
void sched_end_run(void);

/* Tasks that exist apart from idle tasks and stoppers. */
u32 task_count(void);

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
void task_sleep_ns(u64 ns);

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
/* What exec does to the calling task: exec balancing may move it. */
void task_exec(void);

/* ---- ticks ---- */

/* Spread the ticks of the CPUs over the period, by that seed; 0: all at once. Takes effect from each CPU's next tick on. */
void sched_set_tick_phases(u64 seed);

/* ---- counters ---- */

/* What a CPU is about when it balances. */
enum idle_type { CPU_IDLE, CPU_NOT_IDLE, CPU_NEWLY_IDLE, NR_IDLE_TYPES };

/* Machine-wide sums and per-CPU idle time, since boot. */
struct sched_totals {
	u64 switches, voluntary, involuntary, migrations, wakeups_local, wakeups_remote, task_clock_ns;
	u64 balance_attempts[NR_IDLE_TYPES], balance_pulls[NR_IDLE_TYPES];
	u64 active_pushes;
	u64 idle_ns[MAX_CPUS];
};
void sched_totals(struct sched_totals *out);

/* Print the domain tree of every distinct shape. */
void sched_say_domains(void);

#endif
