#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The interactive console, typed at the sim by a script:
#
#     tests/scenario/shell.sh build/fairmetal-sim build/fairlog
#
# Prints TAP. The conversation must be the one in shell.golden, keys and all, without the records, the machine's own lines and figures
# of runs; after a deliberate change "tests/scenario/shell.sh SIM FAIRLOG make" writes it anew, to be read before it is committed.
set -u

[ $# -ge 2 ] || { echo "usage: $0 FAIRMETAL-SIM FAIRLOG [make]" >&2; exit 2; }
sim=$(realpath "$1")
fairlog=$(realpath "$2")
golden=$(realpath "$(dirname "$0")")/shell.golden
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
export LC_ALL=C
number=0
failures=0

result() { # STATUS NAME: and what the file output says, after a miss
	number=$((number + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $number - $2"
	else
		failures=$((failures + 1))
		echo "not ok $number - $2"
		head -20 "$work/output" | sed 's/^/# /'
	fi
}

# Keys as printf writes them: \t completes, \033[A is the arrow up, \001 to the line's beginning, \013 erases to its end, \025 all before.
keys() {
	printf 'help\r'
	printf 'show sched_lat\t\r'
	printf 'knobs buddy\r'
	printf 'set NEXT_B\t NO_LAST_BUDDY\rset\r'
	printf 'preset v2.6.32\rset\r'
	printf 'run spin -n 1000\r'
	printf 'run "spin -n 1000" vary=newidle:off,throttle\r'
	printf '\033[A\001\013NEXT_BUDDY=maybe\rtopology\rset topo=8c\r'
	printf 'garbage\025domains\r'
	printf 'rubn hackbanch\033[D\033[D\033[D\033[D\033[D\033[D\033[D\033[D\033[D\033[D\033[D\b\r'
	printf 'poweroff\r'
}

talk() { keys | timeout 60 "$sim" topo=2c shell=1 >"$1" 2>&1; }

# What golden files hold of it: people's lines, without those whose figures follow the scheduler; keys that move the cursor made visible.
readable() {
	sed -n '/^help lists/,$p' "$1" |
		sed -e '/^@/d' -e '/^Wasted /d' -e '/^Newidle: /d' -e 's/ *[0-9][0-9]*\.[0-9]\{3\}$/ #/' -e 's/ *[0-9][0-9]*\.[0-9]\{3\}  x/ #  x/' -e 's/\x1b\[K/<K>/g' -e 's/\x08/</g' -e 's/\r/<R>/g'
}

talk "$work/log"
status=$?
readable "$work/log" >"$work/talk"
if [ "${3-}" = make ]; then
	cp "$work/talk" "$golden"
	exit
fi
diff "$golden" "$work/talk" >"$work/output"
result $? "the conversation"
[ $status = 0 ]
result $? "its end"
"$fairlog" check "$work/log" >"$work/output" 2>&1
result $? "the log of a conversation is whole"
talk "$work/again"
cmp "$work/log" "$work/again" >"$work/output" 2>&1
result $? "the same keys give the same log"
printf 'run spin -n 1000\rlog\r' | timeout 60 "$sim" topo=2c shell=1 >"$work/log" 2>&1
"$fairlog" check "$work/log" >"$work/output" 2>&1
grep -q 'boot 2: whole: ' "$work/output"
result $? "records that are sent again make a whole log"
timeout 60 "$sim" topo=2c shell=1 run="spin -n 1000" then=reset </dev/null >"$work/output" 2>&1
result $? "the end of input ends the machine"
grep -q '^End: ok, 1 run' "$work/output"
result $? "and what run= said came first"

echo "1..$number"
[ $failures = 0 ]
