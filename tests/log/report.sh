#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Checks the page that fairlog report writes, and the pictures of fairlog plot:
#
#     tests/log/report.sh build/fairlog
#
# Prints TAP. Logs are golden.log and what is made of it here; the figures are those that make-golden.sh explains. A page is well-formed
# XML, so xmllint can look into it. How it looks is for people: docs/pictures.md says how to take photographs of it.
set -u

[ $# -eq 1 ] || { echo "usage: $0 FAIRLOG, the program to test" >&2; exit 2; }
fairlog=$(realpath "$1")
golden=$(dirname "$(realpath "$0")")/golden.log
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
number=0
failures=0
export LC_ALL=C

result() { # OK NAME: OK is 0 for a pass
	number=$((number + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $number - $2"
	else
		failures=$((failures + 1))
		echo "not ok $number - $2"
		head -c 3000 output | sed 's/^/# /'
	fi
}

run() { # CODE COMMAND...: runs "fairlog COMMAND" into page and output; sets ok
	code=$1
	shift
	"$fairlog" "$@" >page 2>errors </dev/null
	got=$?
	ok=0
	cp errors output
	[ $got -eq "$code" ] || { ok=1; echo "exit code $got; expected $code" >>output; }
}

has() { # WORDS...: the page as a reader sees it, one line, has all of them; blanks that do not break are blanks
	sed 's/<style>.*//; s/<[^>]*>//g; s/\xc2\xa0/ /g; s/&quot;/"/g; s/&#39;/'"'"'/g; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g' page | tr -s '\n' ' ' >text
	for words; do
		grep -qF -- "$words" text errors || { ok=1; echo "missing on the page: $words" >>output; }
	done
}

is_xml() {
	xmllint --noout page >>output 2>&1 || ok=1
}

count() { # EXPECTED XPATH
	found=$(xmllint --xpath "count($2)" page 2>>output)
	[ "$found" = "$1" ] || { ok=1; echo "$found times $2; expected $1" >>output; }
}

expect_page() { # NAME CODE LOG WORDS...
	name=$1
	run "$2" report "$3"
	shift 3
	is_xml
	has "$@"
	result $ok "$name"
}

expect_error() { # NAME CODE WORDS COMMAND...
	name=$1 code=$2 words=$3
	shift 3
	run "$code" "$@"
	grep -qF -- "$words" errors || { ok=1; echo "missing in the message: $words" >>output; }
	[ "$(wc -l <errors)" -eq 1 ] || { ok=1; echo "expected one line" >>output; }
	result $ok "$name"
}

# Numbers the records anew and gives each the CRC32 that it should have; gzip puts that behind the data, lowest byte first.
seal() {
	seq=0
	while IFS= read -r line; do
		case $line in
		@*)
			line="@$seq ${line#* }"
			line=${line% \**}
			seq=$((seq + 1))
			printf '%s *%s\n' "$line" "$(printf '%s' "$line" | gzip -c | tail -c 8 | od -An -tx1 -N4 | awk '{ print $4 $3 $2 $1 }')"
			;;
		*) printf '%s\n' "$line" ;;
		esac
	done
}

picture() { # KIND NUMBER: where the picture of that kind of that workload is
	echo "(//*[local-name()='svg'][starts-with(@aria-label, '$1')])[$2]"
}

# ---- the numbers ----

# Pairs 104/100, 106/102, 102/98, 104/100: logarithms 0.039221, 0.038466, 0.040005, 0.039221, mean 0.039228, sd 0.000628, standard error
# 0.000314, t(3) 3.182: exp(0.039228 +- 0.001000) = 1.0390 .. 1.0410.
expect_page "verdict of a difference" 0 "$golden" "hackbench: newidle=off is slower than newidle=throttle." \
	"elapsed is 4.00 % more (95 % interval: 3.90 to 4.10 %) over 4 pairs of runs; less is better."
expect_page "verdict without one" 0 "$golden" \
	"massive_intr: No difference between newidle=off and newidle=throttle: elapsed is the same in both runs of each of the 4 pairs."
expect_page "table" 0 "$golden" "elapsed, msec100.000 ± 0.82 %104.000 ± 0.79 %+4.00 % (+3.90 to +4.10)" "newidle pulls40.0 ± 4.08 %0.00 in a run" \
	"least and most of a task872 to 888792 to 888"
expect_page "causes" 0 "$golden" "under threshold0.0400.000" "arriving0.0600.000" "all causes0.1000.000"
expect_page "percentiles" 0 "$golden" "newidle=throttle1.0074.2239.983100.000100.0003200"
expect_page "return of newidle" 0 "$golden" "40.0 passes took 2.000 msec and 20.0 pairs of locks, pulled 40.0 tasks; 10.0 of them would have waited 1.000 msec more"
expect_page "what was varied" 0 "$golden" "switchnewidle=throttlenewidle=off newidlethrottleoff All switches"
expect_page "machine and plan" 0 "$golden" "4 CPUs, 4 cores, 2 last-level caches, 1 package, 1 node" "4096 MiB" \
	"4 runs of each workload under each variant, after 1 warm-up; order abba, seed 1"
expect_page "nothing is missing" 0 "$golden" "Nothing: all records are there and all runs went well."

# ---- the pictures ----

run 0 report "$golden"
# Positions 0 to 9 are on an axis from -0.5 to 9.5 that is 306 wide, 98 to 106 msec on one of 190; the run at position 2 took 100.
count 1 "$(picture 'The figure' 1)//*[local-name()='circle'][@cx='128.5'][@cy='170.5']"
result $ok "a run is drawn where it belongs"
run 0 report "$golden"
count 5 "$(picture 'The figure' 1)//*[local-name()='circle']"
count 1 "$(picture 'The figure' 1)//*[local-name()='g'][@fill='none']/*[local-name()='circle']"
result $ok "the warm-up is hollow"
run 0 report "$golden"
# 0.04 and 0.06 of 0.1 msec on an axis 368 wide, less a gap of 1.
count 1 "$(picture Wasted 1)//*[local-name()='rect'][@class='c3'][@x='4.00'][@width='146.20']"
count 1 "$(picture Wasted 1)//*[local-name()='rect'][@class='c9'][@x='151.20'][@width='219.80']"
count 2 "$(picture Wasted 1)//*[local-name()='rect']"
result $ok "causes are stacked"
run 0 report "$golden"
# 100 msec is at the quarter of 98 .. 106, and both quartiles of 98, 100, 100, 102 are half a msec from it.
count 1 "$(picture How 1)//*[local-name()='rect'][@x='73.0'][@width='46.0']"
result $ok "the box has the middle half"
run 0 report "$golden"
count 2 "$(picture Latency 1)//*[local-name()='path'][@stroke-width='2']"
count 0 "$(picture Wasted 2)"
result $ok "a curve for each variant; no picture of nothing"
run 0 report "$golden"
count 0 "//*[local-name()='script' or local-name()='link' or local-name()='img' or local-name()='iframe' or @src]"
count 0 "//@href[not(starts-with(., '#'))]"
grep -qE 'url\(|@import' page && { ok=1; echo "the style loads something" >>output; }
count 1 "//*[local-name()='meta'][@name='viewport']"
result $ok "loads nothing, and is made for phones, too"

# ---- logs that mean harm ----

hostile='<script>alert(1)</script><img src=x onerror=\\"alert(2)\\">'"'"']]>-->\&amp;'
sed "s|newidle=off|$hostile|g; s|\"hackbench\"|\"</title>$hostile\"|g; s|Core(TM)|$hostile|; s|\"preempt\":|\"$hostile\":|g" "$golden" | seal >hostile.log
run 0 check hostile.log
result $ok "the log that means harm is whole"
expect_page "names in a log stay text" 0 hostile.log \
	"<script>alert(1)</script><img src=x onerror=\"alert(2)\">']]>-->&amp; is slower than newidle=throttle."
run 0 report hostile.log
count 0 "//*[local-name()='script' or local-name()='img']"
count 0 "//@onerror"
count 1 "//*[local-name()='title']"
result $ok "and bring no element and no attribute"
sed "s|\"machine\":\"metal\"|\"machine\":\"sim\"|; s|\"cmdline\":\"[^\"]*\"|\"cmdline\":\"run=x \\\\\"a b\\\\\" \$(touch harm) it's\"|" "$golden" | seal >shell.log
expect_page "a command to paste is quoted" 0 shell.log 'make run MACHINE=sim ARGS='"'"'run=x "a b" "\$$(touch" "harm)" "it'"'\\''"'s"'"'"
cp "$golden" "a<b>&\"c'
d.log"
expect_page "so are names of files" 0 "a<b>&\"c'
d.log" "a<b>&\"c'\\x0ad.log"

# ---- logs of which there is little ----

one_run() {
	sed -n '/^@[0-6] /p; $!d; ' "$golden" | sed 's/"warmup":1,"status"/"warmup":0,"status"/; s/"workloads":\[[^]]*\]/"workloads":["hackbench"]/
		s/"variants":\[[^]]*\]/"variants":["newidle=throttle"]/; s/"runs":4/"runs":1/; s/"warmup":1,"order"/"warmup":0,"order"/'
	sed -n '/"t":"end"/s/"runs":20/"runs":1/p' "$golden"
}
one_run | seal >one.log
expect_page "one run" 0 one.log "hackbench: elapsed is 100.000 msec, over 1 run of newidle=throttle; less is better. There is one variant" \
	"Nothing: there is one variant."
{ sed -n '/^@[0-3] /p' "$golden"; sed -n '/"t":"end"/s/"runs":20/"runs":0/p' "$golden"; } | seal >none.log
expect_page "no runs, though planned" 0 none.log "hackbench: cannot say anything: no run of it counts." "4 of 4 planned runs are not there"
sed 's/"workloads":\[[^]]*\]/"workloads":[]/' none.log | seal >nothing.log
expect_page "no runs at all" 0 nothing.log "There are no runs in this log."
sed '/"index":[12],.*"warmup":0/s/"status":"ok"/"status":"timeout"/' "$golden" | sed '/"t":"end"/s/"failed":0/"failed":8/' | seal >failed.log
expect_page "failed runs are named, and are too many" 0 failed.log "hackbench, newidle=off: 2 runs failed and are left out (the first one: timeout)" \
	"This log is not all there, or not all of it went well." "there are 2 and 2 runs that count and have it, and at least 3 of each are needed" \
	"cross on the axis: failed, not counted"
