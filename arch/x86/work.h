/* SPDX-License-Identifier: GPL-2.0-or-later
 * Work of a known length: the calibration behind machine_work_ns(). */
#ifndef ARCH_X86_WORK_H
#define ARCH_X86_WORK_H

/* Find out how long one turn of the loop takes. Boot CPU, nothing else running, with the clock. */
void work_calibrate(void);

#endif
