/* SPDX-License-Identifier: GPL-2.0-or-later
 * The host process under the sim: memory, stacks, console, the end. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <termios.h>
#include <ucontext.h>
#include <unistd.h>

#include "arch/posix/host.h"
#include "arch/vcpu/cost.h"
#include "arch/vcpu/engine.h"
#include "arch/vcpu/params.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#else
#define __asan_unpoison_memory_region(start, bytes)		     ((void)(start), (void)(bytes))
#define __sanitizer_start_switch_fiber(save, bottom, bytes)	     ((void)(save), (void)(bottom), (void)(bytes))
#define __sanitizer_finish_switch_fiber(save, old_bottom, old_bytes) ((void)(save))
#endif

/* ---- time: only what is charged passes ---- */

u64 host_time_ns(void)
{
	return 0;
}

void machine_charge(enum cost cost, u64 units)
{
	engine_charge(cost_ns(cost, units));
}

/* ---- memory ---- */

static char *reserve(size_t bytes)
{
	char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED) {
		perror("fairmetal-sim: no memory for the virtual machine");
		exit(EXIT_FAILURE);
	}
	return p;
}

void machine_memory(void (*give)(void *start, u64 bytes))
{
	u64 bytes = vcpu_param.memory_mib << 20;

	give(reserve(bytes), bytes);
}

/* ---- stacks: slots of one large area, each with a guard page at its bottom; larger than the kernel's, because sanitizers want
 * room ---- */

enum { PAGE_BYTES = 4096, SLOT_BYTES = 256 * 1024, MOST_STACKS = 1 << 17 };

static struct {
	char *area;
	unsigned used;
	void *free; /* linked through the word at the top */
} stacks;

void *machine_stack_new(void)
{
	char *slot, *top = stacks.free;

	if (top) {
		stacks.free = ((void **)top)[-1];
		return top;
	}
	if (!stacks.area)
		stacks.area = reserve((size_t)MOST_STACKS * SLOT_BYTES);
	if (stacks.used == MOST_STACKS)
		return NULL;
	slot = stacks.area + (size_t)stacks.used++ * SLOT_BYTES;
	if (mprotect(slot, PAGE_BYTES, PROT_NONE))
		return NULL;
	return slot + SLOT_BYTES;
}

void machine_stack_free(void *top)
{
	__asan_unpoison_memory_region(
		(char *)top - SLOT_BYTES + PAGE_BYTES, SLOT_BYTES - PAGE_BYTES); /* its last frames never returned */
	((void **)top)[-1] = stacks.free;
	stacks.free = top;
}

u64 *machine_stack_end(void *top)
{
	return (u64 *)((char *)top - SLOT_BYTES + PAGE_BYTES);
}

/* The main stack's guard is where the host says so, not here. */
bool host_is_guard(u64 address)
{
	size_t offset = address - (uintptr_t)stacks.area;

	return stacks.area && offset < (size_t)stacks.used * SLOT_BYTES && offset % SLOT_BYTES < PAGE_BYTES;
}

struct extent {
	void *bottom;
	size_t bytes;
};

static struct extent main_stack(void)
{
	static struct extent e;
	pthread_attr_t attr;

	if (!e.bottom && !pthread_getattr_np(pthread_self(), &attr)) {
		pthread_attr_getstack(&attr, &e.bottom, &e.bytes);
		pthread_attr_destroy(&attr);
	}
	return e;
}

static struct extent stack_of(const char *sp)
{
	size_t offset = (size_t)(sp - stacks.area);

	if (!stacks.area || sp < stacks.area || offset >= (size_t)MOST_STACKS * SLOT_BYTES)
		return main_stack();
	return (struct extent){ stacks.area + offset / SLOT_BYTES * SLOT_BYTES + PAGE_BYTES, SLOT_BYTES - PAGE_BYTES };
}

/* ---- contexts ---- */

struct context *context_switch(struct context *from, struct context *to);
void context_begin(void);

struct context *host_switch(struct context *from, struct context *to)
{
	struct extent stack = stack_of(to->sp);
	struct context *before;
	void *fake = NULL;

	__sanitizer_start_switch_fiber(&fake, stack.bottom, stack.bytes);
	before = context_switch(from, to);
	__sanitizer_finish_switch_fiber(fake, NULL, NULL);
	return before;
}

/* On a new stack: its first word from the top says where to go. */
static void begin(struct context *previous)
{
	struct extent stack = stack_of(__builtin_frame_address(0));
	void (*entry)(struct context *) = ((void (**)(struct context *))((char *)stack.bottom + stack.bytes))[-1];

	__sanitizer_finish_switch_fiber(NULL, NULL, NULL);
	entry(previous);
}

