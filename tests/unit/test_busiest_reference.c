/* SPDX-License-Identifier: GPL-2.0-or-later
 * busiest.c looks closely only where the answer can matter. Here the same decision is made by looking at everything, step by step
 * as cfs.md sections 5.3 to 5.6 and 13.1 say it for each era, and the two must agree on 20000 random states of the queues: on the
 * group, the amount, the queue and whose business it is. From these follow all counters of a pass. */
#include "tests/unit/balancing.h"

#include "base/random.h"

static u64 seed = 1;

static u64 draw(u64 below)
{
	return random_next(&seed) % below;
}

/* ---- the reference ---- */

struct figures {
	struct sched_group *g;
	u64 load, weighted, avg, max, min, tasks_mean;
	u32 nr, idle, max_nr, min_nr;
	u64 capacity;
	bool room, imb;
};

static u64 load_of(const struct balance *b, unsigned cpu, bool local)
{
	static const bool newly[NR_IDLE_TYPES] = { [CPU_NEWLY_IDLE] = true };
	unsigned idx = newly[b->idle] ? b->sd->newidle_idx : b->idle == CPU_NOT_IDLE ? b->sd->busy_idx : b->sd->idle_idx;

	return local ? target_load(cpu, idx) : source_load(cpu, idx);
}

static struct figures look(const struct balance *b, struct sched_group *g)
{
	struct figures f = { .g = g, .min = ~0ull, .min_nr = ~0u };
	bool local = mask_has(&g->span, b->dst_cpu);

	for (unsigned cpu = 0; cpu < nr_cpus; cpu++) {
		u64 weight = rq_weight(cpu_rq(cpu)), load = load_of(b, cpu, local);
		u32 nr = cpu_rq(cpu)->nr_running;

		if (!mask_has(&g->span, cpu) || !mask_has(&b->cpus, cpu))
			continue;
		f.load += load;
		f.weighted += weight;
		f.nr += nr;
		f.idle += cpu_is_idle(cpu);
		f.max = load > f.max ? load : f.max;
		f.min = load < f.min ? load : f.min;
		f.max_nr = nr > f.max_nr ? nr : f.max_nr;
		f.min_nr = nr < f.min_nr ? nr : f.min_nr;
		f.tasks_mean += nr ? weight / nr : 0;
	}
	f.avg = f.load * 1024 / g->power;
	f.capacity = power_capacity(b->sd, g, g->power);
	f.room = f.capacity > f.nr;
	if (f.min > f.max) /* no CPU */
		f.min = f.min_nr = 0;
	if (knob.group_imb == GROUP_IMB_TWICE_MEAN)
		f.imb = f.max - f.min > 2 * (f.tasks_mean * 1024 / g->power);
	else
		f.imb = f.max - f.min >= (f.nr ? f.weighted / f.nr : 0) && f.max_nr - f.min_nr > 1;
	if (knob.group_load == GROUP_LOAD_LEAST)
		f.avg = f.min;
	return f;
}

/* Section 5.5; `now` and `moved` as there. */
static u64 small(const struct balance *b, const struct figures *t, const struct figures *m, u64 lpt, u64 imbalance)
{
	u64 p_b = m->g->power, p_t = t->g->power, this_lpt, imbn = 2, scaled, now, moved = 0, share = lpt * 1024 / p_b;
	struct rq *rq = cpu_rq(b->dst_cpu);

	if (t->nr) {
		this_lpt = t->weighted / t->nr;
		imbn = lpt > this_lpt ? 1 : 2;
	} else {
		this_lpt = rq->nr_running ? rq_weight(rq) / rq->nr_running : 0;
	}
	scaled = knob.small_imbalance == SMALL_IMBALANCE_PLAIN ? lpt : share;
	if (m->avg - t->avg + scaled >= scaled * imbn)
		return lpt;
	now = (p_b * min_u64(lpt, m->avg) + p_t * min_u64(this_lpt, t->avg)) / 1024;
	if (m->avg > share)
		moved = p_b * min_u64(lpt, m->avg - share);
	moved += p_t * min_u64(this_lpt, t->avg + (m->avg * p_b < lpt * 1024 ? m->avg * p_b / p_t : lpt * 1024 / p_t));
	return moved / 1024 > now ? lpt : imbalance;
}

