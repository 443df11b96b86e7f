/* SPDX-License-Identifier: GPL-2.0-or-later
 * The scheduler's inside: run queues, domains, classes. Only sched/ and its tests include this. */
#ifndef SCHED_RQ_H
#define SCHED_RQ_H

#include "base/bug.h"
#include "sched/sched.h"
#include "sched/trace.h"

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
	/* Of pelt.c, while power_aware(): */
	u64 runnable_load_avg, blocked_load_avg; /* contributions of who is queued, and of who sleeps */
	u64 decay_counter, last_decay;		 /* steps so far; ns */
	u64 removed_load;			 /* atomic; of sleepers that have left */
};

/* Level 0 is the best (priority 99), 98 the worst of real-time tasks; RT_LEVELS stands for none. */
enum { RT_LEVELS = 100 };

struct rt_rq {
	u64 time;	  /* ns that real-time tasks have run in this period; lock, read by borrowers */
	u64 runtime;	  /* ns that they may; atomic: borrowers take from it */
	u64 period_end;	  /* ns */
	u32 nr_running;	  /* all queued, the running one included */
	u32 nr_migratory; /* of these, who may go elsewhere */
	u8 highest;	  /* level of the best queued; lock, read by who looks for a CPU */
	u8 next;	  /* of the best pushable; lock, read by pullers */
	bool throttled;	  /* has run too long in this period */
	bool overloaded;  /* is in the mask that pullers look at */
	bool push_due;	  /* others wait behind the one picked: see whether they can run elsewhere */
	u64 levels[2];	  /* a bit for each list that is not empty */
	TAILQ_HEAD(rt_list, task) list[RT_LEVELS];
	struct rt_list pushable; /* queued, not running, may go elsewhere: best first */
};

enum { NR_CPU_LOADS = 5 };

struct sched_counts {
	u64 switches, voluntary, involuntary, migrations, wakeups_local, wakeups_remote, exec_ns, idle_ns, active_pushes;
	u64 wakeups_running; /* of those, of tasks that had the CPU still and went on */
	u64 schedules, went_idle, yields, ticks;
	u64 run_delay_ns, timeslices;
	u64 balance_attempts[NR_IDLE_TYPES], balance_pulls[NR_IDLE_TYPES]; /* rq->balancing */
	u64 newidle_calls, newidle_ns;		/* walks of newidle_balance() that were not throttled, and the time they took */
	u64 newidle_locks;			/* balancing; pairs of run-queue locks taken in them */
	u64 newidle_followed, newidle_saved_ns; /* lock; see struct pulled */
	u64 cold_ns, newidle_cold_ns;
};

/* Where a waiting task may go, as far as work conservation minds; behind MASK_ALL any mask that tasks were bound to. */
enum mask_kind { MASK_NOBODY, MASK_HERE, MASK_ALL, MASK_FIRST, NR_MASK_KINDS = 64 };

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
	/* lock; the last task that newidle took from here and that would still wait: since when it runs elsewhere, 0: there is
	 * none; and when its turn would have come */
	struct {
		u64 since, vruntime;
	} pulled;
	u64 cpu_load[NR_CPU_LOADS];
	u64 load_tick;	      /* lock; number of the tick that cpu_load is of */
	struct sched_avg avg; /* of there being anything to run; lock */
	u32 util;	      /* that, of CPU_FULL; lock to write */
	u64 idle_since;	      /* lock to write; clock when the idle task was picked */

	struct sched_domain *sd; /* the bottom of its chain */
	u32 power;		 /* 1024: a core of its own, less what real-time tasks take; read by balancers */
	u32 power_orig;		 /* were there none of them */
	u64 rt_avg, age_stamp;	 /* lock: power.c; read by balancers */
	u32 llc_id;		 /* first CPU that shares its last-level cache */
	u64 next_balance;	 /* tick number */
	u64 tick_phase;		 /* ns; atomic */
	u64 next_tick;		 /* ns; owner CPU; TIMER_NEVER: none, or under way */
	u64 slice_end;		 /* ns; lock, read by its CPU; HRTICK: when the running task has to go */
	u64 idle_stamp, avg_idle, max_idle_balance_cost;
	u32 balancing;	       /* atomic; somebody balances for this CPU, see balance_enter() */
	u8 look;	       /* balancing; enum waste_cause, what the walk has found so far */
	bool tick_stopped;     /* owner CPU, and lock to set it */
	bool nohz_idle;	       /* owner CPU; is counted in nohz */
	bool nohz_recent;      /* owner CPU; has been so since its last busy tick */
	bool nohz_kicked;      /* atomic; is to balance for the idle CPUs */
	bool active_balance;   /* lock */
	u32 push_cpu;	       /* lock */
	struct stop_work push; /* while active_balance */

	u32 waiting[NR_MASK_KINDS]; /* atomic; tasks that wait on the queue or on the list below, by mask_kind */
	/* waste.c's ledger: of those, what it knows; and the CPU while it is idle */
	u32 reported[NR_MASK_KINDS], reported_all;
	bool counted;
	u8 found; /* enum waste_cause, by its last look */
	u64 found_in;
	/* lock to write: a feature reads what averages.c keeps */
	bool keeps_averages;
	/* owner CPU: in a handler, but not on the way out of it, where another task may get the CPU */
	bool in_interrupt;

	struct task *wake_list;	     /* atomic; newest first */
	struct stop_work *stop_list; /* atomic */
	struct sched_counts count;   /* owner CPU, interrupts off; but exec_ns, run_delay_ns: lock, balance_*: balancing */
	struct latency *latency;     /* [NR_WAKE_DISTANCES]; lock */
	struct rt_rq rt;
} cache_aligned;

