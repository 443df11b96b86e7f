/* SPDX-License-Identifier: GPL-2.0-or-later
 * Tasks that do random things.
 *
 * Every way of blocking here ends by itself if no wakeup is lost. A sleep has its timer. Whoever waits for the bell or for a token
 * waits for the observer, who comes by all the time. Who asks another actor is answered at the end of that one's step at the
 * latest, and answers others while waiting; who waits for a child accepts no questions. So some action is completed at least every
 * few ms of virtual time, and a second without any is a lost wakeup.
 */
#include "tests/scenario/actors.h"

#include "base/random.h"
#include "base/text.h"
#include "base/timer.h"
#include "ipc/waitq.h"
#include "tests/scenario/invariants.h"

enum {
	LONGEST_WORK_NS = 3000000,
	LONGEST_SLEEP_NS = 3000000,
	STALL_NS = 1000000000, /* where time is the machine's own; real CPUs may wait for their host */
	WATCH_NS = 100000000,
	LATE_NS = 2000000, /* for a timer; longer than interrupts are off, shorter than some ticks */
};
#define STALL_BY_HOST_NS (60 * NSEC_PER_SEC)

struct actor {
	bool taken;	     /* lock: by a task, from before its birth until it disappears */
	struct task *task;   /* lock: while others may touch it */
	u32 pins;	     /* lock: so many do */
	u32 moves;	     /* lock: calls of task_set_allowed() for it under way */
	bool accepts;	     /* lock: answers questions */
	u32 asked;	     /* lock: by these actors */
	bool answered;	     /* lock to write */
	struct waitq inbox;  /* where it waits for questions and answers */
	u64 random;	     /* own */
	unsigned children;   /* own: not yet reaped */
	const char *doing;   /* own */
	struct actor *about; /* own: to whom */
};

static struct world {
	struct spinlock lock;
	struct actor actor[MOST_ACTORS];
	unsigned tasks;
	u64 seed, spawned;
	u64 steps;	     /* atomic; still to do */
	u64 progress;	     /* atomic; completed actions */
	bool over;	     /* atomic; the observer may go */
	struct waitq bell;   /* those who wait for the next stroke */
	u64 strokes;	     /* atomic */
	struct waitq tokens; /* those who wait for one, exclusively */
	s64 nr_tokens;	     /* atomic */
	u32 token_waiters;   /* atomic */
} world;

static unsigned long lock_world(void)
{
	return spin_lock_irq(&world.lock);
}

static void unlock_world(unsigned long flags)
{
	spin_unlock_irq(&world.lock, flags);
}

static void note_progress(void)
{
	__atomic_add_fetch(&world.progress, 1, __ATOMIC_RELAXED);
}

static u64 draw(struct actor *a, u64 below)
{
	return random_next(&a->random) % below;
}

static bool chance(struct actor *a, unsigned percent)
{
	return draw(a, 100) < percent;
}

/* Mostly short, sometimes up to the longest. */
static u64 draw_ns(struct actor *a, u64 longest)
{
	u64 scale = draw(a, 10);

	return draw(a, scale < 3 ? 2000 : scale < 8 ? longest / 20 : longest) + 1;
}

static void doing(struct actor *a, const char *what, struct actor *about)
{
	a->doing = what;
	a->about = about;
}

/* ---- watching ---- */

static void describe(void)
{
	static const char *const state[] = { "wants to run", "sleeps", "has been woken", "is dead" };

	for (unsigned i = 0; i < MOST_ACTORS; i++) {
		const struct actor *a = &world.actor[i];

		if (!a->task)
			continue;
		say("  actor %u: %s", i, a->doing);
		if (a->about)
			say(" %u", (unsigned)(a->about - world.actor));
		say("; %s, CPU %u, %squeued, nice %d, policy %u, priority %u, may be on 0x%llx%s%s\n", state[a->task->state],
			a->task->cpu, a->task->on_rq ? "" : "not ", a->task->nice, a->task->policy, a->task->rt_priority,
			(unsigned long long)a->task->allowed.word[0], a->asked ? ", has been asked" : "",
			a->answered ? ", has been answered" : "");
	}
	say("  %llu steps left, %lld tokens for %u\n", (unsigned long long)world.steps, (long long)world.nr_tokens,
		world.token_waiters);
}

static void check(void)
{
	struct known_task known[MOST_ACTORS];
	unsigned nr = 0;
	unsigned long world_flags = lock_world(), flags = invariants_lock();

	for (unsigned i = 0; i < MOST_ACTORS; i++) {
		const struct actor *a = &world.actor[i];

		if (a->task)
			known[nr++] = (struct known_task){ .task = a->task, .moving = a->moves };
	}
	invariants_check(known, nr);
	invariants_unlock(flags);
	unlock_world(world_flags);
}

