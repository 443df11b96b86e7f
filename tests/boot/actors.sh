#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The random programs of tests/scenario on real CPUs in QEMU, free-running: tasks that do all they can to each other, and every invariant
# checked after each step with all queues locked. Prints TAP, one test for each boot.
#
# Usage: tests/boot/actors.sh [-c CPUS] [-r RUNS] BUILD-DIRECTORY [COUNT [SEED]]
#   COUNT boots (10) from the numbers SEED, SEED + 1, ... (1), each with RUNS programs (5)
# Expected: the machine ends by itself and says that all was well. Nothing depends on how fast it is; a boot that has not ended after
# STRESS_SECONDS (300) hangs. A miss prints the command that repeats the boot, which draws the same but races as it likes, and the report.
set -u
cpus=4 runs=5
while getopts c:r: option; do
	case $option in
	c) cpus=$OPTARG ;;
	r) runs=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# -ge 1 ] || { sed -n '6,7s/^# //p' "$0" >&2; exit 2; }
cd "$(dirname "$0")/../.." || exit 2
build=$1 count=${2:-10} seed=${3:-1}
mkdir -p "$build/stress" || exit 2
log=$build/stress/actors-$cpus.log
n=0 failed=0

# One package, one for each pair, or cores of two threads.
shape() {
	case $((seed % 3)) in
	0) echo "$cpus,sockets=1,cores=$cpus" ;;
	1) echo "$cpus,sockets=$((cpus / 2)),cores=2" ;;
	2) echo "$cpus,sockets=2,cores=$((cpus / 4)),threads=2" ;;
	esac
}

while [ $n -lt "$count" ]; do
	n=$((n + 1))
	set -- -t "${STRESS_SECONDS:-300}" -c "$(shape)" -x '-cpu Nehalem' -a tcg -l "$log" -k "$build/debug/actors.elf" "seed=$seed runs=$runs"
	if nice tools/qemu.sh -q "$@" 2>"$log.err"; then
		echo "ok $n - $runs random programs from $seed on $cpus CPUs"
	else
		failed=$((failed + 1))
		echo "not ok $n - $runs random programs from $seed on $cpus CPUs"
		echo "# again: tests/boot/actors.sh -c $cpus -r $runs $build 1 $seed"
		sed 's/^/# /' "$log.err"
		tail -n 60 "$log" | tr -d '\r' | cut -c1-200 | sed 's/^/#   /'
		cp "$log" "$build/stress/actors-$cpus-$seed.log"
	fi
	seed=$((seed + 1))
done
echo "1..$n"
[ $failed = 0 ]
