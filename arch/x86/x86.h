/* SPDX-License-Identifier: GPL-2.0-or-later
 * Instructions and registers that C has no name for. */
#ifndef ARCH_X86_X86_H
#define ARCH_X86_X86_H

#include "base/types.h"

static inline void out8(u16 port, u8 v)
{
	__asm__ volatile("outb %0, %1" ::"a"(v), "Nd"(port));
}

static inline void out16(u16 port, u16 v)
{
	__asm__ volatile("outw %0, %1" ::"a"(v), "Nd"(port));
}

static inline void out32(u16 port, u32 v)
{
	__asm__ volatile("outl %0, %1" ::"a"(v), "Nd"(port));
}

static inline u8 in8(u16 port)
{
	u8 v;

	__asm__ volatile("inb %1, %0" : "=a"(v) : "Nd"(port));
	return v;
}

static inline u16 in16(u16 port)
{
	u16 v;

	__asm__ volatile("inw %1, %0" : "=a"(v) : "Nd"(port));
	return v;
}

static inline u32 in32(u16 port)
{
	u32 v;

	__asm__ volatile("inl %1, %0" : "=a"(v) : "Nd"(port));
	return v;
}

enum msr {
	MSR_APIC_BASE = 0x1b,
	MSR_MICROCODE = 0x8b,
	MSR_TSC_DEADLINE = 0x6e0,
	MSR_X2APIC = 0x800, /* + register offset / 16 */
	MSR_GS_BASE = 0xc0000101,
	MSR_EFER = 0xc0000080,
};

static inline u64 msr_read(u32 msr)
{
	u32 low, high;

	__asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(msr));
	return (u64)high << 32 | low;
}

static inline void msr_write(u32 msr, u64 v)
{
	__asm__ volatile("wrmsr" ::"c"(msr), "a"((u32)v), "d"((u32)(v >> 32)) : "memory");
}

/* Not before earlier loads have been done. */
static inline u64 tsc_read(void)
{
	u32 low, high;

	__asm__ volatile("lfence; rdtsc" : "=a"(low), "=d"(high)::"memory");
	return (u64)high << 32 | low;
}

static inline u64 cr2_read(void)
{
	u64 v;

	__asm__ volatile("mov %%cr2, %0" : "=r"(v));
	return v;
}

static inline u64 cr3_read(void)
{
	u64 v;

	__asm__ volatile("mov %%cr3, %0" : "=r"(v));
	return v;
}

static inline void cr3_write(u64 v)
{
	__asm__ volatile("mov %0, %%cr3" ::"r"(v) : "memory");
}

static inline u64 cr4_read(void)
{
	u64 v;

	__asm__ volatile("mov %%cr4, %0" : "=r"(v));
	return v;
}

static inline void cr4_write(u64 v)
{
	__asm__ volatile("mov %0, %%cr4" ::"r"(v) : "memory");
}

enum { CR4_MCE = 1 << 6 };

static inline void page_flush(u64 address)
{
	__asm__ volatile("invlpg (%0)" ::"r"(address) : "memory");
}

enum { RFLAGS_IF = 1 << 9 };

static inline u64 rflags_read(void)
{
	u64 v;

	__asm__ volatile("pushfq; popq %0" : "=r"(v)::"memory");
	return v;
}

static inline void irq_off(void)
{
	__asm__ volatile("cli" ::: "memory");
}

static inline void irq_on(void)
{
	__asm__ volatile("sti" ::: "memory");
}

/* a * b / c with the full product in between; the quotient must fit 64 bits. */
static inline u64 mul_div(u64 a, u64 b, u64 c)
{
	u64 quotient, remainder;

	__asm__("mulq %3; divq %4" : "=&a"(quotient), "=&d"(remainder) : "0"(a), "rm"(b), "rm"(c) : "cc");
	return quotient;
}

static inline void cpu_pause(void)
{
	__asm__ volatile("pause" ::: "memory");
}

static inline _Noreturn void cpu_stop(void)
{
	for (;;)
		__asm__ volatile("cli; hlt" ::: "memory");
}

static inline u64 frame_pointer(void)
{
	return (u64)__builtin_frame_address(0);
}

#endif
