/* SPDX-License-Identifier: GPL-2.0-or-later
 * The scheduler's inside: run queues, domains, classes. Only sched/ and its tests include this. */
#ifndef SCHED_RQ_H
#define SCHED_RQ_H

#include "base/bug.h"
#include "sched/sched.h"

RB_HEAD(entity_tree, sched_entity);
RB_PROTOTYPE(entity_tree, sched_entity, node, entity_order)

struct cfs_rq {
	struct load_weight load; /* of all queued, the running one included */
	u32 nr_running;
	u64 min_vruntime;
	struct entity_tree tree;
	struct sched_entity *leftmost;
	struct sched_entity *curr, *next, *last, *skip;
	TAILQ_HEAD(entity_list, sched_entity) tasks; /* newest first */
};

enum { NR_CPU_LOADS = 5 };

struct sched_counts {
	u64 switches, voluntary, involuntary, migrations, wakeups_local, wakeups_remote, exec_ns, idle_ns, active_pushes;
	u64 schedules, went_idle, yields, ticks;
	u64 balance_attempts[NR_IDLE_TYPES], balance_pulls[NR_IDLE_TYPES]; /* rq->balancing */
};

struct stop_work {
	struct stop_work *next;
	void (*fn)(void *);
	void *argument;
};

struct rq {
	struct spinlock lock;
	u32 cpu;
	u32 nr_running; /* of all classes; lock, read by balancers */
	struct task *curr, *idle, *stop;
	struct cfs_rq cfs;
	u64 clock; /* ns; lock */
	u64 cpu_load[NR_CPU_LOADS];
	u64 load_tick;	/* lock; number of the tick that cpu_load is of */
	u64 idle_since; /* lock; clock when the idle task was picked */

	struct sched_domain *sd; /* the bottom of its chain */
	u32 power;		 /* 1024: a core of its own */
	u32 llc_id;		 /* first CPU that shares its last-level cache */
	u64 next_balance;	 /* tick number */
	u64 tick_phase;		 /* ns; atomic */
	u64 next_tick;		 /* ns; owner CPU; TIMER_NEVER: none, or under way */
	u64 slice_end;		 /* ns; lock, read by its CPU; HRTICK: when the running task has to go */
	u64 idle_stamp, avg_idle, max_idle_balance_cost;
	u32 balancing;	       /* atomic; somebody balances for this CPU, see balance_enter() */
	bool tick_stopped;     /* owner CPU, and lock to set it */
	bool nohz_idle;	       /* owner CPU; is counted in nohz */
	bool nohz_recent;      /* owner CPU; has been so since its last busy tick */
	bool nohz_kicked;      /* atomic; is to balance for the idle CPUs */
	bool active_balance;   /* lock */
	u32 push_cpu;	       /* lock */
	struct stop_work push; /* while active_balance */

	struct task *wake_list;	     /* atomic; newest first */
	struct stop_work *stop_list; /* atomic */
	struct sched_counts count;   /* owner CPU, with interrupts off */
} cache_aligned;

extern struct rq runqueues[MAX_CPUS];

static inline struct rq *cpu_rq(unsigned cpu)
{
	return &runqueues[cpu];
}

static inline struct rq *this_rq(void)
{
	return &runqueues[machine_cpu()];
}

static inline struct rq *task_rq(const struct task *t)
{
	return &runqueues[READ_ONCE(t->cpu)];
}

static inline struct task *task_of(struct sched_entity *se)
{
	return container_of(se, struct task, se);
}

static inline struct rq *rq_of(struct cfs_rq *cfs)
{
	return container_of(cfs, struct rq, cfs);
}

static inline u64 rq_weight(const struct rq *rq)
{
	return READ_ONCE(rq->cfs.load.weight);
}

/* ---- core.c ---- */

extern unsigned nr_cpus;
extern struct cpumask cpus_online;

/* The value of sched_migration_cost_ns that means: always hot. */
#define MIGRATION_COST_ALWAYS_HOT 4294967295ull

