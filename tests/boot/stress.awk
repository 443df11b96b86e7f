# SPDX-License-Identifier: GPL-2.0-or-later
# Draws a boot with many experiments from one number: the machine, the command line and how many runs that makes, each on a line.
#
#     awk -v seed=7 -v cpus=4 -f tests/boot/stress.awk HELP LIST
#
# HELP and LIST are what the kernel says to help=1 and run=list, so a new switch or option is drawn as soon as there is one. What is
# written here is only what cannot be read there: sizes that a run of a tenth of a second has, and which words exclude each other.
# All numbers come from one generator whose products fit into 53 bits, so every awk draws the same.

function below(n) {
	state = state * 16807 % 2147483647
	return int(state / 2147483647 * n)
}
function chance(percent) { return below(100) < percent }
function between(least, most) { return least + below(most - least + 1) }
# All orders of magnitude alike.
function spread(least, most, bits) {
	for (bits = 0; 2 ^ bits <= most - least; bits++)
		;
	return least + below(min(2 ^ below(bits + 1), most - least + 1))
}
function min(a, b) { return a < b ? a : b }
function max(a, b) { return a > b ? a : b }
function one_of(words, w) { return w[1 + below(split(words, w, /[|, ]+/))] }

BEGIN {
	state = (seed % 2147483646 + 1) * 48271 % 2147483647
	for (i = 0; i < 5; i++)
		below(2)
	c = cpus

	# A number that is not here lies between its least value and what holds by default, and is left alone where nothing does.
	# After a "!" it is always given; "-" never: its unit is the second.
	size("aim7", "scale!1:2 disk-ms!0:3 pause-ms!0:20 tasks!1:" c)
	size("chat", "rooms!1:2 users!2:6 count!1:6")
	size("context_switch1", "tasks:1:8 samples!1:3 sample-ms!1:6")
	size("cyclictest", "threads:1:" c " interval!1000:5000 distance:0:500 loops!1:30 histogram:1:20 duration- run-ms- priority:1:99")
	size("hackbench", "groups!1:3 fds!1:8 loops!1:8 datasize:1:5000")
	size("kbuild", "jobs:1:" 2 * c " objects!1:8 scale!1:2 fault-us:21:2000")
	size("massive_intr", "work-us:100:8000 sleep-us:1:3000 run-ms!20:100 nproc!1:" 2 * c " runtime!1:1")
	size("schbench", "message-threads:1:3 threads:1:" c " run-ms!40:100 warmuptime- runtime- cache_footprint!1:64 rps:500:10000 pipe:1:5000 sleep_usec:0:2000")
	size("schbench-classic", "message-threads:1:2 threads!1:" c " run-ms!40:100 warmuptime- runtime- sleeptime!4:20000 cputime!1:5000")
	size("pipe", "loop!1:300")
	size("yield", "tasks:1:20 loops!1:400")
	size("spin", "tasks!1:" 2 * c " turns!1000:300000 fifo:1:99 rr:1:99 realtime:1:" c)
	size("sysbench", "threads!1:" c " time- events!1:20 thread-yields!1:100 thread-locks:1:8")
	size("tbench", "timelimit- ops!1:60 op-ns:0:100000 nprocs!1:" c)
	size("vmark", "rooms!1:2 users!2:6 count!1:4 server-ns:0:10000")
	alone["hackbench"] = "pipe inet"
	needs["hackbench pipe-rules"] = "pipe"
	alone["spin"] = "fifo rr"
	alone["schbench"] = "rps pipe"
	hogs["spin fifo"] = hogs["spin rr"] = hogs["hackbench fifo"] = 1
	never = " help shell provoke then panic aa " # breaks or ends it
}

function size(workload, text, n, i, option, part) {
	n = split(text, option, " ")
	for (i = 1; i <= n; i++) {
		split(option[i], part, /[-:!]+$|[!:]/)
		must[workload, part[1]] = option[i] ~ /!/
		least[workload, part[1]] = part[2]
		most[workload, part[1]] = part[3]
		sized[workload, part[1]] = option[i] ~ /-$/ ? "never" : "yes"
	}
}

{ sub(/\r$/, "") }

# ---- help=1: two lines for each ----

