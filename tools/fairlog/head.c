/* SPDX-License-Identifier: GPL-2.0-or-later
 * Prints the head of a summary. */
#include "tools/fairlog/head.h"

#include "tools/fairlog/page.h"

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
}

static void print_fault(const json_t *fault)
{
	if (fault)
		print_line("fault     ", "%s on CPU %" PRIu64 ", task %s: %s", record_get_string(fault, FIELD_fault_kind),
			record_get_uint(fault, FIELD_fault_cpu), record_get_string(fault, FIELD_fault_task),
			record_get_string(fault, FIELD_fault_message));
}

bool note_on_times(const json_t *boot, const json_t *machine, char text[NOTE_BYTES])
{
	const char *on = boot ? record_get_string(boot, FIELD_boot_machine) : "metal";
	const char *hypervisor = machine ? record_get_string(machine, FIELD_machine_hypervisor) : "none";

	if (strcmp(on, "sim") == 0)
		snprintf(text, NOTE_BYTES, "times are virtual: they come from the simulator's cost table, not from a clock");
	else if (strcmp(on, "lockstep") == 0 && record_get_uint(boot, FIELD_boot_exact))
		snprintf(text, NOTE_BYTES, "times are virtual: one instruction is one nanosecond, on every CPU");
	else if (strcmp(on, "lockstep") == 0)
		snprintf(text, NOTE_BYTES,
			"virtual CPUs on a clock that does not count instructions: runs are not reproducible, and times are not "
			"representative");
	else if (strcmp(hypervisor, "none") != 0)
		snprintf(text, NOTE_BYTES,
			"this ran under a hypervisor (%.80s): times under free-running emulation or virtualisation are not representative, "
			"counts are",
			hypervisor);
	else
		return false;
	return true;
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
	if (note_on_times(boot->record[RECORD_boot], boot->record[RECORD_machine], note))
		print_wrapped("note      ", note);
}