sed '/^@10 /s/"clean":1,"dirty":""/"clean":0,"dirty":"2 SMIs \& heat"/' "$golden" | seal >unclean.log
expect_page "runs that are not clean" 0 unclean.log "hackbench, newidle=throttle: not clean, and counted all the same: 1 of 4 runs (2 SMIs & heat)"
sed '/^@12 /d; s/"t":"end"/"t":"END"/' "$golden" >damaged.log
expect_page "damage is said first and last" 1 damaged.log "This log is not all there, or not all of it went well. damaged: " "1 missing" "record 12"
sed '/^@[12] /d' "$golden" >headless.log
expect_page "no machine and no plan" 1 headless.log "Not known: the log has no machine record."
sed '/^@0 /d' "$golden" >bootless.log
expect_page "no boot record" 1 bootless.log "The log has no boot record: how to do it again is not known."
sed '/^@0 /s/"format":1/"format":2/' "$golden" | seal >future.log
expect_page "unknown format" 1 future.log "unknown format"
: >empty.log
expect_page "no record" 1 empty.log "Nothing can be said of this log: there is no record in it"
expect_page "a directory" 2 . "Nothing can be said of this log: Is a directory"
{ cat "$golden"; sed '/^@5 /d' "$golden"; } >two.log
expect_page "two boots" 1 two.log "The file has 2 boots; this is boot 2"
run 1 report "$golden" damaged.log
is_xml
count 2 "//*[local-name()='article']"
has "Made by fairlog report of 2 logs"
result $ok "two logs on one page"

