/* SPDX-License-Identifier: GPL-2.0-or-later
 * What each CPU has for itself: its area behind GS, descriptor tables, stacks for the worst. */
#ifndef ARCH_X86_CPU_H
#define ARCH_X86_CPU_H

#include "arch/machine.h"

struct tss {
	u32 reserved0;
	u64 rsp[3];
	u64 reserved1;
	u64 ist[7];
	u64 reserved2;
	u16 reserved3;
	u16 io_map;
} __attribute__((packed));
static_assert(sizeof(struct tss) == 104, "the processor's layout");

/* Interrupt stack table entries: exceptions that may come when the current stack is unusable. */
enum { IST_NMI = 1, IST_DOUBLE_FAULT = 2, IST_MACHINE_CHECK = 3, NR_IST = 3 };

enum { SEL_CODE = 0x08, SEL_DATA = 0x10, SEL_TSS = 0x18, GDT_ENTRIES = 5 };

struct x86_cpu {
	struct x86_cpu *self; /* GS:0 */
	u32 index;	      /* GS:8 */
	u32 apic_id;
	struct context *current; /* GS:16 */
	u64 gdt[GDT_ENTRIES];
	struct tss tss;
	u64 fault_stack[NR_IST]; /* tops; 0 until memory is there */
	struct frame *frame;	 /* of the last interrupt that wants to know; good while that is handled */
	bool stands;		 /* atomic; it was stopped in that, for good */
} cache_aligned;
static_assert(offsetof(struct x86_cpu, index) == 8, "machine_cpu()");
static_assert(offsetof(struct x86_cpu, current) == 16, "machine_current()");

extern struct x86_cpu x86_cpus[MAX_CPUS];

static inline struct x86_cpu *this_cpu(void)
{
	struct x86_cpu *cpu;

	__asm__ volatile("mov %%gs:0, %0" : "=r"(cpu));
	return cpu;
}

/* On a CPU that has just reached 64-bit mode: take possession of area `index`. From here on machine_cpu() works and exceptions
 * report. */
void cpu_setup(unsigned index);

/* Give a CPU its stacks for NMI, double fault and machine check; before its cpu_setup(), or again after it. 0, -E_NOMEM. */
int cpu_fault_stacks(unsigned index);

/* stubs.asm: save the callee's registers on this stack, go on with *to's; returns, much later, whoever ran just before. */
struct context *context_switch(struct context *from, struct context *to);

#endif