/* At the end of each task's stack; a debug build looks whether it is still there when the task gives up the CPU. */
#define STACK_CANARY 0x5ca1ab1e0ddba11full

extern struct rq runqueues[MAX_CPUS];

/* The compiler is not told that it has just multiplied, or it does so again at every use of the pointer. */
static inline struct rq *cpu_rq(unsigned cpu)
{
	struct rq *rq = &runqueues[cpu];

	__asm__("" : "+r"(rq));
	return rq;
}

static inline struct rq *this_rq(void)
{
	return cpu_rq(machine_cpu());
}

static inline struct rq *task_rq(const struct task *t)
{
	return cpu_rq(READ_ONCE(t->cpu));
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

/* The most that avg_idle comes to, in ns; 32 bits wide as in Linux, so that a cost that means always hot is above it and throttles
 * newidle balancing for good. */
static inline u64 longest_avg_idle(void)
{
	return (u32)(2 * knob.sched_migration_cost_ns);
}

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

/* NEW: a child, whose first vruntime this queue decides. */
enum enqueue_flags { ENQUEUE_WAKEUP = 1, ENQUEUE_WAKING = 2, ENQUEUE_NEW = 4 };
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
	void (*yield_to)(struct rq *, struct task *);	 /* both queues' locks held; the task waits. NULL: not in this class */
	void (*waking)(struct task *);			 /* wakeup_lock held */
	void (*migrate)(struct task *, unsigned to_cpu); /* its CPU is about to change; NULL: nothing to do */
	unsigned (*select_cpu)(struct task *, enum select_kind, unsigned wake_flags);
	void (*set_curr)(struct rq *, struct task *); /* it runs already and has come to this class */
	void (*allowed_changed)(struct rq *, struct task *);
	/* Both may let the lock go meanwhile. prev has left its queue if it sleeps; t may be elsewhere afterwards. */
	void (*pre_schedule)(struct rq *, struct task *prev);
	void (*woken)(struct rq *, struct task *t);
};

/* A method of t's class. Most tasks are fair, and a call that the compiler can follow costs less than one that it cannot. */
#define class_call(t, method, ...)                                                                                                 \
	(likely((t)->class == &fair_class) ? fair_class.method(__VA_ARGS__) : (t)->class->method(__VA_ARGS__))

extern const struct sched_class stop_class, rt_class, fair_class, idle_class;

static inline const struct sched_class *class_of_policy(enum task_policy policy)
{
	return policy == POLICY_FIFO || policy == POLICY_RR ? &rt_class : &fair_class;
}

/* ---- pelt.c ---- */

enum { CPU_FULL = 1024 }; /* utilisation of one CPU */

/* January 2013: a power policy is chosen that needs to know how busy tasks and CPUs are. */
static inline bool power_aware(void)
{
	return unlikely(knob.policy != SCHED_POLICY_PERFORMANCE);
}

