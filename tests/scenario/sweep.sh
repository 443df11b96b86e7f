#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tools/sweep on a small plan in the sim: what boots a plan means, that a sweep goes on where it was, and that logs count by what they say
# of themselves. Prints TAP.
#
#     tests/scenario/sweep.sh build
set -u

[ $# -eq 1 ] || { echo "usage: $0 BUILD, the folder with fairmetal-sim and fairlog" >&2; exit 2; }
cd "$(dirname "$0")/../.." || exit 2
build=$1
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
number=0
failures=0

result() { # OK NAME: OK is 0 for a pass; else $work/output follows
	number=$((number + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $number - $2"
	else
		failures=$((failures + 1))
		echo "not ok $number - $2"
		cut -c1-300 "$work/output" | tail -20 | sed 's/^/# /'
	fi
}

plan=$work/small.plan
sweep() { tools/sweep -b "$build" -o "$work/logs" "$@" "$plan" >"$work/output" 2>"$work/errors"; }

cat >"$plan" <<'END'
# two machines, two workloads, two seeds: eight boots
machine  sim
topology 2c 2n:1c
run      hackbench -g 1 -f 2 -l 2
run      massive_intr -m 20 3 1   # a fiftieth of a second
preset   v3.8 v3.8-nonewidle
seed     1 2
words    runs=2 jitter=on
END
sweep -c && [ "$(cat "$work/output")" = 8 ]
result $? "topologies x workloads x seeds are 8 boots"
sweep -l && [ "$(wc -l <"$work/output")" = 8 ] && ! grep -q " done " "$work/output" &&
	grep -q '^ *5      topo=2n:1c seed=1 runs=2 jitter=on vary=preset:v3.8,v3.8-nonewidle run="hackbench -g 1 -f 2 -l 2"$' "$work/output"
result $? "they are listed, none done"
sweep -n 3 && sweep -l && [ "$(grep -c ' done ' "$work/output")" = 1 ] && grep -q '^ *3 done topo=2c seed=1 .*massive_intr' "$work/output"
result $? "one boot alone"
sweep && [ "$(grep -c ': boot ' "$work/errors")" = 7 ] && cp "$work/output" "$work/table"
ok=$?
cat "$work/errors" >>"$work/output"
result $ok "the rest, and the one that was done not again"
# A row for each of two machines, two workloads and two presets, each of 2 boots with 2 runs.
[ "$(grep -c '^| sim .* | 2 | 4 |' "$work/table")" = 8 ] && [ "$(wc -l <"$work/table")" = 10 ]
result $? "the table has a row for each machine, workload and preset"
i=0
for log in "$work"/logs/*.log; do
	i=$((i + 1))
	mv "$log" "$work/logs/from-elsewhere-$i.log"
done
sweep && [ ! -s "$work/errors" ] && cmp -s "$work/table" "$work/output"
result $? "logs under other names are the same results"
log=$(grep -l '"topo=2c seed=2.*hackbench' "$work"/logs/*.log | head -1)
sed -i '/^@6 /d' "$log"
sweep -l && [ "$(grep -c ' done ' "$work/output")" = 7 ]
result $? "a damaged log is no result"
sweep && [ "$(grep -c ': boot ' "$work/errors")" = 1 ] && cmp -s "$work/table" "$work/output"
result $? "its boot is made again, with the same result"
sweep -s && grep -q '^#SBATCH --array=1-8$' "$work/output" && sh -n "$work/output"
result $? "a job array for Slurm"

refuse() { # NAME LINE WORDS: the plan with that line added is refused with these words
	cp "$plan" "$work/kept"
	echo "$2" >>"$plan"
	sweep -c
	status=$?
	[ $status = 2 ] && [ "$(wc -l <"$work/errors")" = 1 ] && grep -qF -- "$3" "$work/errors"
	ok=$?
	cat "$work/errors" >"$work/output"
	result $ok "refused: $1"
	cp "$work/kept" "$plan"
}

refuse "unknown word" "tropology 4c" 'small.plan:9: "tropology": expected machine, topology'
refuse "unknown machine" "machine metal" "machine metal: expected lockstep or sim"
refuse "bad seed" "seed one" "seed one: expected a number"
refuse "preset and variant" "variant NO_LAST_BUDDY" "preset and variant exclude each other"
# shellcheck disable=SC2016 # it is not to be expanded
refuse "what a shell would run" 'words runs=$(false)' "has a character that no command line needs"
echo "words colour=red" >>"$plan"
sweep
[ $? = 2 ] && grep -q 'no parameter or switch is called "colour"' "$work/errors" && grep -q "8 of 8 boots failed" "$work/errors"
ok=$?
cat "$work/errors" >>"$work/output"
result $ok "what the kernel refuses fails with its own words"

echo "1..$number"
[ $failures -eq 0 ]
