/* SPDX-License-Identifier: GPL-2.0-or-later
 * Machines of virtual CPUs for tests. */
#define _GNU_SOURCE
#include "tests/scenario/vm.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arch/posix/host.h"
#include "arch/vcpu/engine.h"
#include "arch/vcpu/params.h"
#include "base/mem.h"
#include "base/string.h"

/* Against machines that neither end nor stand still. */
enum { MOST_CPU_SECONDS = 60 };

static void set_text(char *value, size_t size, const char *text)
{
	if (text)
		text_copy(value, size, text);
}

static _Noreturn void boot(const struct vm *vm)
{
	const struct rlimit limit = { MOST_CPU_SECONDS, MOST_CPU_SECONDS };
	char error[160];

	setrlimit(RLIMIT_CPU, &limit);
	knobs_reset(&vcpu_knob_table);
	set_text(vcpu_param.topo, sizeof(vcpu_param.topo), vm->topo);
	set_text(vcpu_param.cold, sizeof(vcpu_param.cold), vm->cold);
	set_text(vcpu_param.kick, sizeof(vcpu_param.kick), vm->kick);
	if (vcpu_params_settle(error, sizeof(error))) {
		puts(error);
		exit(VERDICT_REFUSED);
	}
	host_watch();
	engine_init(shape.nr_cpus);
	mem_init();
	kernel_main();
}

void vm_start(struct vm *vm)
{
	fflush(NULL);
	vm->log = tmpfile();
	vm->pid = vm->log ? fork() : -1;
	if (vm->pid < 0) {
		perror("cannot start a machine");
		exit(EXIT_FAILURE);
	}
	if (vm->pid)
		return;
	dup2(fileno(vm->log), STDOUT_FILENO);
	dup2(fileno(vm->log), STDERR_FILENO);
	boot(vm);
}

int vm_wait(struct vm *vm)
{
	int status = 0;

	if (waitpid(vm->pid, &status, 0) < 0) {
		perror("cannot wait for a machine");
		exit(EXIT_FAILURE);
	}
	rewind(vm->log);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}