# ---- gnuplot ----

for kind in runs distribution waste latency; do
	run 0 plot $kind "$golden"
	is_xml
	has "newidle=throttle" "hackbench"
	[ ! -s errors ] || ok=1
	result $ok "plot $kind"
done
run 0 plot runs -o picture.png "$golden" "$golden"
[ "$(head -c 4 picture.png | od -An -tx1)" = " 89 50 4e 47" ] || ok=1
result $ok "a PNG of two logs"
run 0 plot distribution --metric migrations "$golden"
has "migrations"
result $ok "any figure can be drawn"
# CPU 0 is idle until 2 msec and has a task at the end; CPU 1 has 2 and CPU 2 has 5. From 2 to 4 nothing is known: a sample is lost.
sample() { # NUMBER AT LOST QUEUED
	echo "@0 {\"t\":\"sample\",\"position\":0,\"number\":$1,\"at_ns\":$2,\"lost\":$3,\"tasks\":9,\"free_bytes\":4096,\"ticks\":4,\"queued\":[$4],\"switches\":[7,8,0],\"migrations\":[0,1,0],\"idle_ns\":[0,0,0]} *0"
}
{
	sed '$d' one.log
	sample 0 1000000 0 0,2,5
	sample 1 2000000 0 0,2,5
	sample 2 4000000 1 1,2,5
	sample 3 5000000 0 1,2,5
	sed -n '$p' one.log
} | seal >sampled.log
run 0 plot timeline sampled.log
is_xml
has "idle" "1 task" "2 to 4" "5 to 16" "msec since the start of the run" "hackbench, newidle=throttle"
patches() { # CELLS COLOUR: and one in the key
	count $(($1 + 1)) "//*[local-name()='polygon'][translate(@fill, ' ', '') = 'rgb($2)']"
}
patches 1 244,244,244
patches 1 166,206,227
patches 2 79,149,200
patches 2 31,95,168
result $ok "plot timeline"
sed "s|newidle=off|\`touch harm\`'; system('touch harm') #|g; s|\"hackbench\"|\"@{x}_y^\\\\\\\\n'.system('touch harm').'\"|g" "$golden" | seal >harm.log
run 0 check harm.log
for kind in runs distribution waste latency; do
	run 0 plot $kind harm.log
	is_xml
	has "\`touch harm\`'; system('touch harm'"
	[ ! -e harm ] || { ok=1; echo "a command in the log was run" >>output; }
	result $ok "plot $kind runs nothing that stands in a log"
