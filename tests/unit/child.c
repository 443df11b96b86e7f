/* SPDX-License-Identifier: GPL-2.0-or-later
 * A process for each test, so that none finds what another left. */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/machine.h"

#include "base/string.h"

static void read_all(int fd, char *text, size_t size)
{
	size_t used = 0;
	ssize_t n;

	while (used < size - 1 && ((n = read(fd, text + used, size - 1 - used)) > 0 || (n < 0 && errno == EINTR)))
		used += n > 0 ? (size_t)n : 0;
	text[used] = '\0';
}

static _Noreturn void be_child(CMUnitTestFunction function, int out)
{
	const struct CMUnitTest test[] = { { .name = "child", .test_func = function } };
	int failed;

	dup2(out, STDOUT_FILENO);
	dup2(out, STDERR_FILENO);
	setitimer(ITIMER_PROF, &(struct itimerval){ .it_value.tv_sec = 30 }, NULL); /* of CPU: others may be busy */
	cmocka_set_message_output(CM_OUTPUT_STDOUT);
	failed = cmocka_run_group_tests(test, NULL, NULL);
	fflush(NULL);
	if (failed)
		_exit(failed); /* what was left behind on the way out of a failure is no leak */
	exit(0);
}

/* cmocka's summary of a single test says nothing new. */
static void cut_summary(char *text)
{
	char *summary = strstr(text, "[  FAILED  ]");

	if (summary)
		*summary = '\0';
}

void test_in_child(void **state)
{
	CMUnitTestFunction function;
	char text[8192];
	int out[2], status;
	pid_t child;

	memcpy(&function, state, sizeof(function));
	fflush(NULL);
	assert_int_equal(pipe(out), 0);
	child = fork();
	assert_int_not_equal(child, -1);
	if (!child)
		be_child(function, out[1]);
	close(out[1]);
	read_all(out[0], text, sizeof(text));
	close(out[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	cut_summary(text);
	if (WIFSIGNALED(status))
		fail_msg("died of signal %d%s\n%s", WTERMSIG(status), WTERMSIG(status) == SIGPROF ? " (too slow)" : "", text);
	if (WEXITSTATUS(status) || strstr(text, "runtime error")) /* UBSan only prints */
		fail_msg("%s", text);
}