u64 pelt_decay(u64 value, u64 periods);
u32 pelt_series(u64 periods);
bool pelt_update(struct sched_avg *avg, u64 now, bool runnable);
void pelt_enqueue(struct rq *rq, struct sched_entity *se);
void pelt_dequeue(struct rq *rq, struct sched_entity *se, bool sleeps);
void pelt_put(struct rq *rq, struct sched_entity *se);
void pelt_tick(struct rq *rq, struct sched_entity *se);
void pelt_decay_blocked(struct rq *rq);
void pelt_balance(struct rq *rq); /* interrupts off, no lock held */
void pelt_migrate(struct task *t);
void pelt_fork(struct task *child);
void pelt_reset(struct rq *rq);

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
void cfs_migrate(struct task *t, unsigned to_cpu);
void cfs_sleeper_leaves(struct rq *rq, struct task *t); /* to another class */
void cfs_sleeper_joins(struct rq *rq, struct task *t);

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
	SD_PREFER_LOCAL = 0x40,
	SD_SHARE_CPUPOWER = 0x80,
	SD_SHARE_PKG_RESOURCES = 0x200,
	SD_SERIALIZE = 0x400,
	SD_PREFER_SIBLING = 0x1000,
	SD_OVERLAP = 0x2000,
};

enum level_kind { LEVEL_SMT, LEVEL_MC, LEVEL_CPU, LEVEL_NODE, LEVEL_ALLNODES, LEVEL_NUMA };

struct sched_group {
	struct sched_group *next; /* a ring, by ascending CPU */
	u32 first, weight;	  /* of its CPUs: the first, and how many */
	u32 power;		  /* 1024 per core, less what real-time tasks take; read by balancers */
	struct cpumask span;
	struct cpumask balance; /* those of them that may balance for it */
	u32 power_orig;		/* were there none of them */
	u64 next_update;	/* tick number, for newidle balancing */
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
	u8 kind;  /* enum level_kind */
	u8 level; /* from 1 at the bottom, counting those that were removed */
	u32 flags;
	u32 first_interval, min_interval, max_interval; /* ms */
	u32 busy_factor, imbalance_pct, cache_nice_tries;
	u32 busy_idx, idle_idx, newidle_idx, wake_idx, forkexec_idx;
	/* The rest belongs to who has set rq->balancing; but alb_* and what a push gains to the stopper of the CPU pushed from,
	 * under both locks, and move_affine and wake_remote to the owner CPU, in wakeups. */
	u32 balance_interval; /* ms */
	u32 nr_balance_failed;
	u64 last_balance; /* tick number */
	u64 max_newidle_lb_cost, next_decay;
	u64 perf_history; /* with a power policy, the last 64 passes: 1: it was for performance */
	struct sd_counts counts[NR_IDLE_TYPES];
	u64 alb_count, alb_failed, alb_pushed, move_affine;
	u64 wake_remote; /* tasks woken from here on other CPUs, where this is the lowest domain with both */
};

/* Interrupts are off, or the chain may be replaced meanwhile. */
#define for_each_domain(cpu, sd) for (struct sched_domain *sd = READ_ONCE(cpu_rq(cpu)->sd); sd; sd = sd->parent)

/*
 * Make chains for every CPU, as the knobs will have them; a CPU goes on with its old one until domains_take(). Between runs, one at
 * a time.
 */
int domains_build(const struct topology *topology); /* at boot: 0, -E_NOMEM */
int domains_rebuild(void);			    /* 1: made; 0: the knobs ask for what there is; -E_NOMEM */
void domains_take(unsigned cpu);		    /* on that CPU; rq->lock held */
void domains_retire(void);			    /* after every rebuild: all have taken theirs and nobody looks at an old one */
void domains_reset(unsigned cpu);		    /* switched flags by the knobs, dynamic fields as after boot */
struct sched_domain *llc_domain(unsigned cpu);	    /* the highest that shares a cache; NULL: none */
unsigned llc_id(unsigned cpu);			    /* first CPU that shares it */
u32 cpu_power(unsigned cpu);
unsigned group_balance_cpu(const struct sched_group *g);

/* ---- power.c ---- */

extern bool power_varies; /* atomic; real-time tasks have run since the last reset */

void power_note_rt(struct rq *rq, u64 ran_ns); /* rq->lock, as for the next */
void power_age(struct rq *rq);
void power_reset(struct rq *rq);
u64 power_rt_scale(const struct rq *rq);						      /* 1024: all is left to fair tasks */
void power_refresh(struct sched_domain *sd, unsigned cpu, enum idle_type idle, bool elected); /* the owner CPU's group */
u32 power_capacity(const struct sched_domain *sd, const struct sched_group *g, u32 power);

/* ---- rt.c ---- */

