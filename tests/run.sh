#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs test programs that print TAP, JOBS of them at a time (as many as there are CPUs), shows what they print in the order given, and ends with
# "N passed, N failed[, N skipped]". A program that dies or prints nothing counts as a failure. Usage: tests/run.sh COMMAND...
set -u
unset MAKEFLAGS MFLAGS MAKELEVEL # tests that call make are users of their own
jobs=${JOBS:-$(nproc)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0

run() { # NUMBER COMMAND
	# shellcheck disable=SC2086 # a command and its arguments
	timeout 1200 $2 </dev/null >"$work/$1" 2>&1
	echo $? >"$work/$1.ended"
}

run_all() {
	local n=0 command
	for command; do
		[ "$(jobs -rp | wc -l)" -lt "$jobs" ] || wait -n
		n=$((n + 1)) # not in the line below, which is of another shell
		run $n "$command" &
	done
	wait
}

show() { # NUMBER COMMAND
	local ok bad skip status
	until [ -s "$work/$1.ended" ]; do sleep 0.1; done
	status=$(cat "$work/$1.ended")
	ok=$(grep -c '^ok ' "$work/$1")
	bad=$(grep -c '^not ok ' "$work/$1")
	skip=$(grep -c '^ok .*# [Ss][Kk][Ii][Pp]' "$work/$1")
	echo "# $2"
	cat "$work/$1"
	if [ "$status" != 0 ] && [ "$bad" = 0 ]; then
		echo "not ok - $2 ended with status $status"
		bad=1
	elif [ $((ok + bad)) = 0 ]; then
		echo "not ok - $2 reported no test"
		bad=1
	fi
	passed=$((passed + ok - skip)) failed=$((failed + bad)) skipped=$((skipped + skip))
}

run_all "$@" &
n=0
for command; do show $((n += 1)) "$command"; done

if [ $skipped = 0 ]; then
	echo "$passed passed, $failed failed"
else
	echo "$passed passed, $failed failed, $skipped skipped"
fi
[ $failed = 0 ] && [ $passed != 0 ]
