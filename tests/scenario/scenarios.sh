#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Experiments on the sim whose outcome is known beforehand:
#
#     tests/scenario/scenarios.sh build/fairmetal-sim
#
# Prints TAP. Expected figures are arithmetic on the workload: massive_intr works 8 ms and sleeps 1 ms, so an undisturbed task makes
# 60 s / 9 ms = 6666 loops in a minute, and C CPUs make at most C * T / 8 ms together; N CPUs can be N times as fast as one and no more.
# After a miss the output concerned follows as comments.
set -u

[ $# -eq 1 ] || { echo "usage: $0 FAIRMETAL-SIM, the program to test" >&2; exit 2; }
sim=$(realpath "$1")
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

expect() { # NAME AWK-CONDITION VALUES...: $1, $2, ... of the condition are the values
	name=$1 condition=$2
	shift 2
	echo "$*" >output
	echo "expected $condition of these values" >>output
	echo "$*" | awk "{ exit !($condition) }"
	result $? "$name"
}

field() { # NAME LOG: that number of the first run in the log; numbers of a list each on a line
	sed -n '/"t":"run"/{s/.*"'"$1"'":\[\{0,1\}\([0-9,]*\).*/\1/p;q;}' "$2" | tr , '\n' | sed '/^$/d'
}

# ---- the same command line gives the same log ----

twice() { # NAME ARGUMENTS...
	name=$1
	shift
	"$sim" "$@" >first 2>&1
	status=$?
	"$sim" "$@" >second 2>&1
	{ cmp first second && [ $status -eq 0 ] && grep -q '"t":"end","status":"ok"' first; } >output 2>&1
	ok=$?
	echo "status $status" >>output
	tail -2 first >>output
	result $ok "$name"
}

for cpus in 2 4 8 16 64; do
	twice "hackbench twice, $cpus CPUs" topo=${cpus}c run="hackbench -g 2 -l 20" run="hackbench -g 1 -l 20 -p -T" runs=2
	twice "massive_intr twice, $cpus CPUs" topo=${cpus}c run="massive_intr $((cpus + 2)) 1" runs=2
	twice "schbench twice, $cpus CPUs" topo=${cpus}c run="schbench --run-ms 200 -m 2" run="schbench-classic --run-ms 300" runs=2
	twice "a mixed experiment twice, $cpus CPUs" topo=2n:$((cpus / 2))c run="hackbench -g 1 -l 20" run="massive_intr 5 1" \
		vary=newidle:off,throttle,cost vary=preempt:none,full runs=2 warmup=1 order=random jitter=on seed=7
done
twice "VolanoMark and chat twice" topo=2n:4c run="vmark -r 2 -c 20" run="vmark -r 2 -c 20 -m burst -f direct" run="chat -r 2" runs=2 jitter=on
twice "the same on threads and caches" topo=2n:2l:2c:2t run="hackbench -g 2 -l 20" runs=3 jitter=on

# ---- what the seed changes ----

seeded() { # SEED JITTER: the log but for what quotes the seed
	"$sim" topo=8c run="hackbench -g 2 -l 20" run="massive_intr 12 1" runs=2 order=abab seed="$1" jitter="$2" 2>&1 |
		grep -v -e '"t":"boot"' -e '"t":"plan"' -e '^Plan: ' >"seeded-$1-$2"
}

for seed in 1 2; do
	seeded $seed on
	seeded $seed off
done
cmp seeded-1-off seeded-2-off >output 2>&1
result $? "without jitter another seed changes nothing"
for workload in hackbench massive_intr; do
	for seed in 1 2; do
		grep '"t":"run","workload":"'$workload seeded-$seed-on | sed 's/^@[0-9]* //' >runs-$seed
	done
	echo "both seeds gave the same $workload runs" >output
	! cmp -s runs-1 runs-2 && [ "$(grep -c . runs-1)" -eq 2 ]
	result $? "with jitter another seed gives other runs, $workload"
	[ "$(sed 's/.*"elapsed_ns"//' runs-1 | sort -u | wc -l)" -eq 2 ]
	result $? "with jitter each run is another, $workload"
done

# ---- a run depends on its switches and its number, not on the runs before it ----

alike() { # NAME RUNS ARGUMENTS...: so many different runs in the log, each of them twice or more often
	name=$1 expected=$2
	shift 2
	"$sim" topo=8c run="hackbench -g 2 -l 20" "$@" >log 2>&1
	grep '"t":"run"' log | sed 's/.*"variant":\(.*\),"position".*\("elapsed_ns.*\),"skew_ns.*/\1 \2/' | sort | uniq -c | cut -c1-120 >output
	awk -v expected="$expected" '$1 < 2 { bad = 1 } END { exit bad || NR != expected }' output
	result $? "$name"
}

alike "without jitter the runs of a variant are the same but for their number" 4 vary=newidle:off,throttle,off,throttle runs=2 jitter=off
alike "with jitter the same variant under the same number gives the same run" 6 vary=newidle:off,throttle,off,throttle runs=3 jitter=on \
	order=random seed=5
alike "so it is without ticks, whichever CPU balanced for the others before" 6 vary=nohz_balancer:owner,kick,owner,kick nohz=on runs=3 jitter=on
"$sim" topo=8c run="hackbench -g 2 -l 20" runs=4 jitter=off >log 2>&1
grep '"t":"run"' log | sed 's/.*"elapsed_ns":\([0-9]*\).*/\1/' | uniq -c >output
[ "$(awk '{ print $1 }' output)" = 4 ]
result $? "without jitter the first run is like all others"

# ---- kbuild ----

build() { # CPUS OPTIONS...: runs it; then the figures in the order of the conditions below
	cpus=$1
	shift
	"$sim" topo="$cpus"c "$@" >log 2>&1
	for name in elapsed_ns cpu_ns critical_path_ns most_in_flight tasks; do
		field $name log
	done
}

# A build is no faster than its CPUs and its longest chain of programs allow (workloads.md 4.4), and not much slower where nothing else
# is in its way: one CPU is never idle, and with a CPU for each of 16 objects all go their way at once.
for pipe in "" --pipe; do
	for preempt in none full; do
		# shellcheck disable=SC2046
		expect "kbuild${pipe:+ $pipe} on 8 CPUs takes the time it must, preempt=$preempt" \
			'$1 >= $2 / 8 && $1 >= $3 && $4 == 12 && $5 == 5 * 40 + 2' $(build 8 preempt=$preempt run="kbuild -j 12 -n 40 $pipe")
		# shellcheck disable=SC2046
		expect "kbuild${pipe:+ $pipe} on 1 CPU takes the sum of its work, preempt=$preempt" \
			'$1 >= $2 && $1 <= 1.01 * $2 && $4 == 4 && $5 == 5 * 20 + 2' $(build 1 preempt=$preempt run="kbuild -j 4 -n 20 $pipe")
		# shellcheck disable=SC2046
		expect "kbuild${pipe:+ $pipe} on 64 CPUs takes the longest chain, preempt=$preempt" \
			'$1 >= $3 && $1 <= 1.01 * $3 && $4 == 16 && $5 == 5 * 16 + 2' $(build 64 preempt=$preempt run="kbuild -j 16 -n 16 $pipe")
	done
done
"$sim" topo=8c cpus=2-4 run="kbuild -n 6 -s 1" >log 2>&1
expect "make has as many jobs as there are CPUs that it may use" '$1 == 3 && $2 == 1' "$(field most_in_flight log)" "$(grep -c '^make -j3, 6 objects' log)"
"$sim" topo=8c run="kbuild -n 30" vary=newidle:off,throttle vary=preempt:none,full >log 2>&1
grep '"t":"run"' log | sed 's/.*"cpu_ns":\([0-9]*\).*/\1/' | uniq -c >output
[ "$(awk '{ print $1 }' output)" = 4 ]
result $? "all variants build the same objects"
# ---- schbench: samples of wakeups <= posts; a worker's requests <= one per 5 * 104^3 ns of work and 100 us of sleep ----

possible() { # NAME ARGUMENTS...: of 2 s each, 5,724,320 ns are 349
	name=$1
	shift
	"$sim" "$@" >log 2>&1
	expect "$name" 'NF >= 5 && $1 > 0 && $1 <= $2 && $3 == $4 && $5 <= 349' "$(field wakeups log)" "$(field posts log)" "$(field requests log)" \
		"$(field counts log | awk '{ sum += $1 } END { print sum }')" "$(field counts log | sort -n | tail -1)"
}

for preempt in none full; do
	possible "schbench, preempt=$preempt, 8 CPUs" topo=8c preempt=$preempt run="schbench"
	possible "schbench, preempt=$preempt, 32 workers for 8 CPUs" topo=2n:4c preempt=$preempt run="schbench -m 2 -t 16"
	possible "schbench, preempt=$preempt, 500 requests a second" topo=8c preempt=$preempt run="schbench -R 500"
	expect "of which there are 1000 in 2 s, but for those under way" '$1 >= 992 && $1 <= 1000' "$(field requests log)"
done
# Between two runs there are a few steps of 20 ms, and one multiplication of 1.1 ms by each of 33 workers on a CPU.
"$sim" topo=3c preempt=full run="schbench --run-ms 10 -m 2 -t 50" runs=2 >log 2>&1
sed -n '/"t":"run"/s/.*"start_ns":\([0-9]*\),"elapsed_ns":\([0-9]*\).*/\1 \2/p' log >starts
# shellcheck disable=SC2046 # values are words
expect "schbench ends soon, however many spin" '$3 - $1 - $2 > 0 && $3 - $1 - $2 < 400000000' $(cat starts)
"$sim" topo=8c run="schbench-classic -r 6" >log 2>&1
expect "schbench-classic: a cycle is 30 ms of thought and 30 or more of rest" '$1 > 0 && $1 <= $2 && $3 <= 100' "$(field wakeups log)" "$(field posts log)" \
	"$(field counts log | sort -n | tail -1)"

# ---- with=: a run is accompanied to its end, and ends whoever accompanies it ----

for cpus in 1 8; do
	for preempt in none full; do
		twice "massive_intr beside hackbench and real-time threads, $cpus CPUs, preempt=$preempt" topo=${cpus}c preempt=$preempt \
			run="massive_intr 3 1 -m 300" run="hackbench -g 1 -l 20" with="hackbench -g 1 -f 3 -l 5" with="cyclictest -t 2 -p 80" \
			sample=10ms
	done
done
expect "hackbench was repeated, cyclictest was not" '$1 > 10 && $2 == 1' "$(field hackbench.repeats first)" "$(field cyclictest.repeats first)"

# Each workload beside others, and beside itself: neither waits for the other to end.
for workload in "aim7 -s 1 -p 1 3" "chat -r 1 -u 3 -c 5" "context_switch1 -t 2 -s 2 --sample-ms 5" "cyclictest -t 2 --run-ms 20" \
	"hackbench -g 1 -f 3 -l 20" "kbuild -j 3 -n 5 -s 1" "massive_intr 3 1 -m 30" "schbench --run-ms 50" \
	"schbench-classic --run-ms 300 -s 1000 -c 1000" "pipe -l 100" "yield -t 3 -l 100" "spin -t 3 -n 100000" "sysbench -t 3 -e 5 -y 10" \
	"tbench -n 20 2" "vmark -r 1 -u 3 -c 5"; do
	for cpus in 1 4; do
		timeout 60 "$sim" topo=${cpus}c run="$workload" with="cyclictest -t 2" with="$workload" >log 2>&1
		expect "$workload beside others, $cpus CPUs" '$1 == 0 && $2 == 1 && $3 >= 1' $? "$(field cyclictest.repeats log)" \
			"$(field "${workload%% *}[2]*.repeats" log)"
	done
done

# ---- sample=: massive_intr with a CPU for each task makes the same loops; otherwise each of 100 samples may move a switch ----

for tasks in 6 12; do
	for sample in "" 10ms; do
		"$sim" topo=8c run="massive_intr $tasks 1" sample=$sample >log 2>&1
		field counts log | sort >counts-$tasks-$sample
		field context_switches log >switches-$tasks-$sample
	done
done
cmp counts-6- counts-6-10ms >output 2>&1
result $? "a sampled run is as one that is not"
expect "one that is crowded nearly so" '$1 >= $2 - 100 && $1 <= $2 + 100' "$(cat switches-12-10ms switches-12- | tr '\n' ' ')"

# To look at 256 CPUs takes longer than this period. The run goes on in between all the same: 100 round trips are not lengthened much.
for sample in "" 10us; do
	"$sim" topo=256c run="pipe -l 100" sample=$sample >log 2>&1
	field elapsed_ns log >elapsed-$sample
done
expect "a period shorter than a sample takes does not stop the run" '$1 > 0 && $1 < 2 * $2' "$(cat elapsed-10us)" "$(cat elapsed-)"

# ---- massive_intr ----

loops() { # CPUS TASKS SECONDS: runs it; field counts gives the loops of each task
	"$sim" topo="$1" run="massive_intr $2 $3" >log 2>&1
}

spread() { # least, most, sum, number of the counts in the log
	field counts log | sort -n | awk 'NR == 1 { least = $1 } { sum += $1 } END { print least, $1, sum, NR }'
}

loops 4n:10c 10 60
# shellcheck disable=SC2046 # values are words
expect "10 tasks on 40 CPUs for a minute: 6666 loops each, within 1 %" '$1 >= 6600 && $2 <= 6667 && $4 == 10' $(spread)
expect "they take a minute, but for the last loop" '$1 >= 60000000000 && $1 <= 60010000000' "$(field elapsed_ns log)"
# shellcheck disable=SC2046
expect "and 8/9 of it on 10 CPUs" '$1 > 0.99 * $2 * 8000000 && $1 < 1.01 * $2 * 8000000' "$(field task_clock_ns log)" \
	$(spread | cut -d ' ' -f 3)
loops 1c 3 10
# 10 s / 8 ms = 1250 loops, and those under way at the end.
# shellcheck disable=SC2046
expect "3 tasks on 1 CPU share it" '$2 - $1 <= 0.01 * $2 && $3 <= 1253 && $3 >= 0.99 * 1250 && $4 == 3' $(spread)
loops 1c 200 60
# shellcheck disable=SC2046
expect "200 tasks on 1 CPU share it" '$2 - $1 <= 1 && $3 <= 7700 && $3 >= 0.99 * 7500 && $4 == 200' $(spread)
loops 4c 9 20
# 4 CPUs for 20 s: 10000 loops. Queues have 2 or 3 tasks: who were always in the longer made 20 s / 24 ms, in the shorter 20 s / 16 ms.
# shellcheck disable=SC2046
expect "9 tasks on 4 CPUs share them" '$1 >= 833 && $2 <= 1251 && $3 <= 10009 && $3 >= 0.98 * 10000 && $4 == 9' $(spread)

# The machine of Shi's policies (January 2013), the tasks kept to one node; what the policies are after depends on all of it. How well
# packing goes depends on the phases of tasks and ticks, a tenth either way, so five seeds are added up.
for policy in performance balance powersaving; do
	for seed in 1 2 3 4 5; do
		"$sim" topo=4n:10c nodes=0 preset=v3.8+power policy=$policy jitter=on seed=$seed run="massive_intr 10 60" >log 2>&1
		spread | cut -d ' ' -f 3
	done | awk '{ done += $1 } END { print done }' >done-$policy
done
# Packing costs: Galbraith measured 81.8 to 84.5 %.
expect "C9.4: powersaving gets 78 to 86 % of the work done that performance does" '$1 >= 0.78 * $2 && $1 <= 0.86 * $2' \
	"$(cat done-powersaving)" "$(cat done-performance)"
expect "C9.5: balance gets as much done, within 0.5 %" '$1 >= 0.995 * $2 && $1 <= 1.005 * $2' "$(cat done-balance)" "$(cat done-performance)"

# ---- hackbench on more CPUs ----

for cpus in 1 2 4 8 16; do
	"$sim" topo=${cpus}c run="hackbench -g 1 -l 100" >log 2>&1
	elapsed=$(field elapsed_ns log)
	[ $cpus -eq 1 ] && alone=$elapsed
	busy=$(field task_clock_ns log)
	idle=$(field idle_ns log | awk '{ sum += $1 } END { print sum }')
	# What belongs to nobody is balancing before going idle; counters are read a few us before the start and after the end.
	expect "hackbench on $cpus CPUs: their time went into tasks and idling" '$1 + $2 >= 0.97 * $3 * $4 && $1 + $2 <= $3 * ($4 + 10000)' \
		"$busy" "$idle" $cpus "$elapsed"
	expect "hackbench on $cpus CPUs: not faster than so many can be" '$1 * $3 >= 0.9 * $2' "$elapsed" "$alone" $cpus
	[ $cpus -eq 1 ] && expect "hackbench on 1 CPU: it does not idle" '$1 <= 0.001 * $2' "$idle" "$elapsed"
	[ $cpus -ge 8 ] && expect "hackbench on $cpus CPUs: faster than on one" '$1 < 0.75 * $2' "$elapsed" "$alone"
	[ $cpus -eq 16 ] && expect "hackbench on 16 CPUs: faster than on 8" '$1 < $2' "$elapsed" "$before"
	before=$elapsed
done

# ---- the latency of wakeups: one for each but those that found the task running, in the run's record and behind it ----

wakeups() { # ARGUMENTS...
	"$sim" "$@" >log 2>&1
	sed -n 's/.*"t":"latency".*"count":\([0-9]*\),.*/\1/p' log | awk '{ sum += $1 } END { print sum + 0 }' >behind
	# shellcheck disable=SC2046 # values are words
	expect "latencies: $*" '$1 + $2 - $3 == $4 && $4 == $5 && $4 > 0' \
		$(field wakeups_local log) $(field wakeups_remote log) $(field wakeups_running log) $(field wakeup_count log) $(cat behind)
}

for topology in 1c 2n:2l:2c:2t; do
	for preempt in none full; do
		wakeups topo=$topology preempt=$preempt run="hackbench -g 2 -l 20"
		wakeups topo=$topology preempt=$preempt run="massive_intr 12 1"
		wakeups topo=$topology preempt=$preempt run="pipe -l 100"
	done
done
"$sim" topo=4c latency=off run="hackbench -g 2 -l 20" >log 2>&1
expect "latency=off: none" '$1 == 0 && $2 == 0' "$(field wakeup_count log)" "$(grep -c '"t":"latency"' log)"

# ---- accounts: the parts of wasted time make up the whole; what is switched off is 0, and the plan says so ----

for shape in "8c newidle=off" "2n:4c" "4n:4c nohz=on" "8c cpus=0-3"; do
	# shellcheck disable=SC2086 # words
	"$sim" topo=$shape run="hackbench -g 2 -l 20" >log 2>&1
	parts=
	for cause in not_due nobody off threshold throttled lock affinity hot buddy arriving; do
		parts="$parts $(field wasted_${cause}_ns log)"
	done
	# shellcheck disable=SC2086
	expect "wasted time by cause adds up, $shape" '$1 > 0 && $1 == $2 + $3 + $4 + $5 + $6 + $7 + $8 + $9 + $10 + $11' "$(field wasted_ns log)" $parts
done
"$sim" topo=8c waste=0 latency=0 run="hackbench -g 2 -l 20" >log 2>&1
expect "accounts that are switched off" '$1 == 0 && $2 == 0 && $3 == 0' "$(field wasted_ns log)" "$(field wasted_pairs_ns log)" "$(field wakeup_count log)"
{ cut -c1-200 log | tail -3 && grep -q '"accounts":\[\]' log && ! grep -q '^Wasted' log; } >output
result $? "the plan says which are kept"

# ---- threads that are parked: their idle time is all of the run, and 8 tasks share 4 CPUs: 4 * 2 s / 8 ms are 1000 loops, 1 % for the end ----

"$sim" topo=4c:2t smt=off run="massive_intr 8 2" >log 2>&1
# shellcheck disable=SC2046
expect "smt=off: second threads idle" '$3 >= $1 && $5 >= $1 && $7 >= $1 && $9 >= $1 && $2 < $1 / 4 && $4 < $1 / 4 && $6 < $1 / 4 && $8 < $1 / 4' \
	"$(field elapsed_ns log)" $(field idle_ns log)
expect "smt=off: the loops of half the CPUs" '$1 > 950 && $1 < 1010' "$(field counts log | awk '{ sum += $1 } END { print sum }')"
grep '"t":"still"' log | grep '"item":"smt","asked":"off","before":"8 CPUs","during":"4 CPUs","after":"8 CPUs","state":"held"' >output
result $? "smt=off: the log says so"

# ---- large and small machines ----

"$sim" topo=16n:64c run="hackbench -g 2 -l 10" >log 2>&1
status=$?
{ tail -3 log && [ $status -eq 0 ] && grep -q '^1024 CPUs online; each has run a task' log && grep -q '"t":"run".*"status":"ok"' log &&
	[ "$(field idle_ns log | wc -l)" -eq 1024 ]; } >output
result $? "1024 CPUs boot and run hackbench"
"$sim" topo=1c run="hackbench -g 1 -l 10" then=halt >log 2>&1
status=$?
{ tail -3 log && [ $status -eq 0 ] && grep -q '^1 CPU online' log; } >output
result $? "1 CPU boots and runs hackbench"

# ---- refusals: exit code 2 and one line that names what is wrong ----

refuse() { # ARGUMENT WORDS...: one line on standard error has all words, and nothing is on standard output
	argument=$1
	shift
	"$sim" "$argument" >log 2>output
	status=$?
	ok=0
	{ [ $status -eq 2 ] && [ ! -s log ] && [ "$(wc -l <output)" -eq 1 ]; } || ok=1
	for words in "fairmetal-sim: ${argument%%=*}" "$@"; do
		grep -qF -- "$words" output || { ok=1; echo "missing: $words" >>output; }
	done
	echo "exit code $status; expected 2" >>output
	result $ok "refused: $argument"
}

refuse topo=foo '"foo"' 'expected [Nn:][Np:]'
refuse topo= 'expected [Nn:][Np:]'
refuse topo=0c '0c"' 'expected [Nn:][Np:]'
refuse topo=4x 'no level n, p, l, c or t' '"x"'
refuse topo=2c:2n 'a level out of order' '"n"'
refuse topo=1025c 'too many CPUs' '1025c"'
refuse topo=65n 'too many'
refuse topo=2n/ 'no distance from 10 to 255'
refuse topo=2n/10,20,20 'not one distance for each pair of nodes at ""'
refuse topo=2n/10,20,20,10,10 'something more at ",10"'
for name in cold kick; do
	refuse $name=fast "$name=fast: expected ns"
	refuse $name=1,2 "$name=1,2: expected ns"
	refuse $name=1,2,3,4,5 "$name=1,2,3,4,5: expected ns"
	refuse $name=1,2,,4 "$name=1,2,,4: expected ns"
	refuse $name=-1 "$name=-1: expected ns"
	refuse $name=2000000000 "$name=2000000000: expected ns"
done

end_with() { # NAME STATUS WORDS ARGUMENTS...
	name=$1 expected=$2 words=$3
	shift 3
	"$sim" "$@" >output 2>&1
	status=$?
	grep -qF -- "$words" output && [ $status -eq "$expected" ]
	ok=$?
	echo "exit code $status; expected $expected and $words" >>output
	result $ok "$name"
}

end_with "an unknown workload is refused" 2 '"t":"end","status":"refused"' run="hackbnech -g 1"
end_with "an unknown parameter is refused" 2 'no parameter or switch is called "tpoo"; near: topo' tpoo=4c
end_with "a list of the workloads" 0 'massive_intr [-w work-us] [-s sleep-us] [-m run-ms] [-L|-W] nproc runtime' run=list
end_with "two real-time policies at once are refused" 2 'spin: -f and -r exclude each other; usage: spin [-t tasks]' run="spin -f 1 -r 1"
end_with "help" 0 "Parameters of the virtual CPUs" help=1
end_with "a broken rule ends with a fault" 3 '"t":"fault","kind":"bug"' provoke=bug

# 10 groups of 20 senders to 20 receivers, 500 messages each: 10 * 20 * 20 * 500, by all transports; 10 * 2 * 20 tasks.
for how in "" -p "-p --pipe-rules 6.1" "-p --pipe-rules 5.4" -i; do
	"$sim" topo=4c run="hackbench -l 500 $how" >log 2>&1
	expect "hackbench -l 500 $how passes 2,000,000 messages" '$1 == 2000000 && $2 == 1' "$(field messages log)" \
		"$(grep -cF 'with 10 groups using 40 file descriptors each (== 400 tasks)' log)"
done

echo "1..$number"
[ $failures -eq 0 ]