void rt_init(struct rt_rq *rt);
u32 rt_slice_ticks(void);
void rt_update_curr(struct rq *rq); /* nothing, unless a real-time task runs */

/* As real-time tasks see it: -1 for a stopper, 0..98 for themselves, RT_LEVELS for all others. */
static inline int rt_level(const struct task *t)
{
	if (t->class == &stop_class)
		return -1;
	return t->class == &rt_class ? 99 - t->rt_priority : RT_LEVELS;
}

/* ---- rt_bandwidth.c ---- */

void rt_bandwidth_reset(struct rq *rq);
bool rt_bandwidth_charge(struct rq *rq, u64 ran_ns); /* true: throttled */
void rt_bandwidth_tick(struct rq *rq);

/* ---- rt_balance.c ---- */

void rt_note_overload(struct rq *rq);
unsigned rt_lowest_cpu(struct task *t); /* MAX_CPUS: none */
unsigned rt_select_cpu(struct task *t, enum select_kind kind, unsigned wake_flags);
void rt_pull(struct rq *rq); /* rq->lock, which these may let go meanwhile */
void rt_push(struct rq *rq);
void rt_woken(struct rq *rq, struct task *t);

/* ---- placement.c ---- */

unsigned fair_select_cpu(struct task *t, enum select_kind kind, unsigned wake_flags);

/* ---- affine.c, idle_sibling.c, idlest.c ---- */

unsigned find_idlest_cpu(struct sched_group *g, struct task *t, unsigned this_cpu); /* MAX_CPUS: none is allowed */
bool wake_affine(struct sched_domain *sd, struct task *t, bool sync);
unsigned select_idle_sibling(struct task *t, unsigned target);
unsigned select_longest_idle(struct task *t);
unsigned select_idlest(struct sched_domain *sd, struct task *t, unsigned cpu, unsigned stay, u32 flag);

/* ---- averages.c: called only while rq->keeps_averages ---- */

bool averages_wanted(void);
void averages_begin(struct sched_entity *se); /* always, at its birth */
void averages_on_wakeup(struct sched_entity *waker);
void averages_on_sleep(struct sched_entity *se);
void averages_on_put(struct task *t);

/* ---- load.c ---- */

void cpu_load_tick(struct rq *rq);
void cpu_load_catch_up(struct rq *rq);
u64 cpu_load_decay(u64 load, unsigned i, u64 missed);
u64 source_load(unsigned cpu, unsigned idx);
u64 target_load(unsigned cpu, unsigned idx);

/* ---- balance.c, busiest.c, migrate.c, newidle.c ---- */

/* What one balance pass knows and has decided. */
struct balance {
	struct sched_domain *sd;
	enum idle_type idle;
	unsigned cpu; /* for which the pass is made, not always by which */
	unsigned dst_cpu;
	struct rq *dst, *src;
	struct rq *rq;	     /* of the CPU balanced for; dst may become another of its group */
	struct rq *held;     /* newidle_lock=held: rq, whose lock the caller holds and gets back held; else NULL */
	struct cpumask cpus; /* candidates */
	u32 load_idx;	     /* which average of a queue's load counts; 0: its weight now */
	u64 imbalance;	     /* weight still to move */
	u64 wanted;	     /* that at first, where there was a busiest queue */
	bool all_pinned, some_pinned, need_break;
	bool tasks_seen; /* on any CPU looked at */
	u8 met;		 /* enum waste_cause: the strongest reason not to take what was seen */
	unsigned new_dst_cpu, loop, loop_break;
	bool power_mode;   /* emptying a group to save power: from CPUs that run just one task too */
	bool *responsible; /* cleared when another CPU should balance here and above */
};

struct sched_group *find_busiest_group(struct balance *b);
struct rq *find_busiest_queue(struct balance *b, struct sched_group *g);
bool task_is_hot(struct task *t, u64 now);
struct sched_domain *common_domain(unsigned cpu, unsigned other); /* the lowest of cpu's with both, or NULL */
int load_balance(struct rq *rq, struct sched_domain *sd, enum idle_type idle, bool *responsible);
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

/* ---- policy.c, policy_select.c, policy_balance.c ---- */

u64 task_util(const struct task *t);
u64 cpu_util(unsigned cpu, bool waking);
u64 policy_threshold(const struct sched_domain *sd, u32 weight, u32 power);
unsigned policy_select_cpu(struct task *t, enum select_kind kind);    /* MAX_CPUS: no decision */
bool policy_balance(struct balance *b, struct sched_group **busiest); /* false: balance for performance */

