#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Breaks the machine on purpose, in QEMU and in the sim, and looks at how that is reported: one line that says what it was, a fault record of
# that kind, what every CPU was doing, and the end. Prints TAP.
#
# Usage: tests/boot/watchdog.sh BUILD-DIRECTORY
# A limit of 2 s keeps this short; a machine that is merely slow is looked at with the same limit, and must run to its end.
set -u
cd "$(dirname "$0")/../.." || exit 2
build=$1
. tests/boot/common.sh

judge() { # NAME STATUS EXPECTED-STATUS [TEXT THAT THE LOG HOLDS]...
	local name=$1 miss='' text
	[ "$2" = "$3" ] || miss="exit status $2, not $3"
	shift 3
	for text in "$@"; do
		tr -d '\r' <"$log" | grep -aqF -- "$text" || miss="$miss; no \"$text\" in the log"
	done
	if [ -z "$miss" ]; then
		report ok "$name"
		return
	fi
	report "not ok" "$name"
	echo "# $miss"
	tail -n 12 "$log" | tr -d '\r' | cut -c1-160 | sed 's/^/#   /'
}

# Texts begin with the kind, which must be in the line for people and in the record.
metal() { # NAME IMAGE "QEMU.SH OPTIONS" "COMMAND LINE" KIND [TEXT]...
	local name=$1 image=$2 options=$3 line=$4 kind=$5
	shift 5
	: >"$log"
	# shellcheck disable=SC2086 # a list of words
	eval tools/qemu.sh -q -t 60 -l "$log" -k "$build/$image" $options "'watchdog_ms=2000 $line'" >/dev/null 2>&1
	judge "$name" $? 3 "Fault: $kind on CPU" "\"t\":\"fault\",\"kind\":\"$kind\"" "$@"
}
metal1() { metal "$1" fairmetal.elf "-c 1" "${@:2}" '"others":[]'; }
metal4() { metal "$1" fairmetal.elf "-c 4" "${@:2}" '"others":["CPU'; }

# ---- exceptions ----
metal4 "a stray pointer, and what the others did" "provoke=null" "page fault" "write of address 0x8" "write_to_nowhere+0x" "interrupts on: machine_idle+0x" "< sched_run_cpu+0x" "< sched_secondary+0x"
metal4 "a stack overflow" "provoke=overflow" "double fault" "overflowed into its guard page" "recurse+0x"
metal4 "a divide error" "provoke=divide" "divide error" "divide_by_zero+0x"
metal "a spoilt stack canary, seen by a debug build" debug/fairmetal.elf "-c 4" "provoke=canary" bug "machine_stack_end(prev->stack_top)" "schedule"

# ---- names: what is below the first function has none ----
if printf '%s\n' '0000000000200000 T first' '0000000000200040 R text_end' | awk -f tools/symbols.awk | grep -q '^.dd 0x0000000000200000, n0 '; then
	report ok "the table of names begins with the first function"
else
	report "not ok" "the table of names begins with the first function"
fi

# ---- a fault in the report: a word on both, and the end ----
: >"$log"
tools/qemu.sh -q -t 60 -l "$log" -k "$build/fairmetal.elf" provoke=report >/dev/null 2>&1
judge "a fault in the report of a fault" $? 3 "Fault in the report of a fault: page fault" "write of address 0x8" "that was: bug" "PROVOKE_REPORT"

# ---- machine checks, by QEMU's monitor: uncorrected, processor context good, with an address ----
machine_check() { # OPTIONS OF mce
	local pipe
	: >"$log"
	pipe=$(mktemp -u)
	mkfifo "$pipe.in" "$pipe.out"
	cat "$pipe.out" >/dev/null &
	(while ! grep -aq '^Run 1' "$log"; do sleep 0.2; done; echo "mce $1 2 3 0xb400000000000005 5 0x1234000 0" >"$pipe.in") &
	tools/qemu.sh -q -t 60 -c 4 -l "$log" -k "$build/fairmetal.elf" -x "-monitor pipe:$pipe" 'run="spin -P -t 4 -n 10000000000"' >/dev/null 2>&1
	status=$?
	rm -f "$pipe.in" "$pipe.out"
}
machine_check ""
judge "a machine check" $status 3 "Fault: machine check on CPU 2" '"kind":"machine check"' "hardware error: bank 3 status 0xb400000000000005 address 0x1234000, and 0 more"
# All CPUs get one, as on real machines, the others with nothing but bank 1: whoever reports tells of its own.
machine_check -b
of_its_own="bank 1 status 0xa000000000000000"
grep -aq "^Fault: machine check on CPU 2" "$log" && of_its_own="bank 3 status 0xb400000000000005 address 0x1234000"
judge "machine checks on all CPUs at once" $status 3 '"kind":"machine check"' "hardware error: $of_its_own, and 0 more"