void rq_update_clock(struct rq *rq);
unsigned long rq_lock_task(struct task *t, struct rq **rq); /* the rq that t is on or was last on */
void rq_lock_pair(struct rq *a, struct rq *b);		    /* interrupts off; ascending */
void rq_unlock_pair(struct rq *a, struct rq *b);

void task_resched(struct task *t); /* runs on a CPU whose rq lock is held: make it give the CPU up soon */
void task_set_cpu(struct task *t, unsigned cpu);
void rq_activate(struct rq *rq, struct task *t, unsigned enqueue_flags);
void rq_deactivate(struct rq *rq, struct task *t, unsigned dequeue_flags);
void rq_check_preempt(struct rq *rq, struct task *t, unsigned wake_flags);
void task_release(struct task *t); /* drop one of its two references */
void rq_drain_wake_list(struct rq *rq);

/* Number of the tick that has begun last; the same on all CPUs. */
u64 tick_now(void);
u64 tick_ns(void);
u64 ticks_of_ms(u64 ms); /* at least 1 */

/* This CPU's, interrupts off. */
void tick_arm(struct rq *rq);	  /* start the tick, or go on with it */
void tick_stop(struct rq *rq);	  /* rq->lock held */
void rq_arm_timer(struct rq *rq); /* for its tick or the end of its slice */

/* 2.6.32: the idle task runs. 3.8: and nothing is queued and nothing is on its way. */
static inline bool cpu_is_idle(unsigned cpu)
{
	const struct rq *rq = cpu_rq(cpu);

	if (READ_ONCE(rq->curr) != rq->idle)
		return false;
	return knob.idle_cpu == IDLE_CPU_CURR || (!READ_ONCE(rq->nr_running) && !READ_ONCE(rq->wake_list));
}

/* ---- classes ---- */

enum enqueue_flags { ENQUEUE_WAKEUP = 1, ENQUEUE_WAKING = 2 };
enum dequeue_flags { DEQUEUE_SLEEP = 1 };
enum select_kind { SELECT_WAKE, SELECT_FORK, SELECT_EXEC };

struct sched_class {
	const struct sched_class *lower;
	/* All but select_cpu: rq->lock held, clock updated. */
	void (*enqueue)(struct rq *, struct task *, unsigned enqueue_flags);
	void (*dequeue)(struct rq *, struct task *, unsigned dequeue_flags);
	struct task *(*pick)(struct rq *); /* the task becomes the running one; NULL: none */
	void (*put)(struct rq *, struct task *);
	void (*check_preempt)(struct rq *, struct task *, unsigned wake_flags);
	void (*tick)(struct rq *, struct task *);
	void (*yield)(struct rq *);
	void (*waking)(struct task *); /* wakeup_lock held */
	unsigned (*select_cpu)(struct task *, enum select_kind, unsigned wake_flags);
};

extern const struct sched_class stop_class, fair_class, idle_class;

/* ---- weight.c ---- */

u64 calc_delta(u64 delta, u64 weight, struct load_weight *of);
u64 calc_delta_fair(u64 delta, struct sched_entity *se);
void weight_set(struct task *t);
void weight_add(struct load_weight *load, u64 weight);
void weight_sub(struct load_weight *load, u64 weight);
enum { NICE_0_WEIGHT = 1024 };

/* ---- fair.c ---- */

void cfs_init(struct cfs_rq *cfs);
void cfs_rebase(struct cfs_rq *cfs); /* whoever is queued starts even; nobody runs */
void cfs_update_curr(struct cfs_rq *cfs);
void cfs_fork(struct task *child); /* on the parent's CPU */
u64 cfs_nr_latency(void);
u64 se_slice(struct cfs_rq *cfs, struct sched_entity *se);
struct sched_entity *cfs_second(struct cfs_rq *cfs);
void cfs_reweight(struct rq *rq, struct task *t);

