#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What it costs to pick among N waiting tasks and to put one among them: instructions a turn of `yield` (a yield, the pick and the switch)
# and of `yield --rest` (a wakeup, going to sleep, the pick and the switch) on one CPU, in lockstep, as a table in Markdown. docs/cost.md
# says what to make of it. Builds the image if need be; takes about a minute.
#
# Usage: tools/cost-curve.sh [-o BUILD-DIRECTORY] [-t TURNS] [TASKS]...
set -eu
cd "$(dirname "$0")/.."
build=build turns=100000
while getopts o:t: option; do
	case $option in
	o) build=$OPTARG ;;
	t) turns=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- 10 30 100 300 1000 3000 10000
make -s O="$build" "$build/fairmetal-lockstep.elf"
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Starting and ending the tasks costs the same in both runs, of which the second is twice as long. A turn counts only if the CPU goes to
# another task.
per_turn() { # TASKS OPTION: instructions a turn
	local loops=$(((turns + $1 - 1) / $1))
	tools/qemu.sh -q -c 1 -m 1G -a tcg,thread=single -x '-icount shift=0,sleep=off -rtc clock=vm' -l "$log" \
		-k "$build/fairmetal-lockstep.elf" "topo=1c run=\"yield -t $1 -l $loops $2\" run=\"yield -t $1 -l $((2 * loops)) $2\""
	grep -ao '"status":"ok".*"handovers":[0-9]*' "$log" |
		sed 's/.*"elapsed_ns":\([0-9]*\).*"turns":\([0-9]*\),"handovers":\([0-9]*\)/\1 \2 \3/' |
		awk '{ time = $1 - time; turns = $2 - turns; handovers = $3 - handovers }
			END { if (NR != 2 || handovers < 0.98 * turns) exit 1; printf "%.1f", time / turns }'
}

# From N to 2N tasks: one more level in a balanced tree.
per_doubling() { # TASKS COST TASKS-BEFORE COST-BEFORE
	[ -n "$3" ] || { echo -; return; }
	awk -v n="$1" -v c="$2" -v m="$3" -v d="$4" 'BEGIN { printf "%+.1f", (c - d) / (log(n / m) / log(2)) }'
}

echo "| tasks | log2 | a yield | per doubling | a wakeup and a sleep | per doubling |"
echo "|---|---|---|---|---|---|"
before='' before_yield='' before_rest=''
for tasks in "$@"; do
	yield=$(per_turn "$tasks" '')
	rest=$(per_turn "$tasks" --rest)
	awk -v n="$tasks" 'BEGIN { printf "| %d | %.1f ", n, log(n) / log(2) }'
	echo "| $yield | $(per_doubling "$tasks" "$yield" "$before" "$before_yield")" \
		"| $rest | $(per_doubling "$tasks" "$rest" "$before" "$before_rest") |"
	before=$tasks before_yield=$yield before_rest=$rest
done
