#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Boots the kernel and the image in QEMU on machines of many shapes and looks at what the log says. Prints TAP.
#
# Usage: tests/boot/boot.sh BUILD-DIRECTORY
# Expected: the exit code of tools/qemu.sh (0 ok, 1 failed, 2 refused, 3 fault), a whole log by fairlog, and the given texts in it. Nothing
# depends on how fast the machine is. A miss prints the command and the end of its log.
set -u
cd "$(dirname "$0")/../.." || exit 2
build=$1
. tests/boot/common.sh

kernel="-k $build/fairmetal.elf"
run='run="hackbench -g 1 -f 4 -l 5"'
ok='"t":"end","status":"ok","runs":1,"failed":0'

# ---- CPU counts: each CPU has run a task, or the kernel stops ----
for cpus in 1 2 3 4 8 16 64; do
	boots "$cpus CPUs" 0 "$kernel -c $cpus" "$run" "$cpus CPU" "online; each has run a task" "$ok"
done
boots "CPUs that are not plugged in are left alone" 0 "$kernel -c 2,maxcpus=6,sockets=2,cores=3" "$run" "2 CPUs online" "$ok"
boots "64 MiB" 0 "$kernel -m 64M" "$run" "$ok"
boots "5 GiB, some above 4 GiB" 0 "$kernel -m 5G -x '-machine q35'" "$run" "5119 MiB" "$ok"

# ---- ways in ----
printf '%s\n' 'serial --unit=0 --speed=115200' 'terminal_output serial console' 'set timeout=0' \
	"menuentry test { multiboot2 /boot/fairmetal.elf $run }" >"$build/boot-test.cfg"
if tools/mkiso.sh "$build/boot-test.iso" "$build/fairmetal.elf" "$build/boot-test.cfg"; then
	iso="-i $build/boot-test.iso"
	boots "BIOS, CD" 0 "$iso" "" "loaded by GRUB" "firmware bios" "$ok"
	boots "BIOS, USB stick" 0 "$iso -d" "" "loaded by GRUB" "firmware bios" "$ok"
	boots "UEFI, CD" 0 "$iso -u" "" "loaded by GRUB" "firmware uefi" "$ok"
	boots "UEFI, USB stick, q35" 0 "$iso -u -d -x '-machine q35'" "" "loaded by GRUB" "firmware uefi" "$ok"
	boots "UEFI, 16 CPUs" 0 "$iso -u -c 16" "" "16 CPUs online" "$ok"
	boots "the shipped image waits in its menu, then runs" 0 "-i $build/fairmetal.iso -c 2" "" "Newidle balancing on and off" '"status":"ok","runs":20,"failed":0'
else
	report "not ok" "making an image"
fi

# ---- a CPU that the firmware lists and that does not come: GRUB swaps the MADT for one with CPUs 0, 1 and a phantom, APIC id 77 ----
header=415049434400000001004641495254534641495254455354010000004641495201000000
entries=0008000001000000000801010100000000084d4d01000000
printf '%b' "$(echo "${header}0000e0fe01000000$entries" | sed 's/../\\x&/g')" >"$build/madt.bin"
printf '%s\n' 'serial --unit=0 --speed=115200' 'terminal_output serial console' 'set timeout=0' \
	"menuentry test { acpi --exclude=APIC /boot/madt.bin; multiboot2 /boot/fairmetal.elf $run }" >"$build/boot-test.cfg"
if tools/mkiso.sh "$build/boot-test.iso" "$build/fairmetal.elf" "$build/boot-test.cfg" "$build/madt.bin"; then
	boots "a CPU that does not come" 1 "-i $build/boot-test.iso -c 2" "" "CPU 2 (APIC id 77) does not answer" '"status":"failed","runs":0'
else
	report "not ok" "making an image"
fi

# ---- counters: QEMU has none. An Intel model says so, an AMD one takes what is written and forgets it ----
none='"counters":{"cycles":"not supported","instructions":"not supported","branches":"not supported"'
boots "no counters by CPUID" 0 "$kernel -c 2 -x '-cpu Nehalem'" "$run" "Counters: none by CPUID" "$none" "$ok"
"$build/fairlog" perf "$log" >"$work/out"
verdict "no counters: perf's lines say so" grep -qxF '   <not supported> cycles                  ' "$work/out"
boots "counters that forget" 0 "$kernel -c 2 -x '-cpu EPYC'" "$run" "Counters: none that counts what it should" "$none" "$ok"
boots "counters=off" 0 "$kernel" "$run counters=off" '"counters_enabled_ns":0' "$ok"
boots "an event of no name" 2 "$kernel" "$run events=cycles,loads" 'events= "loads": expected a list of cycles, instructions'