done
run 1 plot runs damaged.log
has "damaged.log: damaged: "
result $ok "a picture says that its log is damaged"
expect_error "no kind" 2 "nothing to draw: expected runs, distribution" plot
expect_error "unknown kind" 2 "pie: expected runs, distribution" plot pie "$golden"
expect_error "no log to plot" 2 "no log; expected its name" plot runs
expect_error "unknown option" 2 "--colour: no such option; expected -o, --metric or --boot" plot runs --colour "$golden"
expect_error "a format that there is not" 2 "-o x.pdf: expected a name that ends in .svg or .png" plot runs -o x.pdf "$golden"
expect_error "a figure that there is not" 2 "--metric speed: no run has it" plot runs --metric speed "$golden"
expect_error "a figure where it has no place" 2 "--metric elapsed: waste always draws the same figures" plot waste --metric elapsed "$golden"
expect_error "nothing to draw" 2 "nothing to draw: no run has what latency shows" plot latency none.log
expect_error "a log that is not there" 2 "cannot read nothing: No such file" plot runs nothing "$golden"
expect_error "a place that cannot be written" 2 "cannot write nowhere/x.svg: No such file" plot runs -o nowhere/x.svg "$golden"
echo kept >kept.svg
PATH=$work "$fairlog" plot runs -o kept.svg "$golden" >output 2>&1
[ $? -eq 2 ] && [ "$(cat output)" = "fairlog plot: gnuplot is not installed: apt-get install gnuplot-nox" ] && [ "$(cat kept.svg)" = kept ]
result $? "no gnuplot"

echo "1..$number"
[ $failures -eq 0 ]
