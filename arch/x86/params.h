/* SPDX-License-Identifier: GPL-2.0-or-later
 * Parameters of a PC as variables, set from the command line before anything uses them. */
#ifndef ARCH_X86_PARAMS_H
#define ARCH_X86_PARAMS_H

#include "base/knobs.h"

#define CLOCK_WORDS(V) V(CLOCK_AUTO, auto) V(CLOCK_TSC, tsc) V(CLOCK_HPET, hpet) V(CLOCK_PM, pm)
#define TIMER_WORDS(V) V(TIMER_AUTO, auto) V(TIMER_LAPIC, lapic)
#define FLOW_WORDS(V)  V(FLOW_NONE, none) V(FLOW_RTSCTS, rtscts)

enum { BAUD_DEFAULT = 115200 };
enum { FLOW_WORDS(KNOB_ENUMERATOR) };
enum { CLOCK_WORDS(KNOB_ENUMERATOR) };
enum { TIMER_WORDS(KNOB_ENUMERATOR) };

struct machine_params {
#define KNOB_LIST "arch/x86/params.def"
#include "base/knob_struct.inc"
#undef KNOB_LIST
};

extern struct machine_params machine_param;
extern const struct knob_table x86_knob_table;

#endif
