/* SPDX-License-Identifier: GPL-2.0-or-later
 * How tasks come into being and end. */
#include "sched/rq.h"

#include "base/mem.h"
#include "base/text.h"

/* Tasks are recycled: a run may create and end many more than live at once. */
static struct {
	struct spinlock lock;
	struct task *free; /* lock; linked through wake_next */
	u32 next_id;	   /* atomic */
	u32 count;	   /* atomic */
} pool = { .lock = SPINLOCK_INIT(RANK_POOL) };

/* Those of a run are made anew in each, so that one run is like another; what outlives runs, who runs them for one, lives for ever.
 */
static struct task *pool_take(bool forever)
{
	unsigned long flags = spin_lock_irq(&pool.lock);
	struct task *t = forever ? NULL : pool.free;

	if (t)
		pool.free = t->wake_next;
	spin_unlock_irq(&pool.lock, flags);
	if (!t)
		return forever ? mem_alloc_forever(sizeof(*t)) : mem_alloc_shared(sizeof(*t));
	memset(t, 0, sizeof(*t));
	return t;
}

void sched_end_run(void)
{
	bug_on(task_count() > 1);
	pool.free = NULL;
	waste_forget_kinds();
}

static void pool_give(struct task *t)
{
	unsigned long flags = spin_lock_irq(&pool.lock);

	t->wake_next = pool.free;
	pool.free = t;
	spin_unlock_irq(&pool.lock, flags);
}

static void allow_all(struct task *t)
{
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++)
		mask_set(&t->allowed, cpu);
	t->nr_allowed = nr_cpus;
	t->mask_kind = MASK_ALL;
}

/* A task that belongs to no family and is on no queue; without entry, one that will adopt a running flow. NULL: memory is out. */
struct task *task_new(const char *name, void (*entry)(void *), void *argument)
{
	struct task *t = pool_take(!current() || current()->is_idle);

	if (!t)
		return NULL;
	text_copy(t->name, sizeof(t->name), name);
	t->id = __atomic_add_fetch(&pool.next_id, 1, __ATOMIC_RELAXED);
	t->wakeup_lock = SPINLOCK_INIT(RANK_WAKEUP);
	t->child_lock = SPINLOCK_INIT(RANK_OBJECT);
	TAILQ_INIT(&t->zombies);
	t->class = &fair_class;
	t->entry = entry;
	t->argument = argument;
	weight_set(t);
	allow_all(t);
	if (!entry)
		return t;
	t->stack_top = machine_stack_new();
	if (!t->stack_top) {
		pool_give(t);
		return NULL;
	}
	*machine_stack_end(t->stack_top) = STACK_CANARY;
	machine_context_init(&t->context, t->stack_top, task_start);
	return t;
}

void task_start(struct context *prev)
{
	struct task *t;

	finish_switch((struct task *)prev);
	t = current();
	machine_irq_enable();
	t->entry(t->argument);
	task_exit();
}

static void task_free(struct task *t)
{
	stats_death(t);
	if (t->owns_space)
		machine_space_free(t->context.space);
	machine_stack_free(t->stack_top);
	pool_give(t);
	__atomic_sub_fetch(&pool.count, 1, __ATOMIC_RELEASE);
}

/* One reference is its own, dropped when its last switch is over; the other its parent's. */
void task_release(struct task *t)
{
	if (!__atomic_sub_fetch(&t->references, 1, __ATOMIC_ACQ_REL))
		task_free(t);
}

u32 task_count(void)
{
	return LOAD_ACQUIRE(pool.count);
}

/* ---- fork ---- */

/* Under the lock, so that policy and priority, mask and number are of one time: others may be changing them. */
static void inherit_attributes(struct task *child, struct task *parent)
{
	struct rq *rq;
	unsigned long flags = rq_lock_task(parent, &rq);

	child->nice = parent->nice;
	child->policy = parent->policy;
	child->rt_priority = parent->rt_priority;
	child->rt.slice = parent->rt.slice;
	child->class = class_of_policy((enum task_policy)parent->policy);
	child->allowed = parent->allowed;
	child->nr_allowed = parent->nr_allowed;
	child->mask_kind = parent->mask_kind;
	spin_unlock_irq(&rq->lock, flags);
}

static int inherit(struct task *child, struct task *parent, bool process)
{
	child->parent = parent;
	child->references = 2;
	inherit_attributes(child, parent);
	child->context.space = parent->context.space;
	child->context.aside = parent->context.aside;
	child->syscall_depth = 0;
	weight_set(child);
	averages_begin(&child->se);
	if (!process)
		return 0;
	child->context.space = machine_space_new();
	child->owns_space = true;
	return child->context.space ? 0 : -E_NOMEM;
}