static struct watch {
	struct timer timer;
	u64 seen, since_ns;
} watch;

/* In the timer interrupt, so that it needs no task to be woken. */
static void look(struct timer *timer)
{
	u64 now = machine_clock_ns();
	bool exact = !on_real_cpus;

	require(!exact || now - timer->deadline_ns < LATE_NS, "%llu for %llu ns", (unsigned long long)now,
		(unsigned long long)timer->deadline_ns);
	if (READ_ONCE(world.progress) != watch.seen) {
		watch.seen = world.progress;
		watch.since_ns = now;
	}
	require(now - watch.since_ns < (exact ? STALL_NS : STALL_BY_HOST_NS), "nothing has been completed since %llu ns",
		(unsigned long long)watch.since_ns);
	timer->deadline_ns = now + WATCH_NS;
	timer_start(timer);
}

static void start_watch(void)
{
	unsigned long flags = machine_irq_save();

	watch.since_ns = machine_clock_ns();
	if (!watch.timer.fire) {
		watch.timer.fire = look;
		watch.timer.deadline_ns = watch.since_ns + WATCH_NS;
		timer_start(&watch.timer);
	}
	machine_irq_restore(flags);
}

/* ---- questions and answers ---- */

static unsigned draw_wake_flags(struct actor *a)
{
	return chance(a, 50) ? WAKE_SYNC : 0;
}

static void answer(struct actor *a, u32 asked)
{
	for (; asked; asked &= asked - 1) {
		struct actor *other = &world.actor[__builtin_ctz(asked)];
		unsigned long flags = lock_world();

		other->answered = true;
		unlock_world(flags);
		waitq_wake(&other->inbox, 1, draw_wake_flags(a));
		note_progress();
	}
}

/* Answer what has been asked so far, and say whether more may be. */
static void answer_all(struct actor *a, bool accepts)
{
	unsigned long flags = lock_world();
	u32 asked = a->asked;

	a->asked = 0;
	a->accepts = accepts;
	unlock_world(flags);
	answer(a, asked);
}

/* Any other actor that is alive, pinned so that it stays so; NULL: there is none. */
static struct actor *pin_other(struct actor *a)
{
	unsigned start = (unsigned)draw(a, MOST_ACTORS);
	struct actor *found = NULL;
	unsigned long flags = lock_world();

	for (unsigned i = 0; i < MOST_ACTORS && !found; i++) {
		struct actor *other = &world.actor[(start + i) % MOST_ACTORS];

		if (other != a && other->task && other->accepts)
			found = other;
	}
	if (found)
		found->pins++;
	unlock_world(flags);
	return found;
}

static void unpin(struct actor *other)
{
	unsigned long flags = lock_world();

	other->pins--;
	unlock_world(flags);
}

static bool ask(struct actor *a, struct actor *other)
{
	unsigned long flags = lock_world();
	bool accepted = other->accepts;

	a->answered = false;
	if (accepted)
		other->asked |= 1u << (a - world.actor);
	unlock_world(flags);
	return accepted;
}

static void ask_other(struct actor *a)
{
	struct actor *other = pin_other(a);
	bool accepted = other && ask(a, other), exclusive = chance(a, 50);
	struct waiter w = { .queued = false };

	if (accepted) {
		doing(a, "asks", other);
		waitq_wake(&other->inbox, 1, draw_wake_flags(a));
	}
	if (other)
		unpin(other);
	if (!accepted)
		return;
	for (waitq_prepare(&a->inbox, &w, exclusive); !READ_ONCE(a->answered); waitq_prepare(&a->inbox, &w, exclusive)) {
		if (READ_ONCE(a->asked)) {
			waitq_finish(&a->inbox, &w);
			answer_all(a, true);
		} else {
			schedule();
		}
	}
	waitq_finish(&a->inbox, &w);
}

/* ---- bell and tokens ---- */

static void ring(unsigned wake_flags)
{
	__atomic_add_fetch(&world.strokes, 1, __ATOMIC_SEQ_CST);
	waitq_wake(&world.bell, 0, wake_flags);
}

static void wait_for_bell(struct actor *a)
{
	struct waiter w = { .queued = false };
	u64 strokes = READ_ONCE(world.strokes);

	doing(a, "waits for the bell", NULL);
	for (waitq_prepare(&world.bell, &w, false); READ_ONCE(world.strokes) == strokes; waitq_prepare(&world.bell, &w, false))
		schedule();
	waitq_finish(&world.bell, &w);
}

static void give_tokens(u32 n, unsigned wake_flags)
{
	__atomic_add_fetch(&world.nr_tokens, n, __ATOMIC_SEQ_CST);
	waitq_wake(&world.tokens, n, wake_flags);
}

