#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs test programs that print TAP, shows what they print, and ends with "N passed, N failed[, N skipped]". A program that dies or prints
# nothing counts as a failure. Usage: tests/run.sh COMMAND...
set -u
unset MAKEFLAGS MFLAGS MAKELEVEL # tests that call make are users of their own
out=$(mktemp)
trap 'rm -f "$out"' EXIT
passed=0 failed=0 skipped=0

for command in "$@"; do
	echo "# $command"
	# shellcheck disable=SC2086 # a command and its arguments
	timeout 1200 $command </dev/null >"$out" 2>&1
	status=$?
	ok=$(grep -c '^ok ' "$out")
	bad=$(grep -c '^not ok ' "$out")
	skip=$(grep -c '^ok .*# [Ss][Kk][Ii][Pp]' "$out")
	cat "$out"
	if [ $status != 0 ] && [ "$bad" = 0 ]; then
		echo "not ok - $command ended with status $status"
		bad=1
	elif [ $((ok + bad)) = 0 ]; then
		echo "not ok - $command reported no test"
		bad=1
	fi
	passed=$((passed + ok - skip)) failed=$((failed + bad)) skipped=$((skipped + skip))
done

if [ $skipped = 0 ]; then
	echo "$passed passed, $failed failed"
else
	echo "$passed passed, $failed failed, $skipped skipped"
fi
[ $failed = 0 ] && [ $passed != 0 ]
