#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Boots metal in QEMU and has it pretend another topology (topo=). Prints TAP.
#
# Usage: tests/boot/masquerade.sh BUILD-DIRECTORY
# Expected: the scheduler builds the domains that it builds in lockstep on virtual CPUs of that shape, line by line; the log names both
# topologies; a move over a pretended distance takes longer by cold=, of virtual time, within 5 %. A miss prints the command and the end of its log.
set -u
cd "$(dirname "$0")/../.." || exit 2
build=$1
. tests/boot/common.sh

# As boots(), of a kernel that comes as far as its log.
pretends() { boots "$@" '@0 {"t":"boot"'; }
domains() { tr -d '\r' <"$log" | grep -a '^Sched domains'; }

metal="-k $build/fairmetal.elf"
lockstep="-k $build/fairmetal-lockstep.elf -c 1"
run='run="hackbench -g 1 -f 4 -l 5"'
ok='"t":"end","status":"ok","runs":1,"failed":0'

# ---- the scheduler believes it ----
for topo in 2n:4c e5620; do
	pretends "8 cores told to be $topo" 0 "$metal -c 8" "topo=$topo $run" "on CPUs that are really 1n:8c" '"pretended_on":"1n:8c"' "8 CPUs online" "$ok"
	domains >"$work/metal"
	cp "$log" "$work/$topo.log"
	pretends "$topo in lockstep" 0 "$lockstep" "topo=$topo $run" '"pretended_on":""' "$ok"
	domains >"$work/lockstep"
	verdict "$topo: there are domains" test -s "$work/lockstep"
	verdict "$topo: the same domains on both machines" cmp "$work/metal" "$work/lockstep"
done
"$build/fairlog" summary "$work/2n:4c.log" >"$work/out"
verdict "the summary names both topologies" grep -qxF "topology  2n:4c (pretended on 1n:8c)" "$work/out"
"$build/fairlog" compare "$work/2n:4c.log" "$work/e5620.log" >"$work/out"
verdict "a comparison says that they differ" grep -qF "The logs are of two topologies" "$work/out"
"$build/fairlog" pool "$work/2n:4c.log" >"$work/out"
verdict "a table names both" grep -qF "| metal 2n:4c (pretended on 1n:8c), " "$work/out"
pretends "nosmt: threads are cores" 0 "$metal -c 4,sockets=1,cores=2,threads=2 -x '-cpu Nehalem'" "topo=nosmt $run" \
	"pretended: 1n:4c, on CPUs that are really 1n:2c:2t" "$ok"
verdict "nosmt: no domain of siblings" test "$(domains | grep -c SIBLING)" = 0
numa="-object memory-backend-ram,id=a,size=128M -object memory-backend-ram,id=b,size=128M -numa node,memdev=a,cpus=0-1 -numa node,memdev=b,cpus=2-3"
pretends "flat: two nodes are one" 0 "$metal -c 4,sockets=2,cores=2 -x '$numa'" "topo=flat $run" "pretended: 1n:4c, on CPUs that are really 2n:2c" "$ok"
verdict "flat: no domain of nodes" test "$(domains | grep -c NUMA)" = 0
pretends "real is not pretended" 0 "$metal -c 2" "topo=real $run" '"shape":"1n:2c","pretended_on":""' "$ok"

# ---- more CPUs than the shape, and fewer ----
pretends "surplus CPUs are left out" 0 "$metal -c 8" "topo=2l:2c $run" "4 CPUs online" "on CPUs that are really 1n:4c; 4 more CPUs are left out" \
	'"cpus":4' '"cpus_left_out":4' "$ok"
pretends "four cores are four cores, if there are as many" 0 "$metal -c 8,sockets=1,cores=4,threads=2 -x '-cpu Nehalem'" "topo=4c $run" \
	"on CPUs that are really 1n:4c; 4 more CPUs are left out" "$ok"
pretends "a shape of more CPUs than there are" 2 "$metal -c 4" "topo=2n:4c $run" "Error: topo=2n:4c: a shape of 8 CPUs, and this machine has 4" \
	'"status":"refused","runs":0'
pretends "no shape" 2 "$metal -c 4" "topo=4q $run" "topo: no level n, p, l, c or t at" "or real, nosmt or flat" '"status":"refused","runs":0'
pretends "no costs" 2 "$metal -c 4" "topo=4c cold=1,2 $run" "cold=1,2: expected ns" '"status":"refused","runs":0'

# ---- 1,000 moves between the pretended nodes: one instruction a nanosecond, so that cold= is all that is between two boots ----
moving='run="hackbench -g 2 -l 10"'
moves() { # SETTINGS "QEMU.SH OPTIONS": sets took and ran, in ns
	pretends "moves: ${2##*/} $1" 0 "$2 -x '-icount shift=0,sleep=off -rtc clock=vm'" "$1 provoke=moves $moving" "1000 moves between CPU 0 and CPU 7" "$ok"
	read -r took ran < <(tr -d '\r' <"$log" | sed -n 's/^1000 moves .* took \([0-9]*\) ns, .* for \([0-9]*\) ns$/\1 \2/p')
}
is_near() { # NS WANTED
	echo "# $1 ns, to be $2 within 5 %"
	[ $((100 * $1)) -ge $((95 * $2)) ] && [ $((100 * $1)) -le $((105 * $2)) ]
}
for machine in "$metal -c 8" "$lockstep"; do
	moves "topo=2n:4c cold=0" "$machine"
	took_0=$took ran_0=$ran
	moves "topo=2n:4c cold=0,0,0,20000" "$machine"
	verdict "1,000 moves take 1,000 times 20 us longer" is_near $((took - took_0)) 20000000
	verdict "their task runs so much longer" is_near $((ran - ran_0)) 20000000
	cold=$(grep -aoE '"cold_ns":[0-9]+' "$log" | cut -d: -f2)
	verdict "the run's record has 20 us for each such move" [ "$cold" -gt 0 -a $((cold % 20000)) = 0 ]
done
moves "topo=2n:4c cold=0" "$metal -c 8"
took_0=$took
moves "cold=0,0,0,20000" "$metal -c 8"
verdict "nothing pretended, nothing waited for" [ $((took - took_0)) -le 1000000 ]
verdict "and nothing of it in the record" grep -aq '"cold_ns":0,' "$log"

echo "1..$n"
[ $failed = 0 ]
