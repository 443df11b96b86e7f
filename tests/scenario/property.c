/* SPDX-License-Identifier: GPL-2.0-or-later
 * Random programs on random machines under random switches, each from one number:
 *
 *     property seed=N [steps=M] [tasks=K]     one, with its console
 *     property seeds=A..B [steps=M]           many, as a TAP test; 1..300 by default
 *
 * What is checked is in invariants.c and at the top of actors.c. A miss ends with the command line of the smallest program found
 * that still fails and with its report: the rule broken, the values seen, what every task was doing, and a backtrace. The same
 * command line always does the same.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/machine.h"
#include "tests/scenario/actors.h"
#include "tests/scenario/program.h"
#include "tests/scenario/vm.h"

enum { DEFAULT_STEPS = 1000, RUNS = 2 };

static struct program program; /* tasks 0: drawn */

/* ---- in the machine ---- */

static const char *const topologies[] = { "1c", "2c", "3c", "4c", "2l:1c", "2n:1c", "1c:2t", "2c:2t", "2l:2c", "q6600", "e5620",
	"2n:2c/40", "2x4", "2n:1p:2l:2c", "3n:2c/10,20,30,20,10,20,30,20,10", "nehalem", "4x4", "4n:4c/21", "2n:4c:2t/31", "16n:1c",
	"16c" };

_Noreturn void kernel_main(void)
{
	program.runs = RUNS;
	program_main(&program);
}

/* ---- one program ---- */

static void start(struct vm *vm, const struct program *p)
{
	static const char *const costs[] = { "0", "1", "300,800,1500,3000", "5000,20000,100000,400000" };
	u64 state = p->seed, tasks;

	program = *p;
	vm->topo = topologies[draw(&state, ARRAY_SIZE(topologies))];
	vm->kick = costs[draw(&state, ARRAY_SIZE(costs))];
	vm->cold = costs[draw(&state, ARRAY_SIZE(costs))];
	tasks = 2 + draw(&state, draw(&state, 2) ? 6 : MOST_ACTORS - 1);
	if (!program.tasks)
		program.tasks = tasks;
	vm_start(vm);
}

static void print_log(FILE *log, const char *before)
{
	char line[512];

	while (fgets(line, sizeof(line), log))
		printf("%s%s", before, line);
}

/* ---- making a failing one smaller ---- */

static bool fails(const struct program *p)
{
	struct vm vm;
	bool failed;

	start(&vm, p);
	failed = vm_wait(&vm) != VERDICT_OK;
	fclose(vm.log);
	return failed;
}

/* Try fewer, by ever smaller parts, as long as it fails. */
static bool shrink(struct program *p, u64 *count)
{
	bool smaller = false;

	for (u64 part = (*count + 1) / 2; part && *count > 1;) {
		u64 before = *count;

		*count -= min_u64(part, before - 1);
		if (fails(p)) {
			smaller = true;
			part = min_u64(part, *count);
		} else {
			*count = before;
			part /= 2;
		}
	}
	return smaller;
}

static void report_failure(struct program p)
{
	struct vm vm;

	if (!p.tasks)
		p.tasks = MOST_ACTORS;
	if (!fails(&p))
		p.tasks = 0; /* the number drawn matters */
	while ((p.tasks && shrink(&p, &p.tasks)) | shrink(&p, &p.steps))
		;
	printf("# smallest: property seed=%llu steps=%llu", (unsigned long long)p.seed, (unsigned long long)p.steps);
	if (p.tasks)
		printf(" tasks=%llu", (unsigned long long)p.tasks);
	printf("\n");
	start(&vm, &p);
	vm_wait(&vm);
	print_log(vm.log, "#   ");
	fclose(vm.log);
}

/* ---- many ---- */

enum { MOST_AT_ONCE = 64, ENOUGH_FAILURES = 10 };

/* The first that fails is looked into, others are named. */
static void collect(struct vm *vm, const struct program *p, unsigned *failed)
{
	int status = vm_wait(vm);

	fclose(vm->log);
	vm->pid = 0;
	if (status == VERDICT_OK)
		return;
	printf("# seed=%llu ended with status %d\n", (unsigned long long)p->seed, status);
	if (!(*failed)++)
		report_failure(*p);
}

static unsigned run_many(u64 first, u64 last, u64 steps)
{
	static struct vm vm[MOST_AT_ONCE];
	static struct program p[MOST_AT_ONCE];
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	u64 at_once = min_u64(MOST_AT_ONCE, cpus > 0 ? (u64)cpus : 1);
	unsigned failed = 0;

	for (u64 seed = first; seed <= last && failed < ENOUGH_FAILURES; seed++) {
		u64 i = seed % at_once;

		if (vm[i].pid)
			collect(&vm[i], &p[i], &failed);
		p[i] = (struct program){ .seed = seed, .steps = steps };
		start(&vm[i], &p[i]);
	}
	for (u64 i = 0; i < at_once; i++)
		if (vm[i].pid)
			collect(&vm[i], &p[i], &failed);
	return failed;
}

/* ---- the command line ---- */

static bool number_after(const char *argument, const char *name, u64 *value)
{
	size_t n = strlen(name);
	char *end;

	if (strncmp(argument, name, n))
		return false;
	*value = strtoull(argument + n, &end, 10);
	return end != argument + n && !*end;
}

static bool range_after(const char *argument, const char *name, u64 *first, u64 *last)
{
	size_t n = strlen(name);
	char *end;

	if (strncmp(argument, name, n))
		return false;
	*first = strtoull(argument + n, &end, 10);
	return end != argument + n && number_after(end, "..", last) && *first <= *last;
}

static int run_one(const struct program *p)
{
	struct vm vm;
	int status;

	start(&vm, p);
	printf("topo=%s kick=%s cold=%s tasks=%llu\n", vm.topo, vm.kick, vm.cold, (unsigned long long)program.tasks);
	status = vm_wait(&vm);
	print_log(vm.log, "");
	printf("status %d\n", status);
	return status == VERDICT_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
	struct program p = { .steps = DEFAULT_STEPS };
	u64 first = 1, last = 300;
	bool one = false;
	unsigned failed;

	for (int i = 1; i < argc; i++) {
		if (number_after(argv[i], "seed=", &p.seed)) {
			one = true;
		} else if (!range_after(argv[i], "seeds=", &first, &last) && !number_after(argv[i], "steps=", &p.steps) &&
			   !number_after(argv[i], "tasks=", &p.tasks)) {
			fprintf(stderr, "%s: expected seed=N or seeds=A..B, steps=M, tasks=K\n", argv[i]);
			return EXIT_FAILURE;
		}
	}
	if (!p.steps || p.tasks > MOST_ACTORS) {
		fprintf(stderr, "steps are 1 or more, tasks at most %d\n", MOST_ACTORS);
		return EXIT_FAILURE;
	}
	if (one)
		return run_one(&p);
	failed = run_many(first, last, p.steps);
	printf("%sok 1 - random programs %llu to %llu keep the scheduler's invariants\n1..1\n", failed ? "not " : "",
		(unsigned long long)first, (unsigned long long)last);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
