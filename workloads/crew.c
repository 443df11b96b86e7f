/* SPDX-License-Identifier: GPL-2.0-or-later
 * Messengers and their workers. */
#include "workloads/crew.h"

#include "base/mem.h"
#include "ipc/sleep.h"

enum phase { PHASE_WARMUP, PHASE_MEASURED, PHASE_OVER };

static u32 phase_of(const struct crew *c)
{
	return __atomic_load_n(&c->phase, __ATOMIC_SEQ_CST);
}

static void set_phase(struct crew *c, enum phase phase)
{
	__atomic_store_n(&c->phase, phase, __ATOMIC_SEQ_CST);
}

bool crew_goes_on(const struct crew *c)
{
	return phase_of(c) != PHASE_OVER;
}

/* ---- futexes. The words and the phase are sequentially consistent: whoever blocks looks at the phase after that, and whoever ends
 * the run looks at the words after that, so one of them sees the other ---- */

enum { RUNNING, BLOCKED };

static void block(struct futex *f)
{
	__atomic_store_n(&f->word, BLOCKED, __ATOMIC_SEQ_CST);
}

static bool is_blocked(const struct futex *f)
{
	return __atomic_load_n(&f->word, __ATOMIC_SEQ_CST) == BLOCKED;
}

/* True if there was anything to do: who is not blocked needs no system call. */
static bool post(struct futex *f)
{
	u32 blocked = BLOCKED;

	if (!__atomic_compare_exchange_n(&f->word, &blocked, RUNNING, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		return false;
	futex_wake(f, 1);
	return true;
}

static bool await_post(const struct crew *c, struct futex *f)
{
	while (crew_goes_on(c) && is_blocked(f))
		futex_wait(f, BLOCKED);
	return crew_goes_on(c);
}

/* ---- messengers ---- */

void messenger_post(struct messenger *m, struct worker *w, u64 then_ns)
{
	if (!is_blocked(&w->futex))
		return;
	w->posted_ns = then_ns;
	m->posts += post(&w->futex);
}

/* All of a burst count from its beginning, so that it shows when the messenger is preempted by one that it has just woken. */
static void wake_listed(struct messenger *m)
{
	struct worker *w = __atomic_exchange_n(&m->list, NULL, __ATOMIC_ACQUIRE);
	u64 now_ns = machine_clock_ns();

	for (struct worker *next; w; w = next) {
		next = w->next; /* before w can list itself anew */
		m->answered++;
		if (m->crew->answer)
			m->crew->answer(w);
		messenger_post(m, w, now_ns);
	}
}

bool messenger_serve(struct messenger *m)
{
	block(&m->futex); /* first: who comes after the list has been looked at will post */
	wake_listed(m);
	return await_post(m->crew, &m->futex);
}

/* ---- workers ---- */

/* The clocks of two CPUs may differ a little. */
static void note_wakeup(struct worker *w)
{
	u64 now_ns = machine_clock_ns(), ns = now_ns - min_u64(now_ns, w->posted_ns);

	if (phase_of(w->messenger->crew) != PHASE_MEASURED)
		return;
	histogram_add(&w->wakeups, ns / NSEC_PER_USEC);
	w->wakeup_ns += ns;
}

static bool sleep_until_posted(struct worker *w)
{
	if (!await_post(w->messenger->crew, &w->futex))
		return false;
	note_wakeup(w);
	return true;
}

static void enlist(struct worker *w)
{
	struct messenger *m = w->messenger;

	w->asked++;
	w->next = READ_ONCE(m->list);
	while (!__atomic_compare_exchange_n(&m->list, &w->next, w, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

bool worker_ask(struct worker *w)
{
	block(&w->futex);
	enlist(w);
	post(&w->messenger->futex);
	return sleep_until_posted(w);
}

bool worker_await_pending(struct worker *w)
{
	block(&w->futex);
	if (!__atomic_load_n(&w->pending, __ATOMIC_SEQ_CST))
		return sleep_until_posted(w);
	__atomic_store_n(&w->futex.word, RUNNING, __ATOMIC_SEQ_CST);
	return crew_goes_on(w->messenger->crew);
}

void worker_note_request(struct worker *w, u64 ns)
{
	if (phase_of(w->messenger->crew) != PHASE_MEASURED)
		return;
	histogram_add(&w->requests, ns / NSEC_PER_USEC);
	WRITE_ONCE(w->done, w->done + 1);
}

/* ---- the tasks ---- */

/* At the beginning with the sum so far, at the end to have what came in between. */
static struct waits waits_since(struct waits before)
{
	return (struct waits){ current()->run_delay_ns - before.ns, current()->pcount - before.times };
}

static void messenger(void *argument)
{
	struct messenger *m = argument;
	struct waits before;

	gate_pass(&m->crew->start);
	before = waits_since((struct waits){ 0 });
	m->crew->messenger_body(m);
	m->waits = waits_since(before);
}

static void worker(void *argument)
{
	struct worker *w = argument;
	struct waits before;

	gate_pass(&w->messenger->crew->start);
	before = waits_since((struct waits){ 0 });
	machine_work_ns(run_stagger_ns(w->number));
	w->messenger->crew->worker_body(w);
	w->waits = waits_since(before);
}

/* ---- memory ---- */

static int worker_init(struct worker *w, struct messenger *m, u64 number)
{
	*w = (struct worker){ .messenger = m, .number = number, .wakeups = percentiles_new(), .requests = percentiles_new() };
	futex_init(&w->futex, RUNNING);
	return w->wakeups.bucket && w->requests.bucket ? 0 : -E_NOMEM;
}

static int messenger_init(struct messenger *m, struct crew *c, u64 number)
{
	*m = (struct messenger){ .crew = c, .number = number, .worker = mem_alloc(c->nr_workers * sizeof(*m->worker)) };
	futex_init(&m->futex, RUNNING);
	if (!m->worker)
		return -E_NOMEM;
	for (u64 i = 0; i < c->nr_workers; i++)
		if (worker_init(&m->worker[i], m, number * c->nr_workers + i))
			return -E_NOMEM;
	return 0;
}

int crew_prepare(struct crew *c)
{
	gate_init(&c->start);
	c->messenger = mem_alloc(c->nr_messengers * sizeof(*c->messenger));
	c->wakeups = percentiles_new();
	c->requests = percentiles_new();
	c->rates = percentiles_new();
	if (!c->messenger || !c->wakeups.bucket || !c->requests.bucket || !c->rates.bucket)
		return -E_NOMEM;
	for (u64 i = 0; i < c->nr_messengers; i++)
		if (messenger_init(&c->messenger[i], c, i))
			return -E_NOMEM;
	return 0;
}

/* ---- the measurement ---- */

static u64 count_done(const struct crew *c)
{
	u64 done = 0;

	for (u64 i = 0; i < c->nr_messengers; i++)
		for (u64 k = 0; k < c->nr_workers; k++)
			done += READ_ONCE(c->messenger[i].worker[k].done);
	return done;
}

/* True when it is that late; false: the run that this one accompanies has ended before. */
static bool sleep_until(const struct run *r, u64 deadline_ns)
{
	enum { LOOK_NS = 2000000 };
	u64 now_ns;

	while ((now_ns = machine_clock_ns()) < deadline_ns) {
		if (run_is_over(r))
			return false;
		sleep_ns(r->over ? min_u64(deadline_ns - now_ns, LOOK_NS) : deadline_ns - now_ns);
	}
	return true;
}

/* Ten times a second, because runs in virtual time are short. Whoever comes late leaves the next one out rather than measure less.
 */
static void sample_rates(struct crew *c, const struct run *r, u64 end_ns)
{
	enum { SAMPLE_NS = 100000000 };
	u64 done = 0, then_ns = r->start_ns;

	for (u64 at = then_ns + SAMPLE_NS; at <= end_ns && sleep_until(r, at); at += SAMPLE_NS) {
		u64 now_ns = machine_clock_ns(), now_done = count_done(c);

		if (now_ns - then_ns < SAMPLE_NS / 2)
			continue;
		histogram_add(&c->rates, (now_done - done) * NSEC_PER_SEC / (now_ns - then_ns));
		done = now_done;
		then_ns = now_ns;
	}
}

static void measure(struct crew *c, struct run *r)
{
	u64 end_ns;

	c->start_ns = machine_clock_ns();
	if (c->warmup_ns) {
		gate_open(&c->start);
		sleep_until(r, c->start_ns + c->warmup_ns);
	}
	run_begin(r);
	set_phase(c, PHASE_MEASURED);
	gate_open(&c->start);
	end_ns = c->run_ns ? r->start_ns + c->run_ns : ~0ull;
	sample_rates(c, r, end_ns);
	sleep_until(r, end_ns);
	set_phase(c, PHASE_OVER);
	run_finish(r);
}

static int spawn_all(struct crew *c)
{
	for (u64 i = 0; i < c->nr_messengers; i++) {
		if (!task_spawn("schbench-message", messenger, &c->messenger[i], false))
			return -E_NOMEM;
		c->spawned++;
		for (u64 k = 0; k < c->nr_workers; k++, c->spawned++)
			if (!task_spawn("schbench-worker", worker, &c->messenger[i].worker[k], false))
				return -E_NOMEM;
	}
	return 0;
}

/* The phase is over: wake those who have not seen it. */
static void reap_all(struct crew *c)
{
	gate_open(&c->start);
	for (u64 i = 0; i < c->nr_messengers; i++) {
		post(&c->messenger[i].futex);
		for (u64 k = 0; k < c->nr_workers; k++)
			post(&c->messenger[i].worker[k].futex);
	}
	for (u64 i = 0; i < c->spawned; i++)
		task_reap(REAP_ANY);
}

/* ---- what came of it ---- */

static void waits_add(struct waits *to, const struct waits *from)
{
	to->ns += from->ns;
	to->times += from->times;
}

static void add_worker(struct crew *c, const struct worker *w)
{
	histogram_merge(&c->wakeups, &w->wakeups);
	histogram_merge(&c->requests, &w->requests);
	waits_add(&c->workers_waits, &w->waits);
	c->wakeup_ns += w->wakeup_ns;
	c->done += w->done;
	c->asked += w->asked;
}

static void add_messenger(struct crew *c, const struct messenger *m)
{
	waits_add(&c->messengers_waits, &m->waits);
	c->posts += m->posts;
	c->answered += m->answered;
	for (const struct worker *w = m->list; w; w = w->next)
		c->listed++;
	for (u64 k = 0; k < c->nr_workers; k++)
		add_worker(c, &m->worker[k]);
}

/* The requests of each worker, where the run's table has room for all. */
static void take_counts(const struct crew *c, struct run *r)
{
	if (c->nr_messengers * c->nr_workers > MAX_COUNTS)
		return;
	for (u64 i = 0; i < c->nr_messengers; i++)
		for (u64 k = 0; k < c->nr_workers; k++)
			r->count[r->nr_counts++] = c->messenger[i].worker[k].done;
}

static const char *judge(const struct crew *c, const struct run *r)
{
	if (c->asked != c->answered + c->listed)
		return "workers were forgotten or woken twice";
	if (c->requests.count != c->done)
		return "requests were lost or counted twice";
	return c->done || r->over ? "ok" : "no request ended in that time";
}

void crew_run(struct crew *c, struct run *r)
{
	if (spawn_all(c)) {
		r->status = "not enough memory for so many tasks";
		set_phase(c, PHASE_OVER);
		reap_all(c);
		return;
	}
	measure(c, r);
	reap_all(c);
	for (u64 i = 0; i < c->nr_messengers; i++)
		add_messenger(c, &c->messenger[i]);
	take_counts(c, r);
	r->status = judge(c, r);
}

void crew_metrics(const struct crew *c, struct run *r)
{
	run_metric(r, "posts", c->posts);
	run_metric(r, "wakeups", c->wakeups.count);
	run_metric(r, "wakeup_mean_ns", c->wakeup_ns / max_u64(c->wakeups.count, 1));
	run_metric(r, "wakeup_p50_us", histogram_percentile(&c->wakeups, 50000));
	run_metric(r, "wakeup_p90_us", histogram_percentile(&c->wakeups, 90000));
	run_metric(r, "wakeup_p99_us", histogram_percentile(&c->wakeups, 99000));
	run_metric(r, "wakeup_p999_us", histogram_percentile(&c->wakeups, 99900));
	run_metric(r, "wakeup_max_us", c->wakeups.most);
	run_metric(r, "requests", c->done);
	run_metric(r, "request_p50_us", histogram_percentile(&c->requests, 50000));
	run_metric(r, "request_p90_us", histogram_percentile(&c->requests, 90000));
	run_metric(r, "request_p99_us", histogram_percentile(&c->requests, 99000));
	run_metric(r, "request_p999_us", histogram_percentile(&c->requests, 99900));
	run_metric(r, "request_max_us", c->requests.most);
}
