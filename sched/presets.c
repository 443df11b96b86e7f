/* SPDX-License-Identifier: GPL-2.0-or-later
 * Presets: what each release and proposal differs in from the one it came from. An era is nothing but these settings. */
#include "sched/knobs.h"

#include "base/bug.h"
#include "base/cmdline.h"
#include "base/string.h"
#include "base/text.h"

struct preset {
	const char *name, *base, *settings, *help;
};

/* The defaults are 3.8's. */
static const struct preset presets[] = {
	{ "v3.8", NULL, "", "Linux 3.8, February 2013: the defaults" },
	{ "v3.8-nonewidle", "v3.8", "newidle=off",
		"3.8 with SD_BALANCE_NEWIDLE cleared in every domain (Galbraith, 17 February 2013)" },
	{ "v3.8+power", "v3.8", "mc_prefer_sibling=on", "3.8 with the power-aware patches of January 2013; policy= chooses" },
	{ "v3.13", "v3.8", "newidle=cost wake_select=previous_idle",
		"newidle balancing that weighs its cost, and the idle search of 3.9" },
	{ "v2.6.32.2", "v3.8",
		"normalized_latency_ns=5000000 normalized_min_granularity_ns=1000000 sched_tunable_scaling=log_all ADAPTIVE_GRAN "
		"SYNC_LESS NO_TTWU_QUEUE inverse=rounded vruntime=absolute tick_leftmost=unsigned_bug wake_over_idle=normal "
		"resched_clear=early fork_place=early yield=update idle_cpu=curr wake_select=affine_idle affine_power=plain "
		"mc_prefer_sibling=on smt_shares_pkg=off numa_levels=nearest power_refresh=first_cpu group_imb=twice_mean sibling_clamp=all "
		"balanced=mean_task newidle_force=off imbalance_force=off idle_exit=percent small_imbalance=plain lone_queue=scaled "
		"move_scan=in_order some_pinned=give_up hot_idle_policy=on smt_busy=stop interval_cap=built "
		"newidle_routine=separate newidle_lock=held nohz_balancer=owner missed_ticks=stale "
		" rt_wake_push=waiting rt_select=rt_runs buddy_pick=last_first buddy_set=preempt",
		"the stable release of December 2009: newidle balancing throttled, idle CPUs sought by wakeups" },
	{ "v2.6.32", "v2.6.32.2", "newidle=always wake_select=affine", "Linux 2.6.32, December 2009" },
	{ "v2.6.32-rc1", "v2.6.32", "tick_leftmost=off buddy_pick=clear_all buddy_set=wakeup buddy_hot=any prefer_local=mc_cpu",
		"September 2009: what the hackbench and VolanoMark reports were against" },
	{ "v2.6.32-rc1+p2", "v2.6.32-rc1", "buddy_pick=clear_seen prefer_local=node", "rc1 and the two patches of 9 October 2009" },
	{ "v2.6.32-rc1+buddies", "v2.6.32-rc1+p2", "buddy_pick=keep buddy_set=always buddy_hot=source_busy",
		"and the buddy patch of 16 October 2009 (Galbraith; measured by Zhang on the 27th)" },
};

static const struct preset *find(const char *name)
{
	for (unsigned i = 0; i < ARRAY_SIZE(presets); i++)
		if (!strcmp(presets[i].name, name))
			return &presets[i];
	return NULL;
}

static void apply(const struct preset *p)
{
	const struct knob_table *tables[] = { &sched_knob_table };
	const char *settings = p->settings;
	char word[64], error[KNOB_ERROR_BYTES];

	if (p->base)
		apply(find(p->base));
	while (cmdline_next(&settings, word, sizeof(word)) == 1)
		bug_on(knob_assign(tables, 1, word, error));
}

int preset_apply(const char *name, char *error)
{
	const struct preset *p = find(name);
	struct sched_knobs before = knob;
	size_t used;

	if (p) {
		knobs_reset(&sched_knob_table);
		knob.HZ = before.HZ;
		knob.preempt = before.preempt;
		knob.nohz = before.nohz;
		knob.relax_domain_level = before.relax_domain_level;
		apply(p);
		return 0;
	}
	used = (size_t)text_format(error, KNOB_ERROR_BYTES, "preset=%.40s: expected one of ", name);
	for (unsigned i = 0; i < ARRAY_SIZE(presets) && used < KNOB_ERROR_BYTES; i++)
		used += (size_t)text_format(error + used, KNOB_ERROR_BYTES - used, "%s%s", i ? "|" : "", presets[i].name);
	return -E_NOENT;
}

bool preset_describe(unsigned i, const char **name, const char **help)
{
	if (i >= ARRAY_SIZE(presets))
		return false;
	*name = presets[i].name;
	*help = presets[i].help;
	return true;
}
