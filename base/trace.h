/* SPDX-License-Identifier: GPL-2.0-or-later
 * The numbers by which events and words of the decision trace go in the log; base/trace.def lists them. */
#ifndef BASE_TRACE_H
#define BASE_TRACE_H

enum trace_event {
#define EVENT(event, meaning) TRACE_##event,
#define ARG(event, arg, kind, meaning)
#define WORD(list, word, meaning)
#include "base/trace.def"
#undef EVENT
#undef ARG
#undef WORD
	NR_TRACE_EVENTS,
};

enum trace_word {
#define EVENT(event, meaning)
#define ARG(event, arg, kind, meaning)
#define WORD(list, word, meaning) list##_##word,
#include "base/trace.def"
#undef EVENT
#undef ARG
#undef WORD
	NR_TRACE_WORDS,
};

/* The number of an argument within its event: TRACE_ARG(switch, next) is 2. They are numbered through, from each event's base on.
 */
enum trace_arg {
#define EVENT(event, meaning)	       ARG_BASE_##event, ARG_BEFORE_##event = ARG_BASE_##event - 1,
#define ARG(event, arg, kind, meaning) ARG_AT_##event##_##arg,
#define WORD(list, word, meaning)
#include "base/trace.def"
#undef EVENT
#undef ARG
#undef WORD
};
#define TRACE_ARG(event, name) (ARG_AT_##event##_##name - ARG_BASE_##event)

enum { TRACE_FLAG_SYNC = 1, TRACE_FLAG_INTERRUPT = 2, TRACE_FLAG_REMOTE = 4, TRACE_NO_CPU = 65535 };

/* All names in their order. The CRC-32 of it is the list's fingerprint, which a log carries: readers refuse a list that is not
 * theirs.
 */
static const char trace_names[] = ""
#define EVENT(event, meaning)	       ";" #event
#define ARG(event, arg, kind, meaning) "," #arg "=" #kind
#define WORD(list, word, meaning)      ";" #list "_" #word
#include "base/trace.def"
#undef EVENT
#undef ARG
#undef WORD
	;

#endif