# ---- topology: from leaf 0xB, leaf 4, 0x8000001E and 0x1F; SRAT and SLIT ----
boots "leaf 0xB: 2 packages of 2 cores of 2 threads" 0 "$kernel -c 8,sockets=2,cores=2,threads=2 -x '-cpu Nehalem'" "$run" \
	"8 CPUs: 1 node, 2 packages, 2 last-level caches, 4 cores" "SIBLING 2 (2 groups of 1" "$ok"
boots "leaf 4: Core 2 without leaf 0xB" 0 "$kernel -c 4,sockets=2,cores=2 -x '-cpu core2duo'" "$run" "4 CPUs: 1 node, 2 packages" "4 cores" "$ok"
boots "AMD" 0 "$kernel -c 4,sockets=1,cores=2,threads=2 -x '-cpu EPYC'" "$run" "4 CPUs: 1 node, 1 package" "2 cores" "$ok"
boots "leaf 0x1F: dies" 0 "$kernel -c 8,sockets=2,dies=2,cores=2 -x '-machine q35 -cpu Skylake-Server'" "$run" "8 CPUs: 1 node, 2 packages" "8 cores" "$ok"
boots "APIC ids with gaps" 0 "$kernel -c 10,sockets=2,cores=5" "$run" "10 CPUs: 1 node, 2 packages" "10 cores" "$ok"
numa="-object memory-backend-ram,id=a,size=128M -object memory-backend-ram,id=b,size=128M"
boots "2 nodes with distances: a NUMA domain with fork balancing" 0 \
	"$kernel -c 4,sockets=2,cores=2 -x '$numa -numa node,memdev=a,cpus=0-1 -numa node,memdev=b,cpus=2-3 -numa dist,src=0,dst=1,val=21'" "$run" \
	"4 CPUs: 2 nodes" "NUMA 4 (2 groups of 2, flags 0x242f)" "$ok"
boots "2 nodes far apart: a NUMA domain without it" 0 \
	"$kernel -c 4,sockets=2,cores=2 -x '$numa -numa node,memdev=a,cpus=0-1 -numa node,memdev=b,cpus=2-3 -numa dist,src=0,dst=1,val=31'" "$run" \
	"4 CPUs: 2 nodes" "NUMA 4 (2 groups of 2, flags 0x2403)" "$ok"

# ---- clocks ----
boots "no HPET: PM timer" 0 "$kernel -x '-machine pc,hpet=off'" "$run" "Hz by pm" "$ok"
boots "neither HPET nor ACPI: PIT, one CPU" 0 "$kernel -x '-machine pc,acpi=off,hpet=off'" "$run" "Hz by pit" "1 CPU online" "$ok"
boots "the HPET as clock" 0 "$kernel" "$run clock=hpet" "Clock hpet at 100000000 Hz" "$ok"
boots "the PM timer as clock" 0 "$kernel" "$run clock=pm" "Clock pm at 3579545 Hz" "$ok"
boots "a TSC that lags on one CPU: another clock" 0 "$kernel" "$run tsc_lag=1000000000" "contradict each other by up to" "Clock hpet" "$ok"
boots "HZ=100" 0 "$kernel" "$run HZ=100" '"HZ":"100"' "$ok"
boots "one thread for all CPUs, counting instructions" 0 "$kernel -x '-icount shift=0,sleep=off'" "$run" "$ok"
boots "no reference clock at all, the rate told" 0 "$kernel -c 1 -x '-machine microvm -icount shift=0,sleep=off'" "$run tsc_hz=1000000000" \
	"Hz by command line" "$ok"