void machine_context_init(struct context *c, void *stack_top, void (*entry)(struct context *prev))
{
	u64 *sp = stack_top;

	*--sp = (u64)(uintptr_t)entry;
	*--sp = 0; /* so that the stack is aligned where context_begin calls */
	*--sp = (u64)(uintptr_t)context_begin;
	*--sp = 0;		       /* rbp: the end of every backtrace */
	*--sp = (u64)(uintptr_t)begin; /* rbx */
	for (unsigned i = 12; i <= 15; i++)
		*--sp = 0;
	c->sp = sp;
}

/* Address spaces exist in name only; the switch between them is part of the cost of a switch. */
u64 machine_space_new(void)
{
	static u64 next;

	return ++next;
}

void machine_space_free(u64 space)
{
	(void)space;
}

/* ---- backtraces ---- */

/* Reads frames as they lie, past the sanitizer's idea of what may be read. */
__attribute__((no_sanitize("address", "undefined"))) unsigned host_backtrace(u64 frame_pointer, u64 *address, unsigned max)
{
	struct extent stack = stack_of((const char *)(uintptr_t)frame_pointer);
	u64 end = (u64)(uintptr_t)stack.bottom + stack.bytes;
	unsigned n = 0;

	while (n < max && frame_pointer % 8 == 0 && frame_pointer >= (u64)(uintptr_t)stack.bottom && frame_pointer + 16 <= end) {
		const u64 *frame = (const u64 *)(uintptr_t)frame_pointer;

		if (!frame[1])
			break;
		address[n++] = frame[1];
		if (frame[0] <= frame_pointer)
			break;
		frame_pointer = frame[0];
	}
	return n;
}

unsigned machine_ask_impossible(unsigned *asked)
{
	*asked = 0;
	return 0;
}

unsigned machine_backtrace(u64 *address, unsigned max)
{
	return host_backtrace((u64)(uintptr_t)__builtin_frame_address(0), address, max);
}

const char *machine_symbol(u64 address, u64 *offset)
{
	Dl_info info;

	if (!dladdr((void *)(uintptr_t)address, &info) || !info.dli_sname)
		return NULL;
	*offset = address - (u64)(uintptr_t)info.dli_saddr;
	return info.dli_sname;
}

/* ---- the outside ---- */

void machine_console_write(const char *text, size_t bytes)
{
	fwrite(text, 1, bytes, stdout);
}

void machine_console_repeats(bool so)
{
	(void)so;
}

/* A terminal hands over keys as they are pressed and leaves the echo to us, until the end. */
static struct termios terminal_before;
static bool terminal_changed;

static void take_terminal(void)
{
	struct termios t;

	if (terminal_changed || tcgetattr(STDIN_FILENO, &terminal_before))
		return;
	t = terminal_before;
	t.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG);
	terminal_changed = !tcsetattr(STDIN_FILENO, TCSANOW, &t);
}

static void give_terminal_back(void)
{
	if (terminal_changed)
		tcsetattr(STDIN_FILENO, TCSANOW, &terminal_before);
}

int machine_console_read(char *c)
{
	fflush(stdout);
	take_terminal();
	return read(STDIN_FILENO, c, 1) == 1 ? 1 : -E_NOENT;
}

/* A log that could not be written is no log. */
_Noreturn void machine_end(enum machine_end how, enum machine_verdict verdict)
{
	enum { LOG_LOST = 4 }; /* anything else, as tools/qemu.sh has it */
	bool lost = fflush(stdout) || ferror(stdout);

	(void)how;
	give_terminal_back();
	if (lost)
		perror("fairmetal-sim: the log is not whole");
	_exit(lost ? LOG_LOST : (int)verdict);
}

/* ---- a task that never reaches an engine point ---- */

enum { WATCH_SECONDS = 5 };

static void look(int signal, siginfo_t *info, void *context)
{
	const greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
	static u64 seen;

	(void)signal, (void)info;
	if (engine_points == seen)
		engine_die_at((u64)registers[REG_RIP], (u64)registers[REG_RBP], "stuck",
			"the running task has not come to an engine point for 5 s of CPU time");
	seen = engine_points;
}

void host_last_words(void)
{
	const struct itimerval never = { { 0, 0 }, { 0, 0 } };

	setitimer(ITIMER_VIRTUAL, &never, NULL);
}

void host_watch(void)
{
	struct sigaction action = { .sa_sigaction = look, .sa_flags = SA_RESTART | SA_SIGINFO };
	struct itimerval period = { { WATCH_SECONDS, 0 }, { WATCH_SECONDS, 0 } };

	sigaction(SIGVTALRM, &action, NULL);
	setitimer(ITIMER_VIRTUAL, &period, NULL); /* our own CPU time: whoever reads the log may be slow */
}
