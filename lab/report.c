/* SPDX-License-Identifier: GPL-2.0-or-later
 * From what happened to records, and to lines for people. */
#include "lab/lab.h"

#include "arch/shape.h"
#include "base/record.h"
#include "base/text.h"
#include "lab/counters.h"
#include "lab/cpuset.h"

/* ---- the machine ---- */

static void report_boot(const struct machine_info *m)
{
	record_begin(RECORD_boot);
	record_uint(FIELD_boot_format, RECORD_FORMAT);
	record_str(FIELD_boot_version, m->version);
	record_str(FIELD_boot_build, m->build);
	record_str(FIELD_boot_machine, m->machine);
	record_str(FIELD_boot_loader, m->loader);
	record_str(FIELD_boot_firmware, m->firmware);
	record_str(FIELD_boot_cmdline, m->cmdline);
	record_uint(FIELD_boot_exact, m->exact);
	record_end();
}

/* Of no topology an empty list. */
static void put_places(enum record_field field, const struct topology *t, size_t offset)
{
	static u64 number[MAX_CPUS];
	unsigned nr = t ? t->nr_cpus : 0;

	for (unsigned i = 0; i < nr; i++)
		number[i] = *(const u16 *)((const char *)&t->cpu[i] + offset);
	record_uints(field, number, nr);
}

static void put_shape(enum record_field field, const struct topology *t)
{
	char text[SHAPE_BYTES] = "";

	if (t)
		shape_print(t, text, sizeof(text));
	record_str(field, text);
}

static void report_machine_record(const struct machine_info *m)
{
	const struct topology *t = machine_topology();

	record_begin(RECORD_machine);
	record_str(FIELD_machine_cpu_vendor, m->cpu_vendor);
	record_str(FIELD_machine_cpu_model, m->cpu_model);
	record_str(FIELD_machine_hypervisor, m->hypervisor);
	record_uint(FIELD_machine_memory_bytes, m->memory_bytes);
	record_uint(FIELD_machine_cpus, t->nr_cpus);
	record_uint(FIELD_machine_nodes, t->nr_nodes);
	record_uint(FIELD_machine_packages, t->nr_packages);
	record_uint(FIELD_machine_llcs, t->nr_llcs);
	record_uint(FIELD_machine_cores, t->nr_cores);
	put_places(FIELD_machine_cpu_node, t, offsetof(struct cpu_place, node));
	put_places(FIELD_machine_cpu_package, t, offsetof(struct cpu_place, package));
	put_places(FIELD_machine_cpu_llc, t, offsetof(struct cpu_place, llc));
	put_places(FIELD_machine_cpu_core, t, offsetof(struct cpu_place, core));
	put_shape(FIELD_machine_shape, t);
	put_shape(FIELD_machine_pretended_on, m->real);
	record_uint(FIELD_machine_cpus_left_out, m->cpus_left_out);
	put_places(FIELD_machine_real_node, m->real, offsetof(struct cpu_place, node));
	put_places(FIELD_machine_real_package, m->real, offsetof(struct cpu_place, package));
	put_places(FIELD_machine_real_llc, m->real, offsetof(struct cpu_place, llc));
	put_places(FIELD_machine_real_core, m->real, offsetof(struct cpu_place, core));
	record_str(FIELD_machine_apic, m->apic);
	record_str(FIELD_machine_timer, m->timer);
	record_str(FIELD_machine_clocksource, m->clocksource);
	record_uint(FIELD_machine_clocksource_hz, m->clocksource_hz);
	record_str(FIELD_machine_clock_reference, m->clock_reference);
	record_uint(FIELD_machine_tsc_hz, m->tsc_hz);
	record_uint(FIELD_machine_tsc_invariant, m->tsc_invariant);
	record_uint(FIELD_machine_tsc_warp_cycles, m->tsc_warp_cycles);
	put_machine_counters();
	record_end();
}

static const char *plural(unsigned n, const char *suffix)
{
	return n == 1 ? "" : suffix;
}

/* Nobody is to take it for the machine's own. */
static void say_masquerade(const struct topology *shown, const struct topology *real, unsigned left_out)
{
	char seems[SHAPE_BYTES], is[SHAPE_BYTES];

	shape_print(shown, seems, sizeof(seems));
	shape_print(real, is, sizeof(is));
	say("That topology is pretended: %s, on CPUs that are really %s", seems, is);
	if (left_out)
		say("; %u more CPU%s left out", left_out, left_out == 1 ? " is" : "s are");
	say("\n");
}