static bool take_token(void)
{
	s64 n = READ_ONCE(world.nr_tokens);

	while (n > 0)
		if (__atomic_compare_exchange_n(&world.nr_tokens, &n, n - 1, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
			return true;
	return false;
}

static void wait_for_token(struct actor *a)
{
	struct waiter w = { .queued = false };

	doing(a, "waits for a token", NULL);
	__atomic_add_fetch(&world.token_waiters, 1, __ATOMIC_SEQ_CST);
	for (waitq_prepare(&world.tokens, &w, true); !take_token(); waitq_prepare(&world.tokens, &w, true))
		schedule();
	waitq_finish(&world.tokens, &w);
	__atomic_sub_fetch(&world.token_waiters, 1, __ATOMIC_SEQ_CST);
}

/* ---- the rest of what an actor may do ---- */

static void work(struct actor *a)
{
	u64 n = draw_ns(a, LONGEST_WORK_NS), wall, exec;

	doing(a, "works", NULL);
	wall = machine_clock_ns();
	exec = own_exec_ns();
	machine_work_ns(n);
	exec = own_exec_ns() - exec;
	wall = machine_clock_ns() - wall;
	require((exec >= n || on_real_cpus) && exec <= wall, "%llu ns of work were accounted as %llu and took %llu",
		(unsigned long long)n, (unsigned long long)exec, (unsigned long long)wall);
}

static void nap(struct actor *a)
{
	u64 n = draw_ns(a, LONGEST_SLEEP_NS) - 1, start;

	doing(a, "sleeps", NULL);
	start = machine_clock_ns();
	task_sleep_ns(n);
	require(machine_clock_ns() - start >= n, "%llu ns from %llu on", (unsigned long long)n, (unsigned long long)start);
}

/* Another actor, sometimes oneself. */
static struct actor *pin_any(struct actor *a)
{
	return chance(a, 50) ? pin_other(a) : NULL;
}

/* Many times, so that some meet the task on its way from queue to queue. */
static void renice(struct actor *a)
{
	struct actor *other = pin_any(a);
	u64 times = chance(a, 50) ? 1 : draw(a, 1000);

	doing(a, "sets the nice level of", other);
	while (times--)
		task_set_nice(other ? other->task : current(), (int)draw(a, 40) - 20);
	if (other)
		unpin(other);
}

static void set_policy(struct actor *a)
{
	static const enum task_policy policy[] = { POLICY_NORMAL, POLICY_NORMAL, POLICY_BATCH, POLICY_IDLE };
	struct actor *other = pin_any(a);

	doing(a, "sets the policy of", other);
	if (chance(a, 40))
		task_set_realtime(other ? other->task : current(), chance(a, 50) ? POLICY_FIFO : POLICY_RR,
			1 + (unsigned)draw(a, chance(a, 50) ? 3 : 99));
	else
		task_set_policy(other ? other->task : current(), policy[draw(a, ARRAY_SIZE(policy))]);
	if (other)
		unpin(other);
}

static struct cpumask draw_mask(struct actor *a)
{
	struct cpumask m = { .word = { 0 } };

	if (chance(a, 30))
		mask_set(&m, (unsigned)draw(a, machine_nr_cpus()));
	else if (chance(a, 40))
		m.word[0] = (1ull << machine_nr_cpus()) - 1;
	else
		m.word[0] = random_next(&a->random); /* also CPUs that there are not */
	return m;
}

static void count_move(struct actor *a, int change)
{
	unsigned long flags = lock_world();

	a->moves += (u32)change;
	unlock_world(flags);
}

static void set_allowed(struct actor *a)
{
	struct cpumask m = draw_mask(a), online = { .word = { (1ull << machine_nr_cpus()) - 1 } };
	struct actor *other = pin_any(a), *moved = other ? other : a;
	int expected = mask_intersects(&m, &online) ? 0 : -E_INVAL, err;

	doing(a, "restricts", other);
	count_move(moved, 1);
	err = task_set_allowed(moved->task, &m);
	count_move(moved, -1);
	require(err == expected, "%d for 0x%llx", err, (unsigned long long)m.word[0]);
	if (other)
		unpin(other);
}

static void wake_for_nothing(struct actor *a)
{
	struct actor *other = pin_other(a);

	if (!other)
		return;
	doing(a, "wakes", other);
	task_wake(other->task, draw_wake_flags(a));
	unpin(other);
}

static void live(void *argument);

static struct actor *take_place(void)
{
	struct actor *found = NULL;
	unsigned long flags = lock_world();

	for (unsigned i = 0; i < world.tasks && !found; i++)
		if (!world.actor[i].taken)
			found = &world.actor[i];
	if (found) {
		found->taken = true;
		found->random = world.seed + ++world.spawned;
	}
	unlock_world(flags);
	return found;
}

static bool spawn(bool process)
{
	struct actor *place = take_place();

	if (!place)
		return false;
	require(task_spawn("actor", live, place, process), "no memory");
	return true;
}

static void fork_child(struct actor *a)
{
	doing(a, "forks", NULL);
	a->children += spawn(chance(a, 50));
}

/* Nobody may wait for one that waits for a child: the child might be the one. */
static void reap_child(struct actor *a)
{
	if (!a->children)
		return;
	doing(a, "waits for a child", NULL);
	answer_all(a, false);
	task_reap(REAP_ANY);
	a->children--;
	answer_all(a, true);
}

static void act(struct actor *a)
{
	unsigned dice = (unsigned)draw(a, 100);

	if (dice < 25)
		work(a);
	else if (dice < 37)
		nap(a);
	else if (dice < 57)
		ask_other(a);
	else if (dice < 61)
		wait_for_bell(a);
	else if (dice < 65)
		wait_for_token(a);
	else if (dice < 68)
		give_tokens(1, draw_wake_flags(a));
	else if (dice < 70)
		ring(draw_wake_flags(a));
	else if (dice < 75)
		task_yield();
	else if (dice < 79)
		renice(a);
	else if (dice < 82)
		set_policy(a);
	else if (dice < 88)
		set_allowed(a);
	else if (dice < 90)
		task_exec();
	else if (dice < 95)
		fork_child(a);
	else if (dice < 97)
		reap_child(a);
	else
		wake_for_nothing(a);
}

static bool take_step(void)
{
	u64 n = READ_ONCE(world.steps);

	while (n)
		if (__atomic_compare_exchange_n(&world.steps, &n, n - 1, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
			return true;
	return false;
}

/* ---- the life of an actor ---- */

static void appear(struct actor *a)
{
	unsigned long flags = lock_world();

	a->task = current();
	a->accepts = true;
	a->children = 0;
	doing(a, "begins", NULL);
	unlock_world(flags);
}

/* Nobody can find it any more; those who have must let go. */
static void disappear(struct actor *a)
{
	bool pinned = true;

	answer_all(a, false);
	for (; a->children; a->children--)
		task_reap(REAP_ANY);
	doing(a, "ends", NULL);
	while (pinned) {
		unsigned long flags = lock_world();

		pinned = a->pins;
		if (!pinned) {
			a->task = NULL;
			a->taken = false;
		}
		unlock_world(flags);
		if (pinned)
			task_sleep_ns(5 * NSEC_PER_USEC);
	}
}

static void live(void *argument)
{
	struct actor *a = argument;
	bool in_kernel;

	appear(a);
	while (!chance(a, 2) && take_step()) {
		in_kernel = chance(a, 50);
		if (in_kernel)
			syscall_enter();
		act(a);
		if (in_kernel)
			syscall_exit();
		answer_all(a, true);
		check();
		note_progress();
	}
	disappear(a);
	note_progress();
}

/* What nobody else may ever do, so that nobody waits for ever. */
static void observe(void *argument)
{
	u64 state = *(const u64 *)argument;

	while (!LOAD_ACQUIRE(world.over)) {
		task_sleep_ns(random_next(&state) % (500 * NSEC_PER_USEC));
		ring(0);
		if (READ_ONCE(world.token_waiters))
			give_tokens(world.token_waiters, random_next(&state) & 1 ? WAKE_SYNC : 0);
		check();
	}
}

static void begin(u64 seed, u64 steps, unsigned tasks)
{
	memset(&world, 0, sizeof(world));
	world.lock = SPINLOCK_INIT(RANK_OBJECT);
	world.tasks = tasks;
	world.seed = seed << 20; /* apart from those of other programs */
	world.steps = steps;
	waitq_init(&world.bell);
	waitq_init(&world.tokens);
	for (unsigned i = 0; i < MOST_ACTORS; i++)
		waitq_init(&world.actor[i].inbox);
	require_describe = describe;
	start_watch();
}

void actors_run(u64 seed, u64 steps, unsigned tasks)
{
	struct task *observer;
	unsigned alive = 0;

	begin(seed, steps, tasks);
	observer = task_spawn("observer", observe, &world.seed, false);
	require(observer, "no memory");
	for (;;) {
		while (READ_ONCE(world.steps) && spawn(false))
			alive++;
		if (!alive)
			break;
		task_reap(REAP_ANY);
		alive--;
		note_progress();
	}
	STORE_RELEASE(world.over, true);
	task_reap(observer);
}
