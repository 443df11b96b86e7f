#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The decision trace of runs in the sim, from the kernel to other programs:
#
#     tests/scenario/trace.sh build
#
# Prints TAP. What is expected is that the trace and the counters of the run record agree, which are made apart from each other, that
# tracing changes nothing, and that trace-cmd reads what fairlog writes. After a miss the output concerned follows as comments.
set -u

[ $# -eq 1 ] || { echo "usage: $0 BUILD, the folder with fairmetal-sim and fairlog" >&2; exit 2; }
sim=$(realpath "$1")/fairmetal-sim
fairlog=$(realpath "$1")/fairlog
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
number=0
failures=0
export LC_ALL=C # bytes are bytes

result() { # OK NAME: OK is 0 for a pass
	number=$((number + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $number - $2"
	else
		failures=$((failures + 1))
		echo "not ok $number - $2"
		cut -c1-400 output | tail -20 | sed 's/^/# /'
	fi
}

field() { # NAME LOG: that number of the first run in the log
	sed -n '/"t":"run"/{s/.*"'"$1"'":\([0-9]*\).*/\1/p;q;}' "$2"
}

runs() { # LOG: its run records without number and checksum
	grep '"t":"run"' "$1" | sed 's/^@[0-9]* //; s/ \*[0-9a-f]*$//'
}

same() { # NAME ARGUMENTS...: the runs are the same to the last counter, traced or not
	name=$1
	shift
	"$sim" "$@" >off 2>&1
	"$sim" "$@" trace=on trace_events=1000 >on 2>&1
	runs off >off.runs
	runs on >on.runs
	cmp off.runs on.runs >output 2>&1 && [ -s on.runs ] && grep -q '"t":"traced"' on && "$fairlog" check on >>output 2>&1
	result $? "tracing changes nothing: $name"
}

same "hackbench" topo=2n:4c run="hackbench -g 2 -l 20" vary=newidle:off,throttle,cost runs=2
same "hackbench by processes and pipes, preempt=full" topo=8c:2t run="hackbench -g 2 -l 10 -p" preempt=full
same "massive_intr and kbuild" topo=2n:2c run="massive_intr 6 1" run="kbuild -j 6" jitter=on runs=2
same "2.6.32" topo=2n:4c run="hackbench -g 2 -l 20" preset=v2.6.32

agree() { # NAME ARGUMENTS...: nothing is lost, and the events are those that the counters count
	name=$1
	shift
	"$sim" "$@" trace=on trace_events=300000 >log 2>&1
	"$fairlog" export events log >events 2>output
	ok=$?
	grep -q 'older events were lost' events && ok=1
	for pair in context_switches:switch migrations:migrate balance_newidle_attempts:occasion=newidle \
		balance_idle_attempts:occasion=idle balance_busy_attempts:occasion=busy; do
		counted=$(field "${pair%%:*}" log)
		traced=$(grep -cw -- "${pair#*:}" events)
		echo "$pair: counted $counted, traced $traced" >>output
		[ "$counted" = "$traced" ] || ok=1
	done
	counted=$(($(field wakeups_local log) + $(field wakeups_remote log)))
	traced=$(grep -c ' waking ' events)
	echo "wakeups: counted $counted, traced $traced" >>output
	[ "$counted" = "$traced" ] || ok=1
	for pair in idle idle busy busy newidle newidle; do
		counted=$(field "balance_${pair}_pulls" log)
		[ "$counted" = "$(grep -c "cause=$pair\$" events)" ] || { ok=1; echo "pulls, $pair: $counted" >>output; }
	done
	[ "$(field balance_active_pushes log)" = "$(grep -c 'cause=push$' events)" ] || { ok=1; echo "active pushes" >>output; }
	# every CPU goes on with the task that it has switched to, and time does not go back
	awk '/^#/ { next } seen++ && $1 + 0 < last { bad = 1 } { last = $1 + 0 }
		$3 == "switch" { split($4, p, "="); split($6, n, "="); if (now[$2] && now[$2] != p[2]) bad = 1; now[$2] = n[2] }
		END { if (bad) print "the events do not follow from each other"; exit bad }' events >>output || ok=1
	result $ok "events and counters agree: $name"
}

agree "hackbench" topo=2n:4c run="hackbench -g 2 -l 20"
agree "hackbench with threads, preempt=full" topo=2n:2c:2t run="hackbench -g 2 -l 20 -T" preempt=full
agree "massive_intr" topo=8c run="massive_intr 12 1"
agree "2.6.32" topo=4c run="hackbench -g 2 -l 20" preset=v2.6.32

# ---- too little room ----

"$sim" topo=4c run="hackbench -g 1 -l 20" trace=on trace_events=100 >log 2>&1
grep -o '"lost":\[[^]]*\]' log >output
grep -q '"events":\[100,100,100,100\],"lost":\[[1-9]' log && "$fairlog" export events log | grep -q 'older events were lost'
result $? "what there was no room for is counted"
"$sim" topo=64c run="hackbench -g 1 -l 20" trace=on trace_events=16777216 >log 2>&1
cp log output
grep -q '"t":"end","status":"refused","runs":0,"failed":0,"message":"trace=on: no memory for 16777216 events of each of 64 CPUs' log
result $? "too little memory is said"

# ---- trace-cmd (workloads.md 7, check 14) ----

"$sim" topo=2n:2c run="hackbench -g 2 -l 20" run="massive_intr 6 1" trace=on trace_events=300000 >log 2>&1
report() { # RUN: by trace-cmd and by our own text, from the name of the event on, with time and CPU
	"$fairlog" export trace.dat --run "$1" log >trace.dat 2>output && "$fairlog" export ftrace --run "$1" log >text 2>>output &&
		trace-cmd report -N -t -i trace.dat >report 2>>output
	sed -n 's/^ *.*-[0-9]* *\[\([0-9]*\)\] *\([0-9]*\.[0-9]\{6\}\)[0-9]*: *\(sched_[a-z_]*\): */\1 \2 \3 /p' report >report.events
	sed -n 's/^ *.*-[0-9]* *\[\([0-9]*\)\] [a-z.]* *\([0-9]*\.[0-9]\{6\}\): \(sched_[a-z_]*\): /\1 \2 \3 /p' text >text.events
}
for run in 0 1; do
	report $run
	sort report.events >a
	sort text.events >b
	cmp a b >>output 2>&1 && [ "$(wc -l <a)" -gt 100 ]
	result $? "trace-cmd lists the events that there are, run $run"
	awk '{ print $2 }' report.events | sort -c -n >output 2>&1
	result $? "and in the order of time, run $run"
done

# ---- SchedViz (workloads.md 5.6) ----

"$fairlog" export schedviz log >trace.tar.gz && tar xzf trace.tar.gz >output 2>&1 && grep -q 'EBPF' metadata.textproto &&
	[ "$(cat topology/node*/cpu3/topology/thread_siblings_list)" = 3 ] && [ "$(cat topology/node0/cpu0/topology/core_siblings_list)" = 0,1 ]
result $? "an archive with the topology"
# the first row is the start; tasks have names before they are used; a task is where it was seen or moved last; no empty rows
awk -F: 'function seen(pid, cpu) { if (pid == "0") return; if (!(pid in name)) { print "no name: " $0; bad = 1 }
		if (pid in place && place[pid] != cpu) { print "moved: " $0; bad = 1 } place[pid] = cpu }
	NR == 1 && !($1 == "ST" && NF == 3 && $2 == "0") { print "start: " $0; bad = 1 }
	NR > 1 && $1 !~ /^[PSMW]$/ { print "row: " $0; bad = 1 }
	$1 == "P" { name[$3] = 1 }
	$1 == "S" { seen($4, $3); seen($6, $3) }
	$1 == "M" { seen($6, $4); place[$6] = $5 }
	$1 == "W" { seen($5, $4) }
	END { exit bad || NR < 100 }' ebpf_trace >output
result $? "rows that SchedViz takes"
awk -F: 'NR > 1 && $1 != "P" { printf "%16s\n", $2 }' ebpf_trace | sort -c >output 2>&1
result $? "in the order of time"

# ---- why: an instant at which a certain task runs is in the trace itself ----

"$fairlog" export events log >events
awk '$3 == "switch" && $6 ~ /receiver/ { n++; if (n == 50) { sub(/.*-/, "", $6); print $6, $1, $2 } }' events >instant
read -r task time cpu <instant
"$fairlog" why "$task@${time}ns" log >output 2>&1 && tr '\n' ' ' <output | grep -q "receiver-$task ran on CPU $cpu\. .* picked on CPU $cpu at"
result $? "why says where a task ran"

echo "1..$number"
[ $failures -eq 0 ]