static void say_place(const struct cpu_place *p)
{
	say("node %u package %u cache %u core %u thread %u", p->node, p->package, p->llc, p->core, p->thread);
}

void say_machine(const struct machine_info *m)
{
	const struct topology *t = machine_topology();

	say("Fairmetal %s on %s (%s, hypervisor %s), %llu MiB, loaded by %s, firmware %s\n", m->version, m->cpu_model,
		m->cpu_vendor, m->hypervisor, (unsigned long long)(m->memory_bytes >> 20), m->loader, m->firmware);
	say("%u CPU%s: %u node%s, %u package%s, %u last-level cache%s, %u core%s; %s\n", t->nr_cpus, plural(t->nr_cpus, "s"),
		t->nr_nodes, plural(t->nr_nodes, "s"), t->nr_packages, plural(t->nr_packages, "s"), t->nr_llcs,
		plural(t->nr_llcs, "s"), t->nr_cores, plural(t->nr_cores, "s"), m->apic);
	say("Clock %s at %llu Hz by %s, TSC %s at %llu Hz; timer %s\n", m->clocksource, (unsigned long long)m->clocksource_hz,
		m->clock_reference, m->tsc_invariant ? "invariant" : "not promised to be invariant", (unsigned long long)m->tsc_hz,
		m->timer);
	say("Counters: %s\n", machine_counters());
	if (m->real)
		say_masquerade(t, m->real, m->cpus_left_out);
	for (unsigned i = 0; i < t->nr_cpus; i++) {
		say("  CPU %u: ", i);
		say_place(&t->cpu[i]);
		if (m->real) {
			say("; really ");
			say_place(&m->real->cpu[i]);
		}
		say("\n");
	}
}

void report_machine(void)
{
	const struct machine_info *m = machine_info();

	report_boot(m);
	say_machine(m);
	report_machine_record(m);
	sched_say_domains();
}

/* ---- plan and knobs ---- */

static void put_accounts(void)
{
	const char *account[3];
	unsigned nr = 0;

	if (param.waste)
		account[nr++] = "waste";
	if (param.latency)
		account[nr++] = "latency";
	if (param.trace)
		account[nr++] = "trace";
	record_strs(FIELD_plan_accounts, account, nr);
}

void report_plan(const struct plan *plan)
{
	static char names[MAX_VARIANTS][TEXT_BYTES];
	const char *workload[MAX_WORKLOADS], *with[MAX_BACKGROUNDS], *variant[MAX_VARIANTS];
	char order[16], then[16];

	for (unsigned i = 0; i < plan->nr_workloads; i++)
		workload[i] = plan->workload[i].text;
	for (unsigned i = 0; i < plan->nr_backgrounds; i++)
		with[i] = plan->background[i].text;
	for (unsigned i = 0; i < plan->nr_variants; i++) {
		plan_variant_name(plan, i, names[i], sizeof(names[i]));
		variant[i] = names[i];
	}
	knob_print_of(&lab_knob_table, &param.order, order, sizeof(order));
	knob_print_of(&lab_knob_table, &param.then, then, sizeof(then));
	say_experiment(param.exp, param.scale);
	say("Plan: %u workload%s x %u variant%s x %llu run%s (and %llu warm-up), order %s, seed %llu, then %s\n",
		plan->nr_workloads, plural(plan->nr_workloads, "s"), plan->nr_variants, plural(plan->nr_variants, "s"),
		(unsigned long long)param.runs, plural((unsigned)param.runs, "s"), (unsigned long long)param.warmup, order,
		(unsigned long long)param.seed, then);
	if (*param.screen)
		screen_say(&plan->screen);
	for (unsigned i = 0; i < plan->nr_workloads; i++)
		say("  run %s\n", workload[i]);
	for (unsigned i = 0; i < plan->nr_backgrounds; i++)
		say("  with %s\n", with[i]);
	for (unsigned i = 0; i < plan->nr_variants; i++)
		say("  under %s\n", variant[i]);
	if (mask_weight(&plan->cpus) < machine_nr_cpus())
		cpuset_say("  on CPU", &plan->cpus);
	record_begin(RECORD_plan);
	record_strs(FIELD_plan_workloads, workload, plan->nr_workloads);
	record_strs(FIELD_plan_with, with, plan->nr_backgrounds);
	record_strs(FIELD_plan_variants, variant, plan->nr_variants);
	record_uint(FIELD_plan_runs, param.runs);
	record_uint(FIELD_plan_warmup, param.warmup);
	record_str(FIELD_plan_order, order);
	record_uint(FIELD_plan_seed, param.seed);
	put_accounts();
	record_str(FIELD_plan_then, then);
	record_str(FIELD_plan_experiment, param.exp);
	record_uint(FIELD_plan_scale_percent, param.scale);
	record_uint(FIELD_plan_cpus, mask_weight(&plan->cpus));
	record_end();
}