static u64 amount(const struct balance *b, const struct figures *t, const struct figures *m, u64 avg, u64 lpt)
{
	u64 most, imbalance = 0;

	if (knob.group_load == GROUP_LOAD_LEAST)
		return (m->max - t->min) / 2;
	if (m->avg >= avg) {
		if (knob.balanced == BALANCED_MEAN_TASK)
			most = m->avg - lpt;
		else
			most = m->imb ? ~0ull : (m->nr - m->capacity) * 1024 * 1024 / m->g->power;
		imbalance = min_u64(min_u64(m->avg - avg, most) * m->g->power, (avg - t->avg) * t->g->power) / 1024;
	}
	return imbalance < lpt ? small(b, t, m, lpt, imbalance) : imbalance;
}

static bool balanced(const struct balance *b, const struct figures *t, const struct figures *m, u64 avg, u64 lpt)
{
	if (knob.group_load == GROUP_LOAD_LEAST && m->max <= t->min)
		return true;
	if (knob.imbalance_force && m->imb)
		return false;
	if (knob.newidle_force && b->idle == CPU_NEWLY_IDLE && t->room && !m->room)
		return false;
	if (t->avg >= m->avg || t->avg >= avg)
		return true;
	if (b->idle == CPU_IDLE && knob.idle_exit == IDLE_EXIT_CPUS) {
		if (t->idle <= m->idle + 1 && m->nr <= m->g->weight)
			return true;
	} else if (100 * m->avg <= b->sd->imbalance_pct * t->avg) {
		return true;
	}
	return knob.balanced == BALANCED_MEAN_TASK && m->avg <= lpt;
}

static bool elected(const struct balance *b)
{
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++)
		if (mask_has(&b->sd->groups->span, cpu) && mask_has(&b->cpus, cpu) && cpu_is_idle(cpu))
			return cpu == b->dst_cpu;
	return group_balance_cpu(b->sd->groups) == b->dst_cpu;
}

static struct sched_group *reference(struct balance *b)
{
	struct figures local = look(b, b->sd->groups), busiest = { .g = NULL };
	bool prefer = b->sd->child && b->sd->child->flags & SD_PREFER_SIBLING;
	struct sched_group *g = b->sd->groups;
	u64 load = 0, power = 0, avg, lpt;

	if (b->idle != CPU_NEWLY_IDLE && !elected(b)) {
		*b->responsible = false;
		return NULL;
	}
	do {
		struct figures f = look(b, g);

		load += f.load;
		power += g->power;
		if (prefer && (knob.sibling_clamp == SIBLING_CLAMP_ALL || local.room))
			f.capacity = min_u64(f.capacity, 1);
		if (!mask_has(&g->span, b->dst_cpu) && f.avg > busiest.avg && (f.nr > f.capacity || f.imb))
			busiest = f;
		g = g->next;
	} while (g != b->sd->groups);
	if (!busiest.g || !busiest.nr)
		return NULL;
	avg = load * 1024 / power;
	lpt = busiest.weighted / busiest.nr;
	if (busiest.imb)
		lpt = min_u64(lpt, avg);
	if (balanced(b, &local, &busiest, avg, lpt))
		return NULL;
	b->imbalance = amount(b, &local, &busiest, avg, lpt);
	return busiest.g;
}

static struct rq *reference_queue(const struct balance *b, const struct sched_group *g)
{
	struct rq *best = NULL;
	u64 most = 0;

	for (unsigned cpu = 0; cpu < nr_cpus; cpu++) {
		struct rq *rq = cpu_rq(cpu);
		u64 scaled = rq_weight(rq) * 1024 / rq->power;

		if (!mask_has(&g->span, cpu) || !mask_has(&b->cpus, cpu))
			continue;
		if (rq->nr_running == 1 && power_capacity(b->sd, g, rq->power) &&
			(knob.lone_queue == LONE_QUEUE_SCALED ? scaled : rq_weight(rq)) > b->imbalance)
			continue;
		if (scaled > most) {
			most = scaled;
			best = rq;
		}
	}
	return best;
}

/* ---- random states ---- */

/* Some are full, some empty, some have a task of another class that weighs nothing. */
static void draw_queue(struct rq *rq, unsigned most)
{
	static const u16 weights[] = { 3, 15, 335, 820, 1024, 1024, 1024, 1024, 1277, 9548 };
	static struct task busy;

	rq->nr_running = (u32)draw(most + 1);
	rq->cfs.load.weight = 0;
	for (u32 i = draw(16) == 0; i < rq->nr_running; i++)
		rq->cfs.load.weight += draw(200) ? weights[draw(ARRAY_SIZE(weights))] : 88761;
	for (unsigned i = 0; i < NR_CPU_LOADS; i++)
		rq->cpu_load[i] = draw(2) ? rq_weight(rq) : draw(5000);
	rq->curr = rq->nr_running ? &busy : rq->idle;
}