static inline s64 vruntime_lead(const struct sched_entity *a, const struct sched_entity *b)
{
	return (s64)(a->vruntime - b->vruntime);
}

/* ---- preempt.c ---- */

int se_preempts(struct sched_entity *curr, struct sched_entity *se); /* -1, 0, +1 */
void fair_check_preempt(struct rq *rq, struct task *t, unsigned wake_flags);
void fair_check_tick(struct cfs_rq *cfs, struct sched_entity *curr);

/* ---- hrtick.c: rq->lock held, clock and runtime up to date ---- */

void hrtick_update(struct rq *rq); /* who runs, or for how long, has changed */
void hrtick_stop(struct rq *rq);
void hrtick_expire(struct rq *rq); /* of this CPU; no lock held */

/* The tick leaves it to the timer to end the slice. */
static inline bool hrtick_rules(const struct rq *rq)
{
	return unlikely(knob.HRTICK) && !knob.DOUBLE_TICK && rq->slice_end != TIMER_NEVER;
}

/* ---- buddy.c ---- */

void buddy_clear(struct cfs_rq *cfs, struct sched_entity *se);
void buddy_set_next(struct sched_entity *se);
void buddy_set_last(struct sched_entity *se);
struct sched_entity *buddy_pick(struct cfs_rq *cfs);
bool buddy_is_hot(struct task *t);
void buddy_on_wakeup(struct rq *rq, struct task *wakee, unsigned wake_flags);
void buddy_on_preempt(struct rq *rq, struct task *wakee);

/* ---- domain.c ---- */

enum sd_flags {
	SD_LOAD_BALANCE = 0x1,
	SD_BALANCE_NEWIDLE = 0x2,
	SD_BALANCE_EXEC = 0x4,
	SD_BALANCE_FORK = 0x8,
	SD_BALANCE_WAKE = 0x10,
	SD_WAKE_AFFINE = 0x20,
	SD_SHARE_CPUPOWER = 0x80,
	SD_SHARE_PKG_RESOURCES = 0x200,
	SD_SERIALIZE = 0x400,
	SD_PREFER_SIBLING = 0x1000,
	SD_OVERLAP = 0x2000,
};

struct sched_group {
	struct sched_group *next; /* a ring, by ascending CPU */
	struct cpumask span;
	u32 weight;
	u32 power; /* 1024 per core */
};

struct sd_counts {
	u64 count, balanced, failed, imbalance, gained, hot_gained, nobusyq, nobusyg;
};

struct sched_domain {
	struct sched_domain *parent, *child;
	struct sched_group *groups; /* the one that holds the owner CPU */
	struct cpumask span;
	u32 weight;
	const char *name;
	u32 flags;
	u32 min_interval, max_interval; /* ms */
	u32 busy_factor, imbalance_pct, cache_nice_tries;
	u32 busy_idx, idle_idx, newidle_idx, wake_idx, forkexec_idx;
	/* The rest belongs to who has set rq->balancing, but for alb_*, which the stopper of the CPU pushed from counts under both
	 * locks. */
	u32 balance_interval; /* ms */
	u32 nr_balance_failed;
	u64 last_balance; /* tick number */
	u64 max_newidle_lb_cost, next_decay;
	struct sd_counts counts[NR_IDLE_TYPES];
	u64 alb_count, alb_failed, alb_pushed, move_affine;
};

#define for_each_domain(cpu, sd) for (struct sched_domain *sd = cpu_rq(cpu)->sd; sd; sd = sd->parent)

int domains_build(const struct topology *topology); /* 0, -E_NOMEM */
void domains_reset(unsigned cpu);		    /* flags by the knobs, dynamic fields as after boot */
struct sched_domain *llc_domain(unsigned cpu);	    /* the highest that shares a cache; NULL: none */
unsigned llc_id(unsigned cpu);			    /* first CPU that shares it */
u32 cpu_power(unsigned cpu);
unsigned group_balance_cpu(const struct sched_group *g);
u32 power_capacity(const struct sched_domain *sd, u32 power);

