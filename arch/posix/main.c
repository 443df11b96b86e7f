/* SPDX-License-Identifier: GPL-2.0-or-later
 * fairmetal-sim: the kernel's arguments as a program's, the same log on standard output. */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/posix/crash.h"
#include "arch/posix/host.h"
#include "arch/vcpu/engine.h"
#include "arch/vcpu/params.h"
#include "base/mem.h"

const struct knob_table *const machine_knobs[] = { &vcpu_knob_table, NULL };

static char *cmdline;

/* One word of the command line: quoted if need be, with quotes and backslashes in it kept from the parser. */
static char *put_word(char *to, const char *word)
{
	bool quoted = !*word || strpbrk(word, " \t\n\r");

	if (quoted)
		*to++ = '"';
	for (; *word; word++) {
		if (*word == '"' || *word == '\\')
			*to++ = '\\';
		*to++ = *word;
	}
	if (quoted)
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

static char build[41] = "unknown";

static size_t aligned(size_t bytes)
{
	return (bytes + 3) & ~(size_t)3;
}

static void read_notes(const char *at, const char *end)
{
	while (at < end) {
		const ElfW(Nhdr) *note = (const void *)at;
		const u8 *name = (const u8 *)(note + 1), *content = name + aligned(note->n_namesz);

		for (unsigned i = 0; note->n_type == NT_GNU_BUILD_ID && i < note->n_descsz && i < 20; i++)
			snprintf(build + 2 * i, 3, "%02x", content[i]);
		at = (const char *)content + aligned(note->n_descsz);
	}
}

/* What the linker wrote into the program to tell one build from another; the program itself comes first. */
static int read_build_id(struct dl_phdr_info *object, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	for (unsigned i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
		const char *start = (const char *)object->dlpi_addr + segment->p_vaddr;

		if (segment->p_type == PT_NOTE && segment->p_align == 4)
			read_notes(start, start + segment->p_memsz);
	}
	return 1;
}

const struct machine_info *machine_info(void)
{
	static struct machine_info info = {
		.machine = "sim",
		.version = FAIRMETAL_VERSION,
		.build = build,
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

	dl_iterate_phdr(read_build_id, NULL);
	join(argc, argv);
	knobs_parse_known(machine_knobs, 1, cmdline);
	if (vcpu_params_settle(error, sizeof(error))) {
		fprintf(stderr, "fairmetal-sim: %s\n", error);
		return VERDICT_REFUSED;
	}
	host_watch();
	host_catch_crashes();
	engine_init(shape.nr_cpus);
	mem_init();
	kernel_main();
}
