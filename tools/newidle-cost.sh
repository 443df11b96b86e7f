#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What it costs a CPU to look for work before it goes idle: ns (instructions, waiting for locks and cold clocks included) of a walk through
# its domains, on 8 CPUs and on 64 in 4 nodes, in lockstep, as a table in Markdown. docs/cost.md says what to make of it. Builds the image
# if need be; takes a few minutes.
#
# Usage: tools/newidle-cost.sh [-o BUILD-DIRECTORY] [-r RUNS]
set -eu
cd "$(dirname "$0")/.."
build=build runs=3
while getopts o:r: option; do
	case $option in
	o) build=$OPTARG ;;
	r) runs=$OPTARG ;;
	*) exit 2 ;;
	esac
done
make -s O="$build" "$build/fairmetal-lockstep.elf"
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Over all runs of it: walks, ns a walk, tasks moved in a hundred walks.
walks() { # TOPOLOGY WORKLOAD NEWIDLE
	tools/qemu.sh -q -c 1 -m 512M -a tcg,thread=single -x '-icount shift=0,sleep=off -rtc clock=vm' -l "$log" \
		-k "$build/fairmetal-lockstep.elf" "topo=$1 run=\"$2\" newidle=$3 runs=$runs"
	grep -ao '"status":"ok".*"newidle_ns":[0-9]*' "$log" |
		sed 's/.*_newidle_pulls":\([0-9]*\),"newidle_passes":\([0-9]*\),"newidle_ns":\([0-9]*\)/\1 \2 \3/' |
		awk '{ pulls += $1; passes += $2; ns += $3 } END { printf "%d %.0f %.0f", passes, ns / passes, 100 * pulls / passes }'
}

echo "| workload | newidle | 8 CPUs: walks | ns a walk | tasks per 100 | 64 CPUs: walks | ns a walk | tasks per 100 | 64 to 8 |"
echo "|---|---|---|---|---|---|---|---|---|"
for workload in "massive_intr 4 1" "hackbench -g 4 -l 100"; do
	for newidle in throttle always; do
		read -r few few_ns few_moved <<<"$(walks 1n:8c:1t "$workload" $newidle)"
		read -r many many_ns many_moved <<<"$(walks 4n:16c:1t "$workload" $newidle)"
		echo "| $workload | $newidle | $few | $few_ns | $few_moved | $many | $many_ns | $many_moved |" \
			"$(awk -v a="$few_ns" -v b="$many_ns" 'BEGIN { printf "%.2f", b / a }') |"
	done
done