# ---- cost: with one instruction a nanosecond, elapsed_ns counts instructions; 80,000 messages at 1,000 and 700 each, everything included ----
costs() { # NAME MOST-NS COMMAND LINE
	local elapsed
	boots "$1: runs" 0 "$kernel -c 1 -x '-icount shift=0,sleep=off'" "$3" "$ok"
	elapsed=$(grep -aoE '"elapsed_ns":[0-9]+' "$log" | cut -d: -f2)
	echo "# $1: $((elapsed / 80000)) instructions a message"
	verdict "$1: at most $(($2 / 80000)) instructions a message" [ "${elapsed:-999999999999}" -le "$2" ]
}
costs "80,000 messages over sockets" 80000000 'run="hackbench -g 2 -l 100"'
costs "80,000 messages over pipes" 56000000 'run="hackbench -g 2 -l 100 -p"'

# ---- x2APIC: asked for, and already turned on by a firmware that found more CPUs than xAPIC can name ----
major=$("${QEMU:-qemu-system-x86_64}" --version | sed -n '1s/.*version \([0-9]*\).*/\1/p')
if [ "$major" -ge 9 ]; then
	boots "x2APIC" 0 "$kernel -x '-cpu max'" "$run x2apic=1" '"apic":"x2apic"' "$ok"
	boots "x2APIC on from the start, 288 CPUs of which 256 are used" 0 "$kernel -c 288 -m 1G -x '-machine q35 -cpu max'" "" '"apic":"x2apic"' \
		"256 CPUs online" '"status":"ok"'
else
	report ok "x2APIC # SKIP QEMU $major emulates none, 9 and newer do"
fi
boots "x2APIC asked for where there is none" 0 "$kernel" "$run x2apic=1" '"apic":"xapic"' "$ok"

# ---- lockstep: the same run twice is the same log; instructions as on metal within 5 %; honest where nothing counts them ----
lockstep="-k $build/fairmetal-lockstep.elf"
icount="-c 1 -x '-icount shift=0,sleep=off -rtc clock=vm'"
mixed='run="hackbench -g 2 -l 10" run="massive_intr --run-ms 50 12 1" nohz=on runs=2 vary=preset:v2.6.32,v3.8'
for cpus in 2 8 64; do
	boots "lockstep, $cpus CPUs" 0 "$lockstep $icount" "topo=${cpus}c $mixed" '"machine":"lockstep"' '"exact":1' '"runs":8,"failed":0'
	cp "$log" "$build/first.log"
	boots "lockstep, $cpus CPUs again" 0 "$lockstep $icount" "topo=${cpus}c $mixed" '"runs":8,"failed":0'
	verdict "lockstep, $cpus CPUs: the same log" cmp "$build/first.log" "$log"
done
instructions() { # IMAGE COMMAND LINE
	boots "instructions: $2" 0 "$1 $icount" "$2" "$ok" >&2
	grep -aoE '"elapsed_ns":[0-9]+' "$log" | cut -d: -f2
}
# Thirty loops do not fill a pipe: once writers sleep for room, the place of a tick decides how many messages share a page, and so how
# often everybody sleeps.
for how in "-l 100" "-l 30 -p"; do
	metal=$(instructions "$kernel" "run=\"hackbench -g 2 $how\"")
	virtual=$(instructions "$lockstep" "topo=1c run=\"hackbench -g 2 $how\"")
	echo "# hackbench $how: $metal instructions on metal, $virtual in lockstep"
	verdict "lockstep costs what metal costs: hackbench $how" [ $((100 * virtual)) -le $((105 * metal)) -a $((105 * virtual)) -ge $((100 * metal)) ]
done
trip=$(instructions "$kernel" 'run="pipe -l 20000"')
echo "# a wakeup and a switch, with the pipe that causes them: $((trip / 40000)) instructions"
verdict "a wakeup and a switch: at most 1,200 instructions with the pipe" [ "$trip" -le $((1200 * 40000)) ]
for cpus in 1 16; do
	boots "spin on $cpus CPUs" 0 "$lockstep $icount" "topo=${cpus}c run=\"spin -P -t 16 -n 1000000\"" "$ok"
	eval "spin_$cpus=$(grep -aoE '"elapsed_ns":[0-9]+' "$log" | cut -d: -f2)"
done
# shellcheck disable=SC2154 # set by eval
verdict "16 CPUs are 16 times as fast, within 2 %" [ $((spin_16 * 16 * 98)) -le $((spin_1 * 100)) -a $((spin_1 * 98)) -le $((spin_16 * 16 * 100)) ]
boots "lockstep where nothing counts instructions" 0 "$lockstep -c 1" "topo=4c $run" "runs are not reproducible" '"exact":0' "$ok"
boots "lockstep with a bad shape" 2 "$lockstep -c 1" "topo=4q $run" "topo: no level n, p, l, c or t at"

