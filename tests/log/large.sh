#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# fairlog's memory on large logs:
#
#     tests/log/large.sh build/fairlog build/test/make-large
#
# Prints TAP. Each kind of log of make_large.c, of 20 MB, is read by each command with so little memory that nothing which grows with
# the log can be kept unless it is needed for the figures. A miss shows as exit code 2 and "out of memory", or as another verdict.
# Times are not judged here; docs/log.md has them.
set -u

[ $# -eq 2 ] || { echo "usage: $0 FAIRLOG MAKE-LARGE, the programs to test" >&2; exit 2; }
fairlog=$1 make=$2
megabytes=20
log=$(mktemp) output=$(mktemp)
trap 'rm -f "$log" "$output"' EXIT
number=0 failures=0

# What the program takes before it has read anything: libraries, mostly.
baseline() {
	: >"$log"
	for ((kib = 4096; kib < 65536; kib += 1024)); do
		(ulimit -v "$kib"; "$fairlog" check "$log") >"$output" 2>&1
		[ $? -eq 1 ] && grep -q "there is no record in it" "$output" && { echo $kib; return; }
	done
	echo 65536
}
base=$(baseline)

expect() { # KIND COMMAND CODE MEGABYTES WORDS: what the command may take beyond the baseline, how it ends, and what it says
	number=$((number + 1))
	(ulimit -v $((base + $4 * 1024)); exec "$fairlog" "$2" "$log") >"$output" 2>&1
	got=$?
	if [ $got -eq "$3" ] && grep -qF -- "$5" "$output"; then
		echo "ok $number - $1, $2 in $4 MB"
	else
		failures=$((failures + 1))
		echo "not ok $number - $1, $2 in $4 MB: exit code $got, expected $3 and \"$5\""
		head -5 "$output" | cut -c1-200 | sed 's/^/# /'
	fi
}

# KIND CODE MEGABYTES VERDICT: check keeps nothing; the others keep the runs.
expect_all() {
	"$make" "$1" $megabytes >"$log" || exit 2
	expect "$1" check "$2" 3 "$4"
	expect "$1" list "$2" "$3" "$([ "$2" -eq 0 ] && printf 'ok\tmetal' || printf 'damaged\tmetal')"
	expect "$1" summary "$2" "$3" "$4"
	expect "$1" table "$2" "$3" "$([ "$2" -eq 0 ] && echo "newidle=off" || echo "$4")"
	expect "$1" pool "$2" "$3" "$([ "$2" -eq 0 ] && echo "newidle=off" || echo "is not whole")"
}

# A run takes about 0.9 KB where the log has 1.9 KB; a number of an array half of its digits.
expect_all runs 0 12 "whole: "
expect_all latency 0 12 "whole: "
expect_all counts 0 12 "whole: "
expect_all noise 0 3 "whole: "
expect_all line 1 3 "damaged: 9 good records, 1 damaged"

echo "1..$number"
[ $failures -eq 0 ]
