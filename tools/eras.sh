#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Old against new: hackbench and massive_intr under the rules of every era, on machines of several shapes, in lockstep. Builds what it needs, boots
# once for each topology with all presets in the one boot, so that runs are paired, and prints one table in Markdown; docs/eras.md reads it.
# The logs stay in BUILD/eras. The default takes a quarter of an hour on two host CPUs; the same source gives the same table anywhere.
#
# Usage: tools/eras.sh [-t TOPOLOGIES] [-p PRESETS] [-l WORKLOAD]... [-x WORDS] [-r RUNS] [-j BOOTS] [-b BUILD] [-w]
#   -t  topologies as topo= takes them, separated by blanks             (q6600 e5620 2x4 4x4 4x10)
#   -p  presets, separated by commas                                    (all nine)
#   -l  a workload with its arguments; may be repeated                  (hackbench -g 10 -l 100, massive_intr 10 10, massive_intr 50 10)
#   -x  more words for the command line, as in -x vary=newidle:throttle,off
#   -r  measured runs of each, 1 to 1000, after one that does not count (5)
#   -j  boots at a time                                                 (one for each host CPU)
#   -b  build directory                                                 (build)
#   -w  put the table between the marks in docs/eras.md instead of printing it
set -eu
cd "$(dirname "$0")/.."

topologies='q6600 e5620 2x4 4x4 4x10'
presets=v2.6.32-rc1,v2.6.32-rc1+p2,v2.6.32-rc1+buddies,v2.6.32,v2.6.32.2,v3.8,v3.8-nonewidle,v3.8+power,v3.13
workloads=() words='' runs=5 jobs=$(nproc) build=build write=''
limit=1800 # seconds for one boot
essay=docs/eras.md

complain() { echo "eras.sh: $*" >&2; exit 2; }
usage() { sed -n '/^# Usage/,/^#   -w/s/^# //p' "$0"; }

while getopts t:p:l:x:r:j:b:wh option; do
	case $option in
	t) topologies=$OPTARG ;;
	p) presets=$OPTARG ;;
	l) workloads+=("$OPTARG") ;;
	x) words=$OPTARG ;;
	r) runs=$OPTARG ;;
	j) jobs=$OPTARG ;;
	b) build=$OPTARG ;;
	w) write=1 ;;
	h) usage; exit 0 ;;
	*) usage >&2; exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# = 0 ] || complain "\"$1\" belongs to no option; -h shows the usage"
[ -n "${topologies// /}" ] || complain "-t: no topology"
[ ${#workloads[@]} != 0 ] || workloads=("hackbench -g 10 -l 100" "massive_intr 10 10" "massive_intr 50 10")
[[ $runs =~ ^[1-9][0-9]{0,2}$|^1000$ ]] || complain "-r $runs: expected a number from 1 to 1000"
[[ $jobs =~ ^[1-9][0-9]?$ ]] || complain "-j $jobs: expected a number from 1 to 99"
case $presets in
*,*) words="vary=preset:$presets $words" ;;
*) words="preset=$presets $words" ;;
esac
for workload in "${workloads[@]}"; do
	case $workload in
	'' | *[\"\']*) complain "-l $workload: expected a workload without quotation marks" ;;
	esac
	words="$words run=\"$workload\""
done
if [ -n "$write" ]; then
	[ "$(grep -sc '^<!-- eras.sh: \(begin\|end\) -->$' $essay)" = 2 ] || complain "$essay has no two marks <!-- eras.sh: begin --> and end"
fi

tools/setup.sh lockstep
make -s -j"$jobs" O="$build" "$build/fairmetal-lockstep.elf" "$build/fairlog" >&2
mkdir -p "$build/eras"

log_of() { echo "$build/eras/${1//\//_}.log"; } # distances follow a slash

# What a topology, preset, workload or word may be is the kernel's to say: it runs nothing before it has understood everything.
boot() { # TOPOLOGY
	local log
	log=$(log_of "$1")
	rm -f "$log"
	SECONDS=0
	if tools/qemu.sh -q -t $limit -c 1 -a tcg,thread=single -x '-icount shift=0,sleep=off -rtc clock=vm' -l "$log" \
		-k "$build/fairmetal-lockstep.elf" "topo=$1 runs=$runs warmup=1 $words"; then
		echo "$1: done in $SECONDS s" >&2
		return
	fi
	echo "eras.sh: topo=$1 failed, see $log" >&2
	grep -a '^Error' "$log" | tr -d '\r' >&2
	return 1
}

# The last ones first: the largest machine takes longest.
read -ra shapes <<<"$topologies"
logs=() pids=()
for ((i = ${#shapes[@]} - 1; i >= 0; i--)); do
	[ "$(jobs -rp | wc -l)" -lt "$jobs" ] || wait -n || break
	boot "${shapes[i]}" &
	pids+=($!)
	logs=("$(log_of "${shapes[i]}")" "${logs[@]}")
done
failed=
for pid in "${pids[@]}"; do
	wait "$pid" || failed=1
done
[ -z "$failed" ] || exit 1

table=$(mktemp)
trap 'rm -f "$table"' EXIT
"$build/fairlog" table "${logs[@]}" >"$table"
sed -i '1s/| log |/| topology |/; s/ preset=/ /' "$table"
if [ -n "$write" ]; then
	sed -i -e '/^<!-- eras.sh: begin -->$/,/^<!-- eras.sh: end -->$/{/^<!--/!d}' -e "/^<!-- eras.sh: begin -->\$/r $table" $essay
	echo "$essay has the table" >&2
else
	cat "$table"
fi