static void put_knobs(enum record_field field)
{
	record_map_open(field);
	for (unsigned i = 0; i < sched_knob_table.nr; i++) {
		const struct knob *k = &sched_knob_table.knob[i];
		char text[32];
		u64 number;

		if (knob_number(k, &number)) {
			record_map_uint(k->name, number);
		} else {
			knob_print(k, text, sizeof(text));
			record_map_str(k->name, text);
		}
	}
	record_map_close();
}

void report_knobs(void)
{
	record_begin(RECORD_knobs);
	put_knobs(FIELD_knobs_knobs);
	record_end();
}

/* ---- runs ---- */

static void put_counters(const struct run *r)
{
	const struct sched_totals *a = &r->before, *b = &r->after;
	static u64 idle[MAX_CPUS];

#define DIFFERENCE(member) (b->member - a->member)
	record_uint(FIELD_run_task_clock_ns, DIFFERENCE(task_clock_ns));
	record_uint(FIELD_run_context_switches, DIFFERENCE(switches));
	record_uint(FIELD_run_voluntary_switches, DIFFERENCE(voluntary));
	record_uint(FIELD_run_involuntary_switches, DIFFERENCE(involuntary));
	record_uint(FIELD_run_migrations, DIFFERENCE(migrations));
	record_uint(FIELD_run_run_delay_ns, DIFFERENCE(run_delay_ns));
	record_uint(FIELD_run_wakeups_local, DIFFERENCE(wakeups_local));
	record_uint(FIELD_run_wakeups_remote, DIFFERENCE(wakeups_remote));
	record_uint(FIELD_run_wakeups_running, DIFFERENCE(wakeups_running));
	put_wakeup_latency(r);
	record_uint(FIELD_run_balance_idle_attempts, DIFFERENCE(balance_attempts[CPU_IDLE]));
	record_uint(FIELD_run_balance_idle_pulls, DIFFERENCE(balance_pulls[CPU_IDLE]));
	record_uint(FIELD_run_balance_busy_attempts, DIFFERENCE(balance_attempts[CPU_NOT_IDLE]));
	record_uint(FIELD_run_balance_busy_pulls, DIFFERENCE(balance_pulls[CPU_NOT_IDLE]));
	record_uint(FIELD_run_balance_newidle_attempts, DIFFERENCE(balance_attempts[CPU_NEWLY_IDLE]));
	record_uint(FIELD_run_balance_newidle_pulls, DIFFERENCE(balance_pulls[CPU_NEWLY_IDLE]));
	record_uint(FIELD_run_newidle_passes, DIFFERENCE(newidle_calls));
	record_uint(FIELD_run_newidle_ns, DIFFERENCE(newidle_ns));
	record_uint(FIELD_run_newidle_locks, DIFFERENCE(newidle_locks));
	record_uint(FIELD_run_newidle_followed, DIFFERENCE(newidle_followed));
	record_uint(FIELD_run_newidle_saved_ns, DIFFERENCE(newidle_saved_ns));
	record_uint(FIELD_run_newidle_cold_ns, DIFFERENCE(newidle_cold_ns));
	record_uint(FIELD_run_cold_ns, DIFFERENCE(cold_ns));
	record_uint(FIELD_run_balance_active_pushes, DIFFERENCE(active_pushes));
	record_uint(FIELD_run_wasted_ns, DIFFERENCE(waste.ns));
	for (unsigned i = 0; i < NR_WASTE_CAUSES; i++)
		record_uint(FIELD_run_wasted_not_due_ns + i, DIFFERENCE(wasted_by[i]));
	record_uint(FIELD_run_wasted_idle_ns, DIFFERENCE(waste.idle_ns));
	record_uint(FIELD_run_wasted_wait_ns, DIFFERENCE(waste.wait_ns));
	record_uint(FIELD_run_wasted_pairs_ns, DIFFERENCE(waste.pairs_ns));
	for (unsigned cpu = 0; cpu < machine_nr_cpus(); cpu++)
		idle[cpu] = DIFFERENCE(idle_ns[cpu]);
#undef DIFFERENCE
	record_uints(FIELD_run_idle_ns, idle, machine_nr_cpus());
}

