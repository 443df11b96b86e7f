/* SPDX-License-Identifier: GPL-2.0-or-later
 * Prints the head of a summary. */
#include "tools/fairlog/head.h"

#include "tools/fairlog/page.h"
#include "tools/fairlog/topology.h"

#include <inttypes.h>
#include <string.h>

static void print_state(const char *file, const struct boot *boot, unsigned boots)
{
	char verdict[VERDICT_BYTES];
	uint64_t kept = boot->problems < PROBLEMS_KEPT ? boot->problems : PROBLEMS_KEPT;

	boot_verdict(boot, verdict);
	if (boots == 1)
		print_line("", "%s: %s", file, verdict);
	else
		print_line("", "%s: boot %u of %u (lines %lu..%lu; --boot N shows another): %s", file, boot->number, boots,
			boot->first_line, boot->last_line, verdict);
	for (uint64_t i = 0; i < kept; i++)
		print_wrapped("  ", boot->problem[i]);
	if (boot->problems > kept)
		print_line("  ", "and %" PRIu64 " more, which fairlog check lists", boot->problems - kept);
	printf("\n");
}

static void print_boot(const json_t *boot)
{
	const char *cmdline;

	if (!boot) {
		print_wrapped("image     ", "not known: the log has no boot record");
		return;
	}
	print_line("image     ", "%s, build %s, on %s; loaded by %s, firmware %s", record_get_string(boot, FIELD_boot_version),
		record_get_string(boot, FIELD_boot_build), record_get_string(boot, FIELD_boot_machine),
		record_get_string(boot, FIELD_boot_loader), record_get_string(boot, FIELD_boot_firmware));
	cmdline = record_get_string(boot, FIELD_boot_cmdline);
	print_wrapped("started   ", *cmdline ? cmdline : "with an empty command line");
}

static void print_machine(const json_t *machine)
{
	char topology[TOPOLOGY_BYTES];
	uint64_t cpus, nodes, packages;

	if (!machine) {
		print_wrapped("machine   ", "not known: the log has no machine record");
		return;
	}
	cpus = record_get_uint(machine, FIELD_machine_cpus);
	nodes = record_get_uint(machine, FIELD_machine_nodes);
	packages = record_get_uint(machine, FIELD_machine_packages);
	print_line("machine   ", "%s; %" PRIu64 " CPU%s, %" PRIu64 " node%s, %" PRIu64 " package%s",
		record_get_string(machine, FIELD_machine_cpu_model), cpus, plural(cpus), nodes, plural(nodes), packages,
		plural(packages));
	print_line("          ", "clocksource %s, hypervisor %s", record_get_string(machine, FIELD_machine_clocksource),
		record_get_string(machine, FIELD_machine_hypervisor));
	print_wrapped("topology  ", topology_text(machine, topology));
}

static void print_fault(const json_t *fault)
{
	if (fault)
		print_line("fault     ", "%s on CPU %" PRIu64 ", task %s: %s", record_get_string(fault, FIELD_fault_kind),
			record_get_uint(fault, FIELD_fault_cpu), record_get_string(fault, FIELD_fault_task),
			record_get_string(fault, FIELD_fault_message));
}

const char *head_note(const struct boot *boot, char note[NOTE_BYTES])
{
	const json_t *image = boot->record[RECORD_boot], *machine = boot->record[RECORD_machine];
	const char *on = image ? record_get_string(image, FIELD_boot_machine) : "metal";
	const char *hypervisor = machine ? record_get_string(machine, FIELD_machine_hypervisor) : "none";

	note[0] = '\0';
	if (strcmp(on, "sim") == 0)
		snprintf(note, NOTE_BYTES, "times are virtual: they come from the simulator's cost table, not from a clock");
	else if (strcmp(on, "lockstep") == 0 && record_get_uint(image, FIELD_boot_exact))
		snprintf(note, NOTE_BYTES, "times are virtual: one instruction is one nanosecond, on every CPU");
	else if (strcmp(on, "lockstep") == 0)
		snprintf(note, NOTE_BYTES,
			"virtual CPUs on a clock that does not count instructions: runs are not reproducible, and times are not "
			"representative");
	else if (strcmp(hypervisor, "none") != 0)
		snprintf(note, NOTE_BYTES,
			"this ran under a hypervisor (%.100s): times under free-running emulation or virtualisation are not "
			"representative, counts are",
			hypervisor);
	return note;
}

bool is_accounted_for(const json_t *plan, const char *account)
{
	const json_t *accounts = record_get(plan, FIELD_plan_accounts);

	for (size_t i = 0; i < json_array_size(accounts); i++)
		if (strcmp(json_string_value(json_array_get(accounts, i)), account) == 0)
			return true;
	return false;
}

static void print_accounts(const json_t *plan)
{
	if (!plan)
		return;
	if (!is_accounted_for(plan, "waste"))
		print_wrapped("note      ", "wasted time was not accounted for (waste=0): its figures are 0 and mean nothing");
	if (!is_accounted_for(plan, "latency"))
		print_wrapped("note      ", "latencies of wakeups were not noted (latency=0)");
}

void print_head(const char *file, const struct boot *boot, unsigned boots)
{
	char note[NOTE_BYTES];

	print_state(file, boot, boots);
	if (!boot->format_known)
		return;
	print_boot(boot->record[RECORD_boot]);
	print_machine(boot->record[RECORD_machine]);
	print_fault(boot->record[RECORD_fault]);
	if (*head_note(boot, note))
		print_wrapped("note      ", note);
	print_accounts(boot->record[RECORD_plan]);
}