/* 3.8: the CPU is chosen only now, and the child's first vruntime has been worked out on its parent's queue. 2.6.32 works it out on
 * the queue chosen, unless nobody runs here whom it could follow. */
static void wake_new(struct task *t)
{
	bool placed = knob.fork_place == FORK_PLACE_LATE || !current()->on_rq;
	unsigned long flags = spin_lock_irq(&t->wakeup_lock);
	unsigned cpu = t->class->select_cpu(t, SELECT_FORK, 0);
	struct rq *rq = cpu_rq(cpu);

	TRACE(fork(t, cpu));
	task_set_cpu(t, cpu);
	spin_lock(&rq->lock);
	rq_activate(rq, t, placed ? 0 : ENQUEUE_NEW);
	rq_check_preempt(rq, t, WAKE_FORK);
	TRACE(wakeup_new(t, cpu));
	if (t->class->woken)
		t->class->woken(rq, t);
	spin_unlock(&rq->lock);
	spin_unlock_irq(&t->wakeup_lock, flags);
}

static struct task *spawn(const char *name, void (*entry)(void *), void *argument, bool process, struct task **vfork_waiter)
{
	struct task *parent = current(), *t = task_new(name, entry, argument);

	if (!t)
		return NULL;
	__atomic_add_fetch(&pool.count, 1, __ATOMIC_RELAXED);
	if (inherit(t, parent, process)) {
		t->owns_space = false;
		task_free(t);
		return NULL;
	}
	t->vfork_waiter = vfork_waiter;
	stats_birth(t);
	parent->nr_children++;
	cfs_fork(t);
	wake_new(t);
	machine_charge(COST_FORK, 1);
	preempt_point();
	return t;
}

struct task *task_spawn(const char *name, void (*entry)(void *), void *argument, bool process)
{
	return spawn(name, entry, argument, process, NULL);
}

struct task *task_vfork(const char *name, void (*entry)(void *), void *argument)
{
	struct task *waiter = current(), *t = spawn(name, entry, argument, false, &waiter);

	if (t)
		task_await(&waiter);
	return t;
}

/* ---- exec ---- */

/* One wakeup, without the sync hint: after an exec the caller has its own work to do. */
static void release_vforker(struct task *t)
{
	struct task **waiter = t->vfork_waiter;

	t->vfork_waiter = NULL;
	if (waiter)
		task_complete(waiter);
}

int task_exec(void)
{
	struct task *t = current();
	u64 space = machine_space_new(), old = t->owns_space ? t->context.space : 0;

	if (!space)
		return -E_NOMEM;
	exec_balance();
	machine_space_enter(space);
	t->owns_space = true;
	machine_space_free(old);
	release_vforker(t);
	preempt_point();
	return 0;
}

/* ---- exit ---- */

_Noreturn void task_exit(void)
{
	struct task *t = current(), *parent = t->parent;
	unsigned long flags;

	bug_on(t->nr_children);
	t->exiting = true;
	t->preempt_off++; /* a task half gone must not lose the CPU before it is dead */
	release_vforker(t);
	flags = spin_lock_irq(&parent->child_lock);
	TAILQ_INSERT_TAIL(&parent->zombies, t, siblings);
	if (parent->awaiting && (parent->awaits == REAP_ANY || parent->awaits == t))
		task_wake(parent, WAKE_SYNC); /* under the lock: after it the parent may be gone */
	spin_unlock_irq(&parent->child_lock, flags);
	machine_charge(COST_EXIT, 1);
	flags = spin_lock_irq(&t->wakeup_lock); /* no waker is half way */
	WRITE_ONCE(t->state, TASK_DEAD);
	trace_exit(t);
	spin_unlock_irq(&t->wakeup_lock, flags);
	schedule();
	__builtin_unreachable();
}

/* The child waited for, if it has ended; else note what is waited for. */
static struct task *take_zombie(struct task *t, struct task *child)
{
	unsigned long flags = spin_lock_irq(&t->child_lock);
	struct task *z;

	TAILQ_FOREACH(z, &t->zombies, siblings)
		if (child == REAP_ANY || z == child)
			break;
	if (z)
		TAILQ_REMOVE(&t->zombies, z, siblings);
	t->awaiting = !z;
	t->awaits = child;
	spin_unlock_irq(&t->child_lock, flags);
	return z;
}

u32 task_reap(struct task *child)
{
	struct task *t = current(), *z;
	u32 id;

	bug_on(!t->nr_children);
	for (task_set_sleeping(); !(z = take_zombie(t, child)); task_set_sleeping())
		schedule();
	task_set_running();
	t->nr_children--;
	id = z->id;
	task_release(z);
	return id;
}
