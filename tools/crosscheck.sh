#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Sim against lockstep: the same experiments on several topologies, the figures side by side, as a table in Markdown.
# Usage: tools/crosscheck.sh BUILD-DIRECTORY [RUNS]
set -eu
build=$1
runs=${2:-6}
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# mean FIELD: of the run records in the log
mean() { grep -ao "\"$1\":[0-9]*" "$log" | cut -d: -f2 | awk '{ s += $1 } END { printf "%.0f", s / NR }'; }
figures() { echo "$(mean elapsed_ns) $(mean context_switches) $(mean migrations) $(($(mean wakeups_local) + $(mean wakeups_remote)))"; }

echo "| topology | workload | elapsed, ms: lockstep, sim | context switches | migrations | wakeups |"
echo "|---|---|---|---|---|---|"
for topo in q6600 e5620 2x4 4x10; do
	for run in "hackbench -g 2 -l 500" "hackbench -g 2 -l 500 -p" "massive_intr 10 1"; do
		tools/qemu.sh -q -c 1 -a tcg,thread=single -x '-icount shift=0,sleep=off -rtc clock=vm' -l "$log" \
			-k "$build/fairmetal-lockstep.elf" "topo=$topo run=\"$run\" runs=$runs"
		read -r le lc lm lw <<<"$(figures)"
		"$build/fairmetal-sim" topo=$topo run="$run" runs="$runs" >"$log"
		read -r se sc sm sw <<<"$(figures)"
		awk -v t="$topo" -v r="$run" -v le="$le" -v se="$se" -v lc="$lc" -v sc="$sc" -v lm="$lm" -v sm="$sm" -v lw="$lw" -v sw="$sw" '
			function pair(a, b) { return sprintf("%d, %d (%+.0f %%)", a, b, a ? 100 * (b - a) / a : 0) }
			BEGIN { printf "| %s | %s | %.2f, %.2f (%+.0f %%) | %s | %s | %s |\n", t, r, le / 1e6, se / 1e6, 100 * (se - le) / le,
				pair(lc, sc), pair(lm, sm), pair(lw, sw) }'
	done
done