FNR == NR && /^    v[0-9]/ { presets = presets (presets ? " " : "") $1 }
FNR == NR && /^Parameters of the / { table = $4; sub(/:$/, "", table) }
FNR == NR && table && /^  [A-Za-z]/ { name = $1; value = $2; unit = $3 }
FNR == NR && table && /^      / {
	text = $0
	sub(/ \([^()]*\)$/, "", text) # the era, or a range where there is none
	if (match($0, / \([0-9]+ to [0-9]+\)/))
		add_knob("number", substr($0, RSTART + 2, RLENGTH - 3))
	else if (match(text, / \[[^ ]+\]$/))
		add_knob("choice", substr(text, RSTART + 2, RLENGTH - 3))
	else if (match($0, / \[[^ ]+\]$/))
		add_knob("choice", substr($0, RSTART + 2, RLENGTH - 3))
	else if (value ~ /^[01]$/ && !unit)
		add_knob("feature", "0|1")
}

function add_knob(kind, range) {
	if (index(never, " " name " "))
		return
	knob[table, ++knobs[table]] = name
	kind_of[name] = kind
	range_of[name] = range
	unit_of[name] = unit
}

# ---- run=list: a paragraph for each ----

FNR != NR && /^[a-z]/ && blank && /[[a-z]/ && $1 !~ /:$/ { workload = $1; workloads[++nr_workloads] = workload }
FNR != NR && workload && /^    / {
	option = $1 == "-" ? "" : $1
	flag = ""
	if ($1 ~ /^-.,$/) {
		flag = substr($1, 1, 2)
		option = substr($2, 3)
	} else if ($1 ~ /^--/) {
		flag = $1
		option = substr($1, 3)
	}
	i = ++options[workload]
	opt_name[workload, i] = option
	opt_flag[workload, i] = flag
	opt_range[workload, i] = ""
	if (match($0, /\([^()]*\)$/))
		opt_range[workload, i] = substr($0, RSTART + 1, RLENGTH - 2)
}
FNR != NR { blank = $0 == "" }
/^End:/ { workload = "" }

# ---- one switch ----

function draw_number(name, range, top) {
	split(range, range_, " to ")
	top = range_[2]
	if (unit_of[name] == "ns")
		top = max(min(top, 20000000), range_[1]) # or nobody comes to its turn in the time of a run
	if (chance(10))
		return chance(50) ? range_[1] : top
	return spread(range_[1] + 0, top + 0)
}

# Periods so short and runtimes so long that throttled tasks go on soon.
function draw_bandwidth(period) {
	period = between(1000, 50000)
	return "sched_rt_period_us=" period " sched_rt_runtime_us=" int(period * between(1, 10) / 8)
}

function draw_knob(name, value) {
	if (name ~ /^sched_rt_(period|runtime)_us$/)
		return draw_bandwidth()
	if (kind_of[name] == "number")
		return name "=" sprintf("%.0f", draw_number(name, range_of[name]))
	value = one_of(range_of[name])
	if (kind_of[name] == "feature")
		return (value ? "" : "NO_") name
	return name "=" value
}

function draw_knobs(table, percent, line, i) {
	line = ""
	for (i = 1; i <= knobs[table]; i++)
		if ((kind_of[knob[table, i]] != "number" || table == "scheduler") && chance(percent))
			line = line " " draw_knob(knob[table, i])
	return line
}

function draw_preset() { return chance(60) ? " preset=" one_of(presets) : "" }

# ---- one workload ----

function is_number(range) { return range ~ /^[0-9]+ to / }

function draw_option(w, i, name, range, part) {
	name = opt_name[w, i]
	range = opt_range[w, i]
	if (!is_number(range))
		return sized[w, name] ? between(least[w, name], most[w, name]) : draw_word(range)
	if (sized[w, name])
		return chance(60) ? between(least[w, name], most[w, name]) : spread(least[w, name] + 0, most[w, name] + 0)
	split(range, part, / to |; /)
	return spread(part[1] + 0, part[3] + 0)
}

function draw_word(range) {
	sub(/;.*/, "", range)
	return one_of(range)
}

# Whether the option is given at all.
function wants(w, i, name, range) {
	name = opt_name[w, i]
	range = opt_range[w, i]
	if (sized[w, name] == "never" || (is_number(range) && !sized[w, name] && range !~ /;/))
		return 0
	if (must[w, name] || !opt_flag[w, i])
		return 1
	return chance(range ? 40 : 30)
}

function excluded(w, name, given, beside, words, n, i) {
	if (beside && (w " " name) in hogs)
		return 1
	if ((w " " name) in needs && index(given, " " needs[w " " name] " ") == 0)
		return 1
	if (!(w in alone) || index(" " alone[w] " ", " " name " ") == 0)
		return 0
	n = split(alone[w], words, " ")
	for (i = 1; i <= n; i++)
		if (index(given, " " words[i] " "))
			return 1
	return 0
}

# beside: it accompanies another, which must not starve.
function draw_workload(beside, w, i, line, name, given) {
	w = workloads[1 + below(nr_workloads)]
	line = w
	given = " "
	for (i = 1; i <= options[w]; i++) {
		name = opt_name[w, i]
		if (!wants(w, i) || excluded(w, name, given, beside))
			continue
		given = given name " "
		line = line (opt_flag[w, i] ? " " opt_flag[w, i] : "") (opt_range[w, i] ? " " draw_option(w, i) : "")
	}
	return w == "cyclictest" ? mend_cyclictest(line) : line
}

# A policy of real time needs a priority, as many of them as there are threads if each has its own, and no other has one.
function mend_cyclictest(line, realtime) {
	realtime = line ~ /--policy (fifo|rr)/ || (line ~ / -p / && line !~ /--policy/)
	if (!realtime)
		gsub(/ -p [0-9]+| --priospread/, "", line)
	else if (line !~ / -p /)
		line = line " -p 50"
	if (line ~ /--priospread/)
		sub(/ -p [0-9]+/, " -p " between(cpus, 99), line)
	return line
}

# ---- the machine ----

function divisor(n, d) {
	do
		d = 2 ^ below(3)
	while (n % d)
	return d
}

# All distances or none, as QEMU wants it.
function draw_nodes(nodes, i, j, line, distances) {
	line = " -object memory-backend-ram,id=m0,size=256M"
	for (i = 0; i < nodes; i++)
		line = line " -numa node" (i ? "" : ",memdev=m0") ",cpus=" i * cpus / nodes "-" (i + 1) * cpus / nodes - 1
	distances = chance(70)
	for (i = 0; i < nodes && distances; i++)
		for (j = i + 1; j < nodes; j++)
			line = line " -numa dist,src=" i ",dst=" j ",val=" one_of("15 20 21 30 31 40")
	return line
}

function draw_machine(threads, cores, model) {
	threads = chance(40) && cpus % 2 == 0 ? 2 : 1
	cores = divisor(cpus / threads)
	model = one_of("qemu64 Nehalem EPYC core2duo")
	nr_nodes = chance(50) ? 1 : divisor(cpus)
	return "-c " cpus ",sockets=" cpus / threads / cores ",cores=" cores ",threads=" threads " -x '-cpu " model \
	       (nr_nodes > 1 ? draw_nodes(nr_nodes) : "") "'"
}

# ---- the command line ----

function draw_cpus(first) {
	if (nr_nodes > 1 && chance(15))
		return " nodes=" below(nr_nodes)
	first = below(cpus)
	return chance(15) ? " cpus=" first "-" between(first, cpus - 1) : ""
}

function draw_experiment(line) {
	line = "seed=" 1 + below(1000000) draw_knobs("experiment", 25) draw_knobs("machine", 6) draw_cpus()
	if (chance(20))
		line = line " sample=" between(2, 40) "ms"
	return line " trace_events=" between(16, 200)
}

# What changes the most.
function draw_often(names, n, i, line) {
	n = split("HZ preempt nohz newidle policy HRTICK", names, " ")
	for (i = 1; i <= n; i++)
		line = line (chance(50) ? " " draw_knob(names[i]) : "")
	return line
}

function draw_variant(line, words, text) {
	text = draw_preset() draw_knobs("scheduler", one_of("2 5 12"))
	while (length(text) > 240)
		sub(/ [^ ]+$/, "", text)
	return substr(text, 2)
}

END {
	machine = draw_machine()
	line = draw_experiment() draw_preset() draw_often() draw_knobs("scheduler", one_of("0 5 20 50"))
	variants = between(1, 4)
	for (i = 0; i < variants; i++) {
		text = draw_variant()
		if (text in seen)
			continue
		seen[text] = 1
		different++
		line = line " variant=\"" text "\""
	}
	runs = between(2, 5)
	for (i = 0; i < runs; i++)
		line = line " run=\"" draw_workload(0) "\""
	for (i = 0; i < 2 && chance(20); i++)
		line = line " with=\"" draw_workload(1) "\""
	print machine
	print line
	print runs * different
}