static void put_result(const struct workload *w, const struct run *r)
{
	record_str(FIELD_run_figure, w->figure ? w->figure : "elapsed_ns");
	record_str(FIELD_run_better, w->more_is_better ? "more" : "less");
	record_map_open(FIELD_run_result);
	for (unsigned i = 0; i < r->nr_metrics; i++)
		record_map_uint(r->metric[i].name, r->metric[i].value);
	record_map_close();
	record_uints(FIELD_run_counts, r->count, r->nr_counts);
}

void report_run(const struct run_label *label, const struct run *r)
{
	record_begin(RECORD_run);
	record_str(FIELD_run_workload, label->workload);
	record_str(FIELD_run_variant, label->variant);
	record_uint(FIELD_run_index, label->index);
	record_uint(FIELD_run_position, label->position);
	record_uint(FIELD_run_warmup, label->warmup);
	record_str(FIELD_run_status, r->status);
	record_uint(FIELD_run_clean, label->certified->clean);
	record_str(FIELD_run_dirty, label->certified->dirty);
	record_uint(FIELD_run_frequency_ppm, label->certified->mean_ppm);
	record_uint(FIELD_run_start_ns, r->start_ns);
	record_uint(FIELD_run_elapsed_ns, r->elapsed_ns);
	put_counters(r);
	record_uint(FIELD_run_skew_ns, machine_skew_ns());
	put_hardware_counts(r);
	put_result(label->judged, r);
	record_map_open(FIELD_run_background);
	background_put_results(label->background);
	record_map_close();
	put_knobs(FIELD_run_knobs);
	record_end();
}

void report_end(const char *status, const struct outcome *outcome)
{
	say("End: %s, %llu run%s, %llu failed%s%s\n", status, (unsigned long long)outcome->runs,
		plural((unsigned)outcome->runs, "s"), (unsigned long long)outcome->failed, outcome->failed ? ": " : "",
		outcome->failed ? outcome->message : "");
	record_begin(RECORD_end);
	record_str(FIELD_end_status, status);
	record_uint(FIELD_end_runs, outcome->runs);
	record_uint(FIELD_end_failed, outcome->failed);
	record_str(FIELD_end_message, outcome->message);
	record_end();
}

/* ---- help ---- */

void say_knob(const struct knob *k)
{
	char value[64];

	knob_print(k, value, sizeof(value));
	say("  %-28s %s%s%s\n      %s", k->name, value, *k->unit ? " " : "", k->unit, k->help);
	for (unsigned i = 0; k->kind == KNOB_CHOICE && k->words[i]; i++)
		say("%s%s", i ? "|" : " [", k->words[i]);
	if (k->kind == KNOB_NUMBER)
		say(" (%llu to %llu)", (unsigned long long)k->least, (unsigned long long)k->most);
	say("%s%s%s%s\n", k->kind == KNOB_CHOICE ? "]" : "", *k->era ? " (" : "", k->era, *k->era ? ")" : "");
}

static void say_table(const struct knob_table *table)
{
	say("\nParameters of the %s:\n", table->title);
	for (unsigned i = 0; i < table->nr; i++)
		say_knob(&table->knob[i]);
}

void say_presets(void)
{
	const char *name, *help;

	say("preset=name                 all switches as a release or proposal had them; vary=preset:name,name compares\n");
	for (unsigned i = 0; preset_describe(i, &name, &help); i++)
		say("    %-20s %s\n", name, help);
}

void report_help(void)
{
	say("\nrun=\"workload arguments\"   what to run; may be repeated. run=list says what there is, with all options:\n");
	for (unsigned i = 0; workloads[i]; i++)
		say("    %-16s %s\n", workloads[i]->name, workloads[i]->purpose);
	say("with=\"workload arguments\"  what accompanies each run, over and over until it is done; may be repeated\n");
	say("exp=name                   a published experiment; exp=list says what there is\n");
	say("vary=switch:value,value     compare; several vary= make all combinations\n");
	say("variant=\"switch switch=value\" compare what is listed one by one; variant= is the command line as it stands\n");
	say_presets();
	say_table(&lab_knob_table);
	say_table(&sched_knob_table);
	for (unsigned i = 0; machine_knobs[i]; i++)
		say_table(machine_knobs[i]);
}