# ---- CPUs that stand still ----
metal4 "a soft lockup" "provoke=soft" "soft lockup" "in task main" "passed no scheduling point for 2.0 s" "turn_for_ever+0x" "loop_unpreemptible+0x"
metal1 "a soft lockup on the only CPU" "provoke=soft" "soft lockup" "turn_for_ever+0x"
metal4 "a hard lockup" "provoke=hard" "hard lockup" "on CPU 3" "kept interrupts off for 2.0 s" "loop_with_irqs_off+0x"
metal4 "every CPU with interrupts off: only the NMI of the real-time clock sees it" "provoke=stall nmi_clock=1" "stall" \
	"no CPU has taken an interrupt for 2.0 s" "CPU 3 (main), interrupts off: turn_for_ever+0x"
metal1 "the only CPU with interrupts off" "provoke=hard nmi_clock=1" "stall" "loop_with_irqs_off+0x"
metal4 "all asleep for good, ticks going on" "provoke=sleep" "stall" "no timer will wake one, for 2.0 s"
metal4 "all asleep for good, and no ticks" "provoke=sleep nohz=on nmi_clock=1" "stall" "no timer will wake one, for 2.0 s"

# ---- interrupts that do not come ----
metal4 "a timer that falls silent" "provoke=timer" "lost timer" "on CPU 3" "with interrupts on"
metal4 "a kick that is not sent" "provoke=kick nohz=on" "lost kick" "on CPU 3 in task idle/3" "asked to switch and has not for 2.0 s" "CPU 0 (main), interrupts on: turn_for_ever"

# ---- locks ----
metal4 "two locks taken crosswise" "provoke=deadlock" "deadlock" "has waited 2.0 s for a lock that CPU" "wait_for_lock+0x" "interrupts off: wait_for_lock"
metal "two CPUs, and both wait" fairmetal.elf "-c 2" "provoke=deadlock" "deadlock" "has waited 2.0 s for a lock that CPU"
metal "two locks taken crosswise, seen at once by a debug build" debug/fairmetal.elf "-c 4" "provoke=deadlock" "bug" "base/spinlock.c"

# ---- no fault: more CPUs than the host has, a limit of 2 s, ticks that stop, and NMIs all the while; the limit off ----
: >"$log"
tools/qemu.sh -q -t 120 -c 16 -l "$log" -k "$build/fairmetal.elf" \
	'watchdog_ms=2000 nmi_clock=1 run="hackbench -g 4 -l 20" run="massive_intr 8 3" vary=nohz:off,on' >/dev/null 2>&1
judge "16 busy CPUs are none" $? 0 '"status":"ok","runs":4,"failed":0'
: >"$log"
tools/qemu.sh -q -t 120 -c 4 -l "$log" -k "$build/fairmetal.elf" 'watchdog_ms=1000 nohz=on run="cyclictest -t 1 -i 900000 -l 4"' >/dev/null 2>&1
judge "CPUs that sleep are none" $? 0 '"status":"ok","runs":1,"failed":0'

# ---- the sim: a crash of the host process is a fault of the machine ----
sim() { # NAME PROVOKE KIND [TEXT]...
	local name=$1 line=$2 kind=$3
	shift 3
	timeout 60 "$build/fairmetal-sim" topo=4c "provoke=$line" >"$log" 2>&1
	judge "sim: $name" $? 3 "Fault: $kind on CPU" "\"t\":\"fault\",\"kind\":\"$kind\"" '"others":["CPU' "$@"
}
sim "a stray pointer" null "page fault" "write of address 0x8, which is not mapped" "task_start+0x"
sim "a write to code" code "page fault" "which is protected"
sim "a divide error" divide "divide error"
sim "a stack overflow" overflow "page fault" "the stack has overflowed into its guard page"
sim "two locks taken crosswise" deadlock deadlock "wait for each other's locks"
timeout 60 "$build/fairmetal-sim" topo=4c provoke=report >"$log" 2>&1
judge "sim: a fault in the report of a fault" $? 3 "Fault in the report of a fault: page fault" "that was: bug"
timeout 60 "$build/fairmetal-sim" topo=4c run="hackbench -g 1 -l 5" >/dev/full 2>"$log"
judge "sim: a log that cannot be written" $? 4 "the log is not whole"
sim "a task that never comes back" soft stuck "has not come to an engine point"
timeout 60 "$build/fairmetal-sim-asan" topo=4c provoke=null >"$log" 2>&1
judge "sim: the sanitizer keeps its report" $? 1 "AddressSanitizer: SEGV" "write_to_nowhere"
timeout 60 "$build/fairmetal-sim-asan" topo=4c provoke=canary >"$log" 2>&1
judge "sim: a spoilt stack canary" $? 3 "machine_stack_end(prev->stack_top)"

echo "1..$n"
[ $failed = 0 ]