/* ---- placement.c ---- */

unsigned fair_select_cpu(struct task *t, enum select_kind kind, unsigned wake_flags);
bool wake_affine(struct sched_domain *sd, struct task *t, bool sync);
unsigned select_idle_sibling(struct task *t, unsigned target);

/* ---- load.c ---- */

void cpu_load_tick(struct rq *rq);
void cpu_load_catch_up(struct rq *rq);
u64 cpu_load_decay(u64 load, unsigned i, u64 missed);
u64 source_load(unsigned cpu, unsigned idx);
u64 target_load(unsigned cpu, unsigned idx);

/* ---- balance.c, busiest.c, newidle.c ---- */

/* What one balance pass knows and has decided. */
struct balance {
	struct sched_domain *sd;
	enum idle_type idle;
	unsigned cpu; /* for which the pass is made, not always by which */
	unsigned dst_cpu;
	struct rq *dst, *src;
	struct cpumask cpus; /* candidates */
	u64 imbalance;	     /* weight still to move */
	bool all_pinned, some_pinned, need_break;
	unsigned new_dst_cpu, loop, loop_break;
	bool *responsible; /* cleared when another CPU should balance here and above */
};

struct sched_group *find_busiest_group(struct balance *b);
struct rq *find_busiest_queue(struct balance *b, struct sched_group *g);
bool task_is_hot(struct task *t, u64 now);
unsigned load_balance(struct rq *rq, struct sched_domain *sd, enum idle_type idle, bool *responsible);
/* Interrupts off, no lock held. */
void rebalance_domains(struct rq *rq, enum idle_type idle); /* on any CPU; nothing if somebody does so for rq already */
void balance_tick(struct rq *rq);
void newidle_balance(struct rq *rq);
void avg_idle_update(struct rq *rq);

/*
 * A CPU's domains are balanced by the CPU itself, or while it is idle by another. Whoever begins has them to itself; the other goes
 * without, since to wait is not possible: each may hold or want the lock of the CPU's queue.
 */
static inline bool balance_enter(struct rq *rq)
{
	return !__atomic_exchange_n(&rq->balancing, 1, __ATOMIC_ACQUIRE);
}

static inline void balance_leave(struct rq *rq)
{
	STORE_RELEASE(rq->balancing, 0);
}

/* ---- nohz.c ---- */

/* The CPUs whose tick has stopped, and who balances for them. */
struct nohz {
	struct cpumask idle; /* atomic by word */
	u32 nr_idle;	     /* atomic */
	u32 owner;	     /* atomic; CPU + 1, 0: none */
	u64 next_balance;    /* atomic; tick number */
};
extern struct nohz nohz;

/* Of this CPU, interrupts off. The first two: rq->lock held. */
void nohz_enter(struct rq *rq);	 /* it is idle */
void nohz_exit(struct rq *rq);	 /* its tick was stopped, and it will run a task */
void nohz_tick(struct rq *rq);	 /* no lock held, like the rest */
void nohz_kicked(struct rq *rq); /* rq->nohz_kicked is set */
void nohz_balance_as_owner(struct rq *rq);

void nohz_forget(void);		/* when knobs have changed, before the queues are reset: */
void nohz_reset(struct rq *rq); /* in each CPU's stopper */

/* ---- account.c ---- */

/* Forget what the queue has learned and take over the knobs. argument: its rq. */
void rq_reset(void *argument);

/* ---- stop.c ---- */

void stop_init(unsigned cpu);
void stop_queue(unsigned cpu, struct stop_work *work);		 /* returns at once */
void stop_run(unsigned cpu, void (*fn)(void *), void *argument); /* waits until done; task context */

/* ---- fork.c ---- */

struct task *task_new(const char *name, void (*entry)(void *), void *argument);
void task_start(struct context *prev); /* where a new context begins */
void finish_switch(struct task *prev);

#endif
