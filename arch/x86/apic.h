/* SPDX-License-Identifier: GPL-2.0-or-later
 * The local APIC: who am I, interrupts to other CPUs, and the CPU's own timer. */
#ifndef ARCH_X86_APIC_H
#define ARCH_X86_APIC_H

#include "base/types.h"

/* Choose xAPIC (registers at `address`) or x2APIC. highest_id: of all CPUs. Boot CPU, once, before apic_setup(). 0, -E_INVAL with a
 * message. */
int apic_init(u64 address, u32 highest_id);
const char *apic_mode(void);

/* Turn this CPU's APIC on, everything else in it off. Each CPU. */
void apic_setup(void);

u32 apic_id(void);
void apic_eoi(void);

void apic_send(u32 apic_id, u8 vector);
void apic_send_init(u32 apic_id);
void apic_send_startup(u32 apic_id, u8 page);
void apic_send_nmi(u32 apic_id);
/* What the old interrupt controllers send to this CPU becomes an NMI. */
void apic_set_lint0_nmi(void);

/* An interrupt nobody asked for: the first is reported. */
void apic_note_stray(unsigned vector);

/* The timer: find its rate against the clock and choose its mode. Boot CPU, with the clock running. */
void apic_timer_init(void);
const char *apic_timer_name(void);
/* Each CPU, before its first deadline. */
void apic_timer_setup(void);

/* Registers by their xAPIC offset, in either mode. */
enum apic_timer_register {
	APIC_LVT_TIMER = 0x320,
	APIC_TIMER_INITIAL = 0x380,
	APIC_TIMER_CURRENT = 0x390,
	APIC_TIMER_DIVIDE = 0x3e0
};
enum { LVT_MASKED = 1 << 16, DIVIDE_BY_1 = 11 };
u32 apic_read(unsigned reg);
void apic_write(unsigned reg, u32 v);

#endif
