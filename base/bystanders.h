/* SPDX-License-Identifier: GPL-2.0-or-later
 * What all other CPUs were doing when one of them reports a fault. */
#ifndef BASE_BYSTANDERS_H
#define BASE_BYSTANDERS_H

#include "base/types.h"

/* One line for each CPU but `self`, or for several in a row that stood at the same place; when machine_stop_others() has returned.
 * *lines is static and good until the next call. Returns how many there are; of machines with too many the last says which CPUs had
 * no room. */
unsigned bystanders_describe(unsigned self, const char *const **lines);

#endif
