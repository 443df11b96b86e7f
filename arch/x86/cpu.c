/* SPDX-License-Identifier: GPL-2.0-or-later
 * Setting up one CPU: segments, task state, interrupt table, control registers. */
#include "arch/x86/cpu.h"

#include "arch/x86/machine_check.h"
#include "arch/x86/quirks.h"
#include "arch/x86/trap.h"
#include "arch/x86/x86.h"

struct x86_cpu x86_cpus[MAX_CPUS];

static const u64 flat_code = 0x00af9b000000ffff, flat_data = 0x00cf93000000ffff;

struct table_pointer {
	u16 limit;
	u64 base;
} __attribute__((packed));

static void gdt_load(struct x86_cpu *cpu)
{
	struct table_pointer gdtr = { sizeof(cpu->gdt) - 1, (u64)cpu->gdt };
	u64 tss = (u64)&cpu->tss;

	cpu->gdt[SEL_CODE / 8] = flat_code;
	cpu->gdt[SEL_DATA / 8] = flat_data;
	cpu->gdt[SEL_TSS / 8] = (sizeof(cpu->tss) - 1) | (tss & 0xffffff) << 16 | 0x89ull << 40 | (tss >> 24 & 0xff) << 56;
	cpu->gdt[SEL_TSS / 8 + 1] = tss >> 32;
	cpu->tss.io_map = sizeof(cpu->tss);
	__asm__ volatile("lgdt %0\n\t"
			 "pushq %1\n\t"
			 "leaq 1f(%%rip), %%rax\n\t"
			 "pushq %%rax\n\t"
			 "lretq\n"
			 "1:\n\t"
			 "movl %2, %%eax\n\t"
			 "movl %%eax, %%ds\n\t"
			 "movl %%eax, %%es\n\t"
			 "movl %%eax, %%ss\n\t"
			 "ltr %w3"
			 :
			 : "m"(gdtr), "i"(SEL_CODE), "i"(SEL_DATA), "r"(SEL_TSS)
			 : "rax", "memory");
}

int cpu_fault_stacks(unsigned index)
{
	struct x86_cpu *cpu = &x86_cpus[index];

	for (unsigned i = 0; i < NR_IST; i++) {
		cpu->fault_stack[i] = (u64)machine_stack_new();
		if (!cpu->fault_stack[i])
			return -E_NOMEM;
		cpu->tss.ist[i] = cpu->fault_stack[i];
	}
	return 0;
}

void cpu_setup(unsigned index)
{
	struct x86_cpu *cpu = &x86_cpus[index];

	cpu->self = cpu;
	cpu->index = index;
	gdt_load(cpu);
	msr_write(MSR_GS_BASE, (u64)cpu);
	idt_load();
	cr4_write(cr4_read() | CR4_MCE); /* only now: without a handler a machine check shuts the CPU down */
	quirks_mend(cpuid_here, NULL);
	machine_check_enable(cpuid_here, NULL);
}
