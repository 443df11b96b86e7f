/* SPDX-License-Identifier: GPL-2.0-or-later
 * fairmetal-sim: the kernel's arguments as a program's, the same log on standard output. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/posix/host.h"
#include "arch/vcpu/engine.h"
#include "arch/vcpu/params.h"
#include "arch/vcpu/shape.h"
#include "base/mem.h"

const struct knob_table *const machine_knobs[] = { &vcpu_knob_table, NULL };

static char *cmdline;

/* One word of the command line: quoted, with quotes and backslashes in it kept from the parser. */
static char *put_word(char *to, const char *word)
{
	*to++ = '"';
	for (; *word; word++) {
		if (*word == '"' || *word == '\\')
			*to++ = '\\';
		*to++ = *word;
	}
	*to++ = '"';
	*to++ = ' ';
	return to;
}

static void join(int argc, char **argv)
{
	size_t bytes = 1;
	char *to;

	for (int i = 1; i < argc; i++)
		bytes += 2 * strlen(argv[i]) + 3;
	cmdline = to = malloc(bytes);
	if (!cmdline) {
		perror("fairmetal-sim");
		exit(EXIT_FAILURE);
	}
	for (int i = 1; i < argc; i++)
		to = put_word(to, argv[i]);
	if (to > cmdline)
		to--; /* the last blank */
	*to = '\0';
}

const struct machine_info *machine_info(void)
{
	static struct machine_info info = {
		.machine = "sim",
		.version = FAIRMETAL_VERSION,
		.build = "host",
		.loader = "shell",
		.firmware = "none",
		.cpu_vendor = "virtual",
		.hypervisor = "none",
		.apic = "virtual",
		.timer = "virtual",
		.clocksource = "virtual",
		.clock_reference = "cost table",
		.clocksource_hz = NSEC_PER_SEC,
		.tsc_hz = NSEC_PER_SEC,
		.tsc_invariant = true,
		.exact = true,
	};

	info.cmdline = cmdline;
	info.cpu_model = vcpu_param.topo;
	info.memory_bytes = vcpu_param.memory_mib << 20;
	return &info;
}

int main(int argc, char **argv)
{
	char error[160];

	join(argc, argv);
	knobs_parse_known(machine_knobs, 1, cmdline);
	if (vcpu_params_settle(error, sizeof(error))) {
		fprintf(stderr, "fairmetal-sim: %s\n", error);
		return VERDICT_REFUSED;
	}
	host_watch();
	engine_init(shape.nr_cpus);
	mem_init();
	kernel_main();
}
