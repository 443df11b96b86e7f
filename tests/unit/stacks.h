/* SPDX-License-Identifier: GPL-2.0-or-later
 * Stacks of the test machine, as its contexts and the sanitizer have to know them. */
#ifndef TESTS_UNIT_STACKS_H
#define TESTS_UNIT_STACKS_H

#include "tests/unit/machine.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#else
#define __asan_unpoison_memory_region(start, bytes)		     ((void)(start), (void)(bytes))
#define __sanitizer_start_switch_fiber(save, bottom, bytes)	     ((void)(save), (void)(bottom), (void)(bytes))
#define __sanitizer_finish_switch_fiber(save, old_bottom, old_bytes) ((void)(save))
#endif

/* Memory that takes up none before it is touched. */
void *reserve(size_t bytes);

/* The next stack is the one that sp lies on: a slot, or else the test's own. *save is for coming back; NULL: never. */
void announce_switch(void **save, const void *sp);

#endif