# ---- cost of a pick: it grows with the depth of the tree of waiting tasks. Thirty times as many are 4.9 doublings, each of which adds at
# most two levels to a red-black tree; a level is up to 9 instructions of descent (docs/cost.md), and as many for repairs are generous: 177.
# One instruction for each waiting task would be 2,900 ----
tools/cost-curve.sh -o "$build" -t 20000 100 3000 | tee "$work/out" | sed 's/^/# /'
for column in "4 yield" "6 wakeup"; do
	few=$(awk -F'|' -v c="${column% *}" '$2 == 100 { print int($c) }' "$work/out")
	many=$(awk -F'|' -v c="${column% *}" '$2 == 3000 { print int($c) }' "$work/out")
	verdict "a ${column#* } among 3,000 tasks costs at most 177 instructions more than among 100" [ $((${many:-9999} - ${few:-0})) -le 177 ]
done

# ---- cost of a walk about to go idle that finds nothing: 64 CPUs in 4 nodes against 8 ----
ns_a_walk() { # TOPOLOGY
	boots "walks about to go idle, $1" 0 "$lockstep $icount" "topo=$1 newidle=always run=\"massive_intr 4 1\"" "$ok" >&2
	grep -aoE '"newidle_passes":[0-9]+,"newidle_ns":[0-9]+' "$log" | tr ':,' '  ' | awk '{ printf "%d", $4 / $2 }'
}
few=$(ns_a_walk 8c)
many=$(ns_a_walk 4n:16c)
echo "# $few instructions on 8 CPUs, $many on 64"
verdict "a walk about to go idle costs at most 4 times as much on 64 CPUs as on 8" [ "${many:-9999}" -le $((4 * ${few:-0})) ]

# ---- no serial port: the exit code must do ----
: >"$log"
timeout 60 "${QEMU:-qemu-system-x86_64}" -accel tcg -smp 2 -m 64M -nodefaults -display none -no-reboot -device isa-debug-exit,iobase=0xf4,iosize=4 \
	-kernel "$build/fairmetal.elf" -append "$run" </dev/null >/dev/null 2>&1
verdict "no serial port" [ $? = 33 ]

# ---- ends: without the debug exit QEMU leaves with 0 on power-off and, under -no-reboot, on reset ----
for how in poweroff reset; do
	: >"$log"
	timeout 60 "${QEMU:-qemu-system-x86_64}" -accel tcg -smp 2 -m 64M -nodefaults -display none -no-reboot -cpu qemu64,-hypervisor \
		-serial "file:$log" -kernel "$build/fairmetal.elf" -append "$run then=$how" </dev/null >/dev/null 2>&1
	verdict "then=$how: QEMU's exit" [ $? = 0 ]
	verdict "then=$how: the log" grep -qF "$ok" "$log"
done

# ---- refusals: nothing runs, one line says why ----
boots "unknown switch" 2 "$kernel" "$run NEXT_BUDY" 'no parameter or switch is called "NEXT_BUDY"; near: NEXT_BUDDY' '"status":"refused","runs":0'
boots "value out of range" 2 "$kernel" "$run sched_latency_ns=5" "sched_latency_ns=5: expected a number from 100000 to 1000000000 ns"
boots "value of no choice" 2 "$kernel" "$run newidle=maybe" "newidle=maybe: expected one of never|off|throttle|always|cost"
boots "unknown workload" 2 "$kernel" 'run=hackbanch' 'no workload is called "hackbanch": there are aim7, chat, context_switch1, '
boots "bad workload option" 2 "$kernel" 'run="hackbench -g 0"' 'groups takes a number from 1 to 1000, not "0"'
boots "bad variation" 2 "$kernel" "$run vary=newidle:off,maybe" "vary=newidle: newidle=maybe: expected one of"
boots "help" 0 "$kernel" "help=1" "massive_intr     tasks that work a little" "sched_latency_ns" "buddy_pick"

