/* SPDX-License-Identifier: GPL-2.0-or-later
 * System calls that only give the CPU up. */
#include "ipc/sleep.h"

#include "sched/sched.h"

void sleep_ns(u64 ns)
{
	syscall_enter();
	task_sleep_ns(ns);
	syscall_exit();
}

void sleep_until_ns(u64 instant_ns)
{
	syscall_enter();
	task_sleep_until_ns(instant_ns);
	syscall_exit();
}

void yield(void)
{
	syscall_enter();
	task_yield();
	syscall_exit();
}
