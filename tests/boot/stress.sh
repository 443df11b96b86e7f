#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Short random experiments under random switches on random machines in QEMU, free-running, by the kernel that checks locks and queues.
# Prints TAP, one test for each boot.
#
# Usage: tests/boot/stress.sh [-c CPUS] [-k KERNEL] BUILD-DIRECTORY [COUNT [SEED]]
#   COUNT experiments or some more (100), in boots that are drawn from the numbers SEED, SEED + 1, ... (1) by stress.awk
# Expected: every run is there and ok, the log is whole, and nothing else. A command line that the kernel refuses in its own words is
# counted and not a failure. Nothing depends on how fast the machine is; only a boot that has not ended after STRESS_SECONDS (300) hangs.
# A miss prints the commands that repeat the boot: by its seed, and as it was; logs of misses stay in BUILD-DIRECTORY/stress.
set -u
cpus=4 kernel=
while getopts c:k: option; do
	case $option in
	c) cpus=$OPTARG ;;
	k) kernel=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# -ge 1 ] || { sed -n '6,7s/^# //p' "$0" >&2; exit 2; }
cd "$(dirname "$0")/../.." || exit 2
build=$1 count=${2:-100} seed=${3:-1}
kernel=${kernel:-$build/debug/fairmetal.elf}
limit=${STRESS_SECONDS:-300}
kept=$build/stress
mkdir -p "$kept" || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
log=$work/log
n=0 failed=0 made=0 refused=0 slow=0

boot() { # OPTIONS OF QEMU.SH AND COMMAND LINE, quoted as a shell wants them
	eval "nice tools/qemu.sh -q -t $limit -m 256M -a tcg -l $log -k $kernel $1" >"$work/qemu" 2>&1
}

has() { tr -d '\r' <"$log" | grep -aq -- "$1"; }
how_many() { tr -d '\r' <"$log" | grep -ac -- "$1"; }

# Two runs can end without a figure when the host gave them no time.
no_figure='"status":"(no request ended in that time|no thread has made a cycle)"'

# What is wrong with a log of so many runs, or nothing. $status is how the boot ended.
judge() { # RUNS
	"$build/fairlog" check "$log" >"$work/out" 2>&1 || echo "fairlog: $(head -n 1 "$work/out")"
	has '"t":"fault"' && echo "a fault: $(tr -d '\r' <"$log" | grep -a '^Fault: ' | head -n 1)"
	if [ $status = 2 ]; then
		[ "$(how_many '^Error: ')" = 1 ] || echo "refused without a reason"
		has '"t":"end","status":"refused","runs":0' || echo "refused in the midst"
		return
	fi
	[ "$(how_many '"t":"run"')" = "$1" ] || echo "$(how_many '"t":"run"') runs of $1"
	bad=$(tr -d '\r' <"$log" | grep -a '"t":"run"' | grep -av '"status":"ok"' | grep -aEv "$no_figure" |
		sed 's/.*"status":"\([^"]*\)".*/a run: \1/' | sort | uniq -c)
	[ -z "$bad" ] || echo "$bad"
	has '"t":"end"' || echo "no end"
	[ $status = 4 ] && tail -n 1 "$work/qemu"
	[ $status = 0 ] || { [ $status = 1 ] && tr -d '\r' <"$log" | grep -aEq "$no_figure"; } || echo "exit status $status"
}

report() { # NAME WRONG COMMAND
	n=$((n + 1))
	if [ -z "$2" ]; then
		echo "ok $n - $1"
		return
	fi
	failed=$((failed + 1))
	cp "$log" "$kept/$cpus-$seed.log"
	echo "not ok $n - $1"
	echo "$2" | sed 's/^/# /'
	echo "# again: tests/boot/stress.sh -c $cpus $build 1 $seed"
	echo "# tools/qemu.sh -m 256M -a tcg -k $kernel $3"
	echo "# log: $kept/$cpus-$seed.log, which ends with"
	tail -n 12 "$log" | tr -d '\r' | cut -c1-200 | sed 's/^/#   /'
}

for what in help=1 run=list; do
	boot "-c 1 $what" || { echo "Bail out! $kernel does not boot: $(cat "$work/qemu")"; exit 1; }
	cp "$log" "$work/$what"
done

draw() { awk -v seed="$1" -v cpus="$cpus" -f tests/boot/stress.awk "$work/help=1" "$work/run=list"; }

# What no seed draws: a name of a switch or a workload.
undrawn() {
	sed -n -e '/^Parameters of the scheduler/,/^Parameters of the machine/s/^  \([A-Za-z][A-Za-z_0-9]*\) .*/\1/p' \
		-e '/^run=/,/^with=/s/^    \([a-z][a-z_0-9-]*\) .*/"\1/p' "$work/help=1" >"$work/names"
	i=0
	while [ $((i += 1)) -le 100 ]; do draw "$i"; done >"$work/all"
	while read -r name; do grep -qF "$name" "$work/all" || echo "$name"; done <"$work/names"
}
[ -n "$(draw 1)" ] && [ "$(draw 1)" = "$(draw 1)" ] && [ "$(draw 1)" != "$(draw 2)" ] && [ -z "$(undrawn)" ] && [ "$(wc -l <"$work/names")" -gt 80 ]
drawing=$?

while [ "$made" -lt "$count" ]; do
	draw "$seed" >"$work/drawn"
	{ read -r machine && read -r line && read -r runs; } <"$work/drawn" || { echo "Bail out! nothing was drawn"; exit 1; }
	: >"$log"
	boot "$machine '$line'"
	status=$?
	what="$runs runs"
	[ $status = 2 ] && runs=0 refused=$((refused + 1)) what="refused: $(tr -d '\r' <"$log" | sed -n 's/^Error: //p' | cut -c1-120)"
	report "seed $seed, $cpus CPUs: $what" "$(judge "$runs")" "$machine '$line'"
	slow=$((slow + $(tr -d '\r' <"$log" | grep -acE "$no_figure")))
	made=$((made + runs))
	seed=$((seed + 1))
	[ $refused -gt $((5 + n / 10)) ] && echo "Bail out! most of what is drawn is refused" && exit 1
done
n=$((n + 1))
if [ $drawing = 0 ]; then
	echo "ok $n - all switches and workloads are drawn, and the same from the same number"
else
	failed=$((failed + 1))
	echo "not ok $n - all switches and workloads are drawn, and the same from the same number"
	undrawn | sed 's/^/# never drawn: /'
fi
echo "# $made experiments in $((n - 1)) boots on $cpus CPUs, $refused boots refused, $slow runs too slow for a figure; the next seed is $seed"
echo "1..$n"
[ $failed = 0 ]