# ---- faults: reported with a backtrace and a record ----
boots "a stray pointer" 3 "$kernel" "provoke=null" "write of address 0x8, which is not mapped" "write_to_nowhere+0x" '"t":"fault","kind":"page fault"'
boots "a write to code" 3 "$kernel" "provoke=code" "which is protected" "write_to_code+0x"
boots "a division by zero" 3 "$kernel" "provoke=divide" "divide error" "divide_by_zero+0x"
boots "a stack overflow" 3 "$kernel" "provoke=overflow" "the stack has overflowed into its guard page" "recurse+0x" '"kind":"double fault"'
boots "a broken rule" 3 "$kernel" "provoke=bug" "not (param.provoke == PROVOKE_BUG) at lab/provoke.c" '"kind":"bug"'
# QEMU refuses what is asked here by #GP (a reserved bit) and by #UD (RDPMC): 2 requests with interrupts on and off on each of 4 CPUs.
boots "registers that are refused" 0 "$kernel" "provoke=refusal $run" "16 of 16 impossible requests were refused" "$ok"
boots "the same in lockstep" 0 "$lockstep $icount" "topo=4c provoke=refusal $run" "16 of 16 impossible requests were refused" "$ok"

# ---- holding still: refused item by item, and the run is ok ----
wishes="turbo=off pstate=base cstate=any prefetch=off smt=off"
boots "nothing can be held: AMD" 0 "$kernel" "$run $wishes" "turbo=off: not supported: CPUID says of no core performance boost" \
	"pstate=base: not supported: not known how" "cstate=any: not supported: there is no MWAIT" "prefetch=off: not supported: not known how" \
	"smt=off: not supported: no core has a second thread" '"item":"turbo","asked":"off","before":"","during":"","after":"","state":"not supported' "$ok"
boots "nothing but threads can be held: Nehalem" 0 "$kernel -c 4,sockets=1,cores=2,threads=2 -x '-cpu Nehalem'" "$run $wishes" \
	"turbo=off: not supported: CPUID says of no turbo" "pstate=base: not supported: CPUID says of no SpeedStep" \
	"prefetch=off: not supported: the register does not keep what is written" "smt=off: held (4 CPUs, in runs 2 CPUs, then 4 CPUs)" "$ok"
boots "MWAIT without states" 0 "$kernel -x '-cpu max'" "$run cstate=any" "cstate=any: not supported: MWAIT knows no states" "$ok"
boots "a register that keeps what is written: put back" 0 "$kernel -x '-cpu core2duo'" "$run prefetch=off runs=2" \
	"prefetch=off: held (0x40001, in runs 0xa0000c0201, then 0x40001)" '"runs":2,"failed":0'
boots "idle CPUs that never sleep" 0 "$kernel" "$run cstate=poll" "cstate=poll: held (hlt, in runs poll, then hlt)" "$ok"
boots "nothing can be held in lockstep" 0 "$lockstep $icount" "topo=2c:2t $run $wishes" "turbo=off: not supported: the CPUs are virtual" \
	"prefetch=off: not supported: the CPUs are virtual" "smt=off: held (4 CPUs, in runs 2 CPUs, then 4 CPUs)" '"clean":1,"dirty":""' "$ok"
# With an instruction a nanosecond the only gap is the one that is made: 25 ms, in which a tick of 1 ms is late.
boots "a clean run" 0 "$kernel -c 1 -x '-icount shift=0,sleep=off'" "$run" "Certificate: clean; not supported: the frequency, SMIs, heat" '"clean":1' "$ok"
boots "a gap" 0 "$kernel -c 1 -x '-icount shift=0,sleep=off'" "$run provoke=gap" "Certificate: not clean: 1 gap, the longest 24." '"clean":0,"dirty":"1 gap' \
	'"known":["gaps"],"frequency_ppm":[],"smis":[],"heat":[],"gaps":[1],"longest_gap_ns":[24' "$ok"

# ---- endurance: no message lost, nothing hangs ----
boots "100 runs on 4 CPUs" 0 "$kernel" 'run="hackbench -g 4 -l 20" runs=100' '"status":"ok","runs":100,"failed":0'
boots "20 runs on 16 CPUs" 0 "$kernel -c 16" 'run="hackbench -g 4 -l 20" runs=20' '"status":"ok","runs":20,"failed":0'
boots "400 tasks in 64 MiB" 0 "$kernel -m 64M" 'run="hackbench -g 10 -l 100"' "== 400 tasks" "$ok"
boots "pipes, threads and every newidle rule" 0 "$kernel" \
	'run="hackbench -g 2 -l 20 -p" run="hackbench -g 2 -l 20 -T" vary=newidle:off,throttle,always,cost vary=preempt:none,full' '"runs":16,"failed":0'
