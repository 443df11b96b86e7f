/* SPDX-License-Identifier: GPL-2.0-or-later
 * Holding all CPUs still: each step on all of them before the next, because they share registers. */
#include "arch/machine.h"

#include "arch/x86/idle.h"
#include "arch/x86/smp.h"
#include "arch/x86/still.h"
#include "base/text.h"

struct cpu_holds {
	struct still_hold of[NR_STILL_ITEMS];
} cache_aligned;

static struct {
	struct still_wish wish;
	bool asked[NR_STILL_ITEMS];
	struct cpu_holds cpu[MAX_CPUS]; /* owner CPU */
	const char *idle_refusal;	/* of STILL_CSTATE; NULL: it is held */
	const char *idle_during;
} hold;

/* ---- what each CPU does, interrupts off ---- */

static bool is_register(enum still_item item)
{
	return hold.asked[item] && item != STILL_CSTATE;
}

static void on_each(void (*step)(struct still_hold *h))
{
	for (unsigned item = 0; item < NR_STILL_ITEMS; item++)
		if (is_register(item))
			step(&hold.cpu[machine_cpu()].of[item]);
}

static void look(void)
{
	for (unsigned item = 0; item < NR_STILL_ITEMS; item++) {
		struct still_rule rule;

		if (!is_register(item))
			continue;
		rule = still_rule_of(item, &hold.wish, cpuid_here, NULL);
		still_look(&hold.cpu[machine_cpu()].of[item], &rule);
	}
}

static void write(void)
{
	on_each(still_write);
}

static void verify(void)
{
	on_each(still_verify);
}

static void put_back(void)
{
	on_each(still_put_back);
}

static void look_again(void)
{
	on_each(still_look_again);
}

/* ---- idle states ---- */

static void hold_idle(void)
{
	u32 hint = 0;

	hold.idle_during = "hlt";
	hold.idle_refusal = NULL;
	if (hold.wish.cstate == CSTATE_POLL) {
		idle_choose(IDLE_POLL, 0);
		hold.idle_during = "poll";
	} else if (hold.wish.cstate == CSTATE_ANY) {
		hold.idle_refusal = still_deepest_hint(cpuid_here, NULL, &hint);
		if (hold.idle_refusal)
			return;
		idle_choose(IDLE_MWAIT, hint);
		hold.idle_during = "mwait";
	}
}

/* ---- the contract ---- */

/* CPUs are not disturbed for nothing. */
static bool any_register(void)
{
	return is_register(STILL_TURBO) || is_register(STILL_PSTATE) || is_register(STILL_PREFETCH);
}

void machine_hold_still(const struct still_wish *wish)
{
	hold.wish = *wish;
	hold.asked[STILL_TURBO] = wish->turbo != TURBO_AS_IS;
	hold.asked[STILL_PSTATE] = wish->pstate != PSTATE_AS_IS;
	hold.asked[STILL_CSTATE] = wish->cstate != CSTATE_C1;
	hold.asked[STILL_PREFETCH] = wish->prefetch != PREFETCH_AS_IS;
	if (any_register()) {
		smp_call_all(look);
		smp_call_all(write);
		smp_call_all(verify);
	}
	hold_idle();
}

void machine_let_go(void)
{
	idle_choose(IDLE_HALT, 0);
	if (any_register()) {
		smp_call_all(put_back);
		smp_call_all(look_again);
	}
}

static void describe_idle(struct still_note *note)
{
	text_format(note->before, sizeof(note->before), "hlt");
	text_format(note->during, sizeof(note->during), "%s", hold.idle_during);
	text_format(note->after, sizeof(note->after), "hlt");
	text_format(note->state, sizeof(note->state), "%s%s", hold.idle_refusal ? "not supported: " : "held",
		hold.idle_refusal ? hold.idle_refusal : "");
}

void machine_still(enum still_item item, struct still_note *note)
{
	*note = (struct still_note){ .before = "" };
	if (is_register(item))
		still_describe(&hold.cpu[0].of[item], sizeof(struct cpu_holds), machine_nr_cpus(), note);
	else if (hold.asked[item])
		describe_idle(note);
}
