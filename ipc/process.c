/* SPDX-License-Identifier: GPL-2.0-or-later
 * The system calls of a process that starts others. */
#include "ipc/process.h"

struct task *process_vfork(const char *name, void (*entry)(void *), void *argument)
{
	struct task *t;

	syscall_enter();
	t = task_vfork(name, entry, argument);
	syscall_exit();
	return t;
}

int process_exec(void)
{
	int err;

	syscall_enter();
	err = task_exec();
	syscall_exit();
	return err;
}

u32 process_wait(struct task *child)
{
	u32 id;

	syscall_enter();
	id = task_reap(child);
	syscall_exit();
	return id;
}
