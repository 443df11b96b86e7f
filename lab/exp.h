/* SPDX-License-Identifier: GPL-2.0-or-later
 * Published experiments by name: exp= stands for the words of a command line. */
#ifndef LAB_EXP_H
#define LAB_EXP_H

#include "base/types.h"

enum { EXP_WORDS_BYTES = 512 };

/* What exp=NAME stands for, with runs, loops and times shortened to so many per cent; nothing for "" and "list". 0, or -E_INVAL
 * with one line in error[size]. */
int exp_expand(const char *name, u64 percent, char words[EXP_WORDS_BYTES], char *error, size_t size);

/* All of them, for exp=list. */
void say_experiments(void);

/* Two lines on one of them, for the plan; nothing for "". */
void say_experiment(const char *name, u64 percent);

#endif
