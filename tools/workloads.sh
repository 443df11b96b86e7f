#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Which workload feels which switch: every workload on eight CPUs in lockstep, in one boot, under 3.8 and under single departures from it;
# docs/workloads.md reads the table. Builds what it needs. The same source gives the same table anywhere.
#
# Usage: tools/workloads.sh [-t TOPOLOGY] [-r RUNS] [-m lockstep|sim] [-b BUILD] [-w]
#   -t  topology                               (2n:4c)
#   -r  measured runs of each, 1 to 1000       (6)
#   -m  the machine                            (lockstep)
#   -b  build directory                        (build)
#   -w  put the table between the marks in docs/workloads.md instead of printing it
set -eu
cd "$(dirname "$0")/.."

topology=2n:4c runs=6 machine=lockstep build=build write='' essay=docs/workloads.md
limit=3000 # seconds

complain() { echo "workloads.sh: $*" >&2; exit 2; }

while getopts t:r:m:b:wh option; do
	case $option in
	t) topology=$OPTARG ;;
	r) runs=$OPTARG ;;
	m) machine=$OPTARG ;;
	b) build=$OPTARG ;;
	w) write=1 ;;
	h) sed -n '/^# Usage/,/^#   -w/s/^# \{0,1\}//p' "$0"; exit 0 ;;
	*) sed -n '/^# Usage/,/^#   -w/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# = 0 ] || complain "\"$1\" belongs to no option; -h shows the usage"
[[ $runs =~ ^[1-9][0-9]{0,2}$|^1000$ ]] || complain "-r $runs: expected a number from 1 to 1000"
if [ -n "$write" ]; then
	[ "$(grep -sc '^<!-- workloads.sh: \(begin\|end\) -->$' $essay)" = 2 ] || complain "$essay has no two marks <!-- workloads.sh: begin --> and end"
fi

# So many tasks that queues are long, where the workload can have as many: buddies matter only where a CPU has eight or more to run.
words=(topo="$topology" runs="$runs" warmup=1
	variant="preset=v3.8" variant="preset=v3.8-nonewidle" variant="NO_LAST_BUDDY" variant="NEXT_BUDDY"
	run="hackbench -g 4 -l 50" run="hackbench -g 4 -l 50 -p"
	run="massive_intr 12 1 -m 500"
	run="tbench -n 60 64"
	run="vmark -r 4 -c 5" run="chat -r 4 -c 10"
	run="aim7 -s 5 -d 5 16"
	run="kbuild -j 12 -n 24 -s 5"
	run="pipe -l 2000"
	run="schbench --run-ms 300" run="schbench-classic --run-ms 500"
	run="cyclictest -t 16 -i 500 -d 50 -l 200"
	run="sysbench -t 80 -e 80"
	run="context_switch1 -t 64 -n -s 3 --sample-ms 10")

log=$build/workloads.log
case $machine in
lockstep)
	tools/setup.sh lockstep
	make -s -j"$(nproc)" O="$build" "$build/fairmetal-lockstep.elf" "$build/fairlog" >&2
	line=
	for word in "${words[@]}"; do
		case $word in *' '*) line="$line ${word%%=*}=\"${word#*=}\"" ;; *) line="$line $word" ;; esac
	done
	rm -f "$log"
	tools/qemu.sh -q -t $limit -c 1 -a tcg,thread=single -x '-icount shift=0,sleep=off -rtc clock=vm' -l "$log" \
		-k "$build/fairmetal-lockstep.elf" "${line# }" || complain "failed, see $log"
	;;
sim)
	tools/setup.sh sim
	make -s -j"$(nproc)" O="$build" "$build/fairmetal-sim" "$build/fairlog" >&2
	"$build/fairmetal-sim" "${words[@]}" >"$log" || complain "failed, see $log"
	;;
*) complain "-m $machine: expected lockstep or sim" ;;
esac

table=$(mktemp)
trap 'rm -f "$table"' EXIT
"$build/fairlog" effects "$log" >"$table"
if [ -n "$write" ]; then
	sed -i -e '/^<!-- workloads.sh: begin -->$/,/^<!-- workloads.sh: end -->$/{/^<!--/!d}' -e "/^<!-- workloads.sh: begin -->\$/r $table" $essay
	echo "$essay has the table" >&2
else
	cat "$table"
fi
