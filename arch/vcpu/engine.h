/* SPDX-License-Identifier: GPL-2.0-or-later
 * The virtual-time engine: many virtual CPUs over one thread of execution, always running the one whose next instant is the
 * earliest.
 *
 * Each virtual CPU has a clock. It is *ready* (it can go on at its clock), *parked* (idle or working: it goes on at the earliest of
 * its deadline, its work's end and a kick's arrival) or *waiting* for a spinlock. Virtual CPUs change only at engine points; there
 * the running one's clock advances, due virtual interrupts are delivered as calls, and another is resumed if its instant is now
 * earlier. The engine's own time is nobody's.
 */
#ifndef ARCH_VCPU_ENGINE_H
#define ARCH_VCPU_ENGINE_H

#include <bsd/sys/tree.h>

#include "arch/machine.h"

enum vcpu_state { VCPU_RUNNING, VCPU_READY, VCPU_PARKED, VCPU_WAITING, VCPU_ABSENT };

struct vcpu {
	RB_ENTRY(vcpu) node; /* in the queue: ready, or parked with an instant */
	u32 index;
	u8 state; /* enum vcpu_state */
	bool queued;
	bool irqs_on;	     /* the virtual interrupt flag */
	u64 clock;	     /* ns */
	u64 instant;	     /* ns; when it goes on; key of the queue */
	u64 deadline;	     /* ns; of its timer */
	u64 kick;	     /* ns; arrival of a kick under way */
	u64 work_end;	     /* ns; while parked at work */
	u64 mark;	     /* ns; where the last named cost ended */
	struct context flow; /* where it goes on, while another runs */
	struct context *current;
	u32 *lock;  /* waited for */
	u64 ticket; /* order of waiting */
};

/* ---- for the machine under the engine (arch/x86 or arch/posix) ---- */

/* Time that passes by itself: instructions executed, in ns, under lockstep; always 0 in the sim, where only charges count. */
u64 host_time_ns(void);
/* Return addresses from a saved frame pointer upward. */
unsigned host_backtrace(u64 frame_pointer, u64 *address, unsigned max);
/* Swap stacks, telling a sanitizer if there is one. */
struct context *host_switch(struct context *from, struct context *to);
/* A report begins, after which the machine ends: however long it takes, nothing interrupts it. */
void host_last_words(void);

/* Once, at boot: nr virtual CPUs at clock 0, of which this flow is number 0, interrupts off. */
void engine_init(unsigned nr);

/* ---- for the contract's implementation (arch/vcpu/machine.c) ---- */

extern struct vcpu *running;
extern struct vcpu vcpus[MAX_CPUS];

/* Account the time since this CPU was resumed; let earlier CPUs go first; deliver what is due. */
void engine_point(void);
/* The running CPU's clock as it would be if this were an engine point. */
u64 engine_now(void);
/* Advance the running CPU's clock. */
void engine_charge(u64 ns);
/* The running CPU goes on at `instant`, or when kicked. TIMER_NEVER: only when kicked. */
void engine_park(u64 instant);
/* Deliver due virtual interrupts if the virtual flag is on. May return on another virtual CPU. */
void engine_deliver(void);
void engine_kick(unsigned cpu, u64 arrival);
void engine_wait_for_lock(u32 *lock);
void engine_release_lock(u32 *lock);
/* Let the next CPU go first, whatever the clocks say. */
void engine_relax(void);
void engine_start_cpu(unsigned cpu, void (*entry)(void));

/* The longest time between two engine points, which bounds the skew between CPUs; since the last call. */
u64 engine_longest_stretch_ns(void);

/* Around what takes time that is nobody's, such as writing to a slow console. */
void engine_leave(void);
void engine_return(void);

/* Number of engine points so far: a watchdog sees by it whether anything moves. */
extern u64 engine_points;

/* Report every virtual CPU's state and backtrace, and end. */
_Noreturn void engine_die(const char *kind, const char *message);
/* The same for a flow that was interrupted there. */
_Noreturn void engine_die_at(u64 rip, u64 frame_pointer, const char *kind, const char *message);

#endif