static void draw_switches(void)
{
	knob.group_load = draw(8) ? GROUP_LOAD_AVERAGE : GROUP_LOAD_LEAST;
	knob.group_imb = (u8)draw(2);
	knob.sibling_clamp = (u8)draw(2);
	knob.balanced = (u8)draw(2);
	knob.newidle_force = (u8)draw(2);
	knob.imbalance_force = (u8)draw(2);
	knob.idle_exit = (u8)draw(2);
	knob.small_imbalance = (u8)draw(2);
	knob.lone_queue = (u8)draw(2);
	knob.idle_cpu = (u8)draw(2);
	knob.LB_BIAS = draw(4) != 0;
}

/* Of the domains of that CPU, any. */
static struct sched_domain *draw_domain(unsigned cpu)
{
	struct sched_domain *sd = cpu_rq(cpu)->sd;

	while (sd->parent && draw(2))
		sd = sd->parent;
	return sd;
}

/* What came of how many searches: a test in which one of them is rare proves little. */
struct outcomes {
	unsigned refused, balanced, no_queue, found;
};

static void compare(struct outcomes *seen)
{
	bool responsible = true, expected_responsible = true;
	unsigned cpu = (unsigned)draw(nr_cpus);
	struct balance b = { .sd = draw_domain(cpu), .idle = (enum idle_type)draw(NR_IDLE_TYPES), .rq = cpu_rq(cpu) }, r;
	struct sched_group *g, *expected;
	struct rq *busiest;

	b.dst = b.rq;
	b.dst_cpu = cpu;
	b.cpus = cpus_online;
	if (!draw(4))
		mask_unset(&b.cpus, (unsigned)draw(nr_cpus));
	r = b;
	b.responsible = &responsible;
	r.responsible = &expected_responsible;
	g = find_busiest_group(&b);
	expected = reference(&r);
	assert_int_equal(responsible, expected_responsible);
	assert_ptr_equal(g, expected);
	if (!g) {
		seen->refused += !responsible;
		seen->balanced += responsible;
		return;
	}
	assert_int_equal(b.imbalance, r.imbalance);
	busiest = find_busiest_queue(&b, g);
	assert_ptr_equal(busiest, reference_queue(&r, g));
	seen->found += busiest != NULL;
	seen->no_queue += !busiest;
}

static void compare_on_this_machine(unsigned states)
{
	struct outcomes seen = { .refused = 0 };

	for (unsigned i = 0; i < states; i++) {
		unsigned most = (unsigned)draw(5);

		for (unsigned cpu = 0; cpu < nr_cpus; cpu++)
			draw_queue(cpu_rq(cpu), most);
		draw_switches();
		compare(&seen);
	}
	assert_in_range(seen.refused, states / 50, states);
	assert_in_range(seen.balanced, states / 50, states);
	assert_in_range(seen.no_queue, nr_cpus < 64, states); /* large groups always have one */
	assert_in_range(seen.found, states / 50, states);
}

static void test_cores_of_a_node(void **state)
{
	(void)state;
	test_machine(1, 2, 4, 1);
	test_boot(SWITCH_LABELS);
	compare_on_this_machine(5000);
}

static void test_threads_and_nodes(void **state)
{
	(void)state;
	test_machine(2, 1, 4, 2);
	test_boot(SWITCH_LABELS);
	compare_on_this_machine(5000);
}

/* The masks of groups have more than one word. */
static void test_many_cpus(void **state)
{
	(void)state;
	test_machine(5, 1, 16, 1);
	test_boot(SWITCH_LABELS);
	compare_on_this_machine(5000);
}

/* Four nodes in a square: the opposite ones are two hops apart, so that groups overlap. */
static void test_overlapping_groups(void **state)
{
	(void)state;
	test_machine(4, 1, 2, 1);
	test_distance(0, 2, 30);
	test_distance(1, 3, 30);
	test_boot(SWITCH_LABELS);
	compare_on_this_machine(5000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_cores_of_a_node),
		machine_test(test_threads_and_nodes),
		machine_test(test_many_cpus),
		machine_test(test_overlapping_groups),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