debug="-k $build/debug/fairmetal.elf"
boots "checking every lock: 4 CPUs" 0 "$debug" 'run="hackbench -g 4 -l 20" run="massive_intr --run-ms 200 8 1" vary=preempt:none,full runs=5' \
	'"runs":20,"failed":0'
boots "checking every lock: 2 nodes, 16 CPUs, threads" 0 \
	"$debug -c 16,sockets=2,cores=4,threads=2 -x '-cpu Nehalem $numa -numa node,memdev=a,cpus=0-7 -numa node,memdev=b,cpus=8-15'" \
	'run="hackbench -g 4 -l 10" vary=newidle:off,throttle,always,cost runs=2' '"runs":8,"failed":0'


# ---- every era's rules with real races, checking every lock; 4 CPUs ----
presets=v2.6.32-rc1,v2.6.32-rc1+p2,v2.6.32-rc1+buddies,v2.6.32,v2.6.32.2,v3.8,v3.8-nonewidle,v3.8+power,v3.13
short='run="hackbench -g 2 -l 10" run="massive_intr --run-ms 100 6 1"'
boots "each preset" 0 "$debug" "$short vary=preset:$presets" '"runs":18,"failed":0'
boots "each preset: 2 nodes, 8 CPUs, threads" 0 \
	"$debug -c 8,sockets=2,cores=2,threads=2 -x '-cpu Nehalem $numa -numa node,memdev=a,cpus=0-3 -numa node,memdev=b,cpus=4-7'" \
	"run=\"hackbench -g 2 -l 10\" vary=preset:$presets" '"runs":9,"failed":0'
boots "idle CPUs without ticks, both eras' balancers; slices by timer, kernel code preempted" 0 "$debug" \
	"$short nohz=on vary=nohz_balancer:owner,kick vary=HRTICK:off,on vary=preempt:none,full" '"runs":16,"failed":0'
spinners='run="spin -t 10 -n 5000000 -f 10 -R 4" run="spin -t 10 -n 5000000 -r 10 -R 6" run="spin -t 10 -n 5000000 -f 10"'
boots "real-time spinners among others, throttled" 0 "$debug" \
	"$spinners sched_rt_period_us=50000 sched_rt_runtime_us=40000 vary=preset:v2.6.32,v3.8" '"sched_rt_runtime_us":40000' '"runs":6,"failed":0'
boots "power policies" 0 "$debug" "$short preset=v3.8+power vary=policy:balance,powersaving" '"runs":4,"failed":0'
every='run="hackbench -g 1 -l 5 -i" run="hackbench -g 1 -l 5 -p --pipe-rules 5.4" run="massive_intr -m 50 5 1" run="tbench -n 100 3"'
every="$every "'run="vmark -r 1 -c 3" run="chat -r 1 -c 3" run="aim7 -s 1 -d 1 4" run="kbuild -n 6 -s 1 --pipe" run="pipe -l 200"'
every="$every "'run="schbench --run-ms 50" run="schbench-classic -t 4 --run-ms 100" run="cyclictest -t 4 -l 20" run="sysbench -t 6 -e 10"'
every="$every "'run="context_switch1 -t 3 -s 2 --sample-ms 10" run="yield -l 500" run="spin -n 100000"'
boots "every workload" 0 "$debug" "$every" '"runs":16,"failed":0'
boots "every workload, kernel code preempted" 0 "$debug" "$every preempt=full" '"runs":16,"failed":0'
boots "runs that are accompanied and sampled" 0 "$debug" \
	'run="massive_intr -m 100 5 1" run="hackbench -g 1 -l 20" with="cyclictest -t 2 -p 50" with="hackbench -g 1 -f 4 -l 3" sample=20ms' \
	'"runs":2,"failed":0' '"t":"sample"' "cyclictest.repeats" "hackbench.repeats"
boots "two of four CPUs, counters at the end" 0 "$debug" "$short cpus=0-1 schedstat=end" "on CPUs 0-1" "version 15" "cpu3 " '"runs":2,"failed":0'

echo "1..$n"
[ $failed = 0 ]