/* ---- account.c ---- */

/* Forget what the queue has learned and take over the knobs. argument: its rq. */
void rq_reset(void *argument);
/* Bring the clock and the runtime of whoever runs up to date. rq->lock. */
void rq_charge(struct rq *rq);

/* ---- stats.c: the first two with rq->lock held and its clock updated ---- */

void stats_leave(struct rq *rq, struct task *t); /* a task that waits */
void stats_switch(struct rq *rq, struct task *prev, struct task *next);
void stats_pull(struct rq *rq, struct task *t); /* newidle is about to take t from there */
void stats_cold(struct task *t, u64 ns);	/* t runs, where its cache is cold; no lock held */
void stats_wakeup(struct rq *rq, unsigned cpu); /* rq: of the waking CPU; of a task that goes to that one */
void stats_birth(struct task *t);
void stats_death(struct task *t);

/* ---- latency.c ---- */

extern bool latency_kept; /* changes between runs */

void latency_init(struct rq *rq);
void latency_add(struct rq *rq, struct task *t);

/* t has been woken and waits from now on. waker: the queue of the CPU that does it, which is this one. */
static inline void latency_begin(const struct rq *waker, struct task *t, u64 now)
{
	if (unlikely(!latency_kept))
		return;
	t->woken_at = now;
	t->woken_by = unlikely(waker->in_interrupt) ? NULL : waker;
}

/* It is given the CPU. rq->lock held, clock updated. */
static inline void latency_end(struct rq *rq, struct task *t)
{
	if (t->woken_at)
		latency_add(rq, t);
}

/* ---- waste.c: interrupts off; all may be called with run-queue locks held ---- */

u8 waste_kind(const struct cpumask *allowed, unsigned cpu); /* of a task there */
void waste_forget_kinds(void);				    /* between runs, with no task but the one that calls */
bool waste_watching(void);				    /* some CPU is idle, so changes matter */
void waste_report(struct rq *rq, u32 kind, u64 now);
void waste_keep(bool keep);
void waste_cpu_starts(struct rq *rq); /* idle */
void waste_report_switch(struct rq *rq, const struct task *prev, const struct task *next);
void waste_note_look(struct rq *rq, enum waste_cause found); /* an idle CPU looks, or has found that */
/* The rates: what holds now, in CPUs and tasks. by: the parts of sum->ns. */
void waste_read(struct waste *sum, struct waste *rate, u64 by[NR_WASTE_CAUSES]);

/* t begins or ceases to wait on rq, at rq->clock. */
static inline void waste_wait(struct rq *rq, const struct task *t)
{
	__atomic_add_fetch(&rq->waiting[t->mask_kind], 1, __ATOMIC_SEQ_CST);
	if (unlikely(waste_watching()))
		waste_report(rq, t->mask_kind, rq->clock);
}

static inline void waste_wait_over(struct rq *rq, const struct task *t)
{
	__atomic_sub_fetch(&rq->waiting[t->mask_kind], 1, __ATOMIC_SEQ_CST);
	if (unlikely(waste_watching()))
		waste_report(rq, t->mask_kind, rq->clock);
}

/* One begins to run, the other may have to wait, and with them the CPU ceases or begins to be idle. rq->lock held. */
static inline void waste_switch(struct rq *rq, const struct task *prev, const struct task *next)
{
	if (!prev->is_idle && prev->on_rq)
		__atomic_add_fetch(&rq->waiting[prev->mask_kind], 1, __ATOMIC_SEQ_CST);
	if (!next->is_idle)
		__atomic_sub_fetch(&rq->waiting[next->mask_kind], 1, __ATOMIC_SEQ_CST);
	if (unlikely(next->is_idle || waste_watching()))
		waste_report_switch(rq, prev, next);
}

/* ---- stop.c ---- */

void stop_init(unsigned cpu);
void stop_update_curr(struct rq *rq);
void stop_queue(unsigned cpu, struct stop_work *work);		 /* returns at once */
void stop_run(unsigned cpu, void (*fn)(void *), void *argument); /* waits until done; task context */

/* ---- attr.c ---- */

void exec_balance(void);

/* ---- fork.c ---- */

struct task *task_new(const char *name, void (*entry)(void *), void *argument);
void task_start(struct context *prev); /* where a new context begins */
void finish_switch(struct task *prev);

#endif
