#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Damages golden.log in every way a serial line, a terminal or a person may, and checks what fairlog says of it:
#
#     tests/log/damage.sh build/fairlog
#
# Prints TAP. A test names the exit code (0 whole, 1 damaged or incomplete, 2 unreadable or usage) and the words that must
# be in the output; after a miss the whole output follows as comments. Record N of golden.log has its number in its line.
set -u

[ $# -eq 1 ] || { echo "usage: $0 FAIRLOG, the program to test" >&2; exit 2; }
fairlog=$(realpath "$1")
here=$(dirname "$(realpath "$0")")
golden=$here/golden.log
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
log=log # every damaged variant, in turn
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
		sed 's/^/# /' output
	fi
}

expect() { # NAME CODE COMMAND WORDS...: runs "fairlog COMMAND" and looks for all WORDS
	name=$1 code=$2 command=$3
	shift 3
	# shellcheck disable=SC2086 # the command is meant to be split
	"$fairlog" $command >output 2>&1 </dev/null
	got=$?
	ok=0
	if [ $got -ne "$code" ]; then
		ok=1
		echo "exit code $got; expected $code" >>output
	fi
	for words; do
		grep -qF -- "$words" output || { ok=1; echo "missing in the output: $words" >>output; }
	done
	result $ok "$name"
}

expect_same_summary() { # NAME: the log must give the golden summary
	"$fairlog" summary - <"$log" >shown 2>&1
	diff "$here/golden.summary" shown >output 2>&1
	result $? "$1"
}

crc() { # TEXT: its CRC32, which gzip puts behind the data, lowest byte first
	printf '%s' "$1" | gzip -c | tail -c 8 | od -An -tx1 -N4 | awk '{ print $4 $3 $2 $1 }'
}

reseal() { # SEQ SED: changes the text of one record and makes its CRC right again
	text=$(sed -n "/^@$1 /{s/ \*[0-9a-f]*\$//;$2;p;}" "$golden")
	RECORD="$text *$(crc "$text")" awk -v head="@$1 " 'index($0, head) == 1 { $0 = ENVIRON["RECORD"] } { print }' "$golden" >"$log"
}

reseal_runs() { # WORKLOAD SED: the same with all runs of a workload
	while IFS= read -r line; do
		case $line in
		'@'*'"t":"run","workload":"'$1'"'*)
			text=$(printf '%s' "$line" | sed "s/ \*[0-9a-f]*\$//;$2")
			line="$text *$(crc "$text")" ;;
		esac
		printf '%s\n' "$line"
	done <"$golden" >"$log"
}

whole="whole: 55 good records; 20 runs, 0 failed; ended ok"

# ---- nothing wrong ----
cp "$golden" "$log"
expect "golden log is whole" 0 "check $log" "$whole"
expect_same_summary "golden log gives the golden summary"
"$fairlog" check - <"$golden" >output 2>&1 && grep -q "^standard input: whole" output
result $? "log from standard input"

# ---- harmless additions: nothing is lost ----
sed "s/\$/$(printf '\r')/" "$golden" >"$log"
expect "CR LF" 0 "check $log" "$whole"
expect_same_summary "CR LF, summary"
tr '\n' '\r' <"$golden" >"$log"
expect "lone CR" 0 "check $log" "$whole"
esc=$(printf '\033')
sed "s/\"/${esc}[1;32m\"${esc}[0m/3; s/^@/${esc}[2J${esc}]0;title$(printf '\a')@/" "$golden" >"$log"
expect "escape sequences before and inside records" 0 "check $log" "$whole"
expect_same_summary "escape sequences, summary"
sed "s/^@/GRUB loading. @@3 $(printf '\377\200')@/" "$golden" >"$log"
expect "noise before records" 0 "check $log" "$whole"
sed 's/:/:~/' "$golden" | tr '~' '\000' >"$log"
expect "NUL bytes inside records" 0 "check $log" "$whole"
tr -d '\n' <"$golden" >"$log"
expect "all on one line" 0 "check $log" "$whole"
{ gzip -c "$golden"; echo; cat "$golden"; gzip -c "$golden"; } >"$log"
expect "garbage before and after" 0 "check $log" "$whole"
{ head -c 8000000 /dev/zero | tr '\000' 'x'; cat "$golden"; } >"$log"
expect "a line of 8 MB" 0 "check $log" "$whole"
sed '/^@7 /p' "$golden" >"$log"
expect "a line twice is said and used once" 0 "check $log" "note: record 7 comes again" "$whole"
expect_same_summary "a line twice, summary"

# ---- damage on the way ----
head -c 9000 "$golden" >"$log"
expect "cut in the middle of a line" 1 "check $log" "is damaged" "does not end in } *CRC32" "no end record" "damaged:"
sed '/^@10 /s/elapsed_ns":1/elapsed_ns":9/' "$golden" >"$log"
expect "flipped byte" 1 "check $log" "record 10 is damaged" "its CRC32 is given as" "record 10 is missing before this one, record 11" \
	"damaged lines just before: 1" "damaged: 54 good records, 1 damaged, 1 missing"
expect "flipped byte, summary starts with it" 1 "summary $log" "log: damaged: 54 good records" "record 10 is damaged" \
	"hackbench, newidle=throttle: 3 runs of 4 planned" "all                      2400 "
sed '/^@5 /s/@/A/' "$golden" >"$log"
expect "damaged beginning" 1 "check $log" "a record is damaged" "it does not begin with @NUMBER" "record 5 is missing"
sed '/^@7 /s/.\{300\}$//' "$golden" >"$log"
expect "lost end of a record" 1 "check $log" "record 7 is damaged" "does not end in"
sed '/^@7 /s/.\{300\}$/~/' "$golden" | tr -d '\n' | tr '~' ' ' >"$log"
expect "lost end, next record on the same line" 1 "check $log" "damaged: 54 good records, 1 damaged, 1 missing"
sed '/^@5 /d' "$golden" >"$log"
expect "dropped line" 1 "check $log" "record 5 is missing before this one, record 6" "damaged: 54 good records, 1 missing"
sed '/^@[5-9] /d' "$golden" >"$log"
expect "dropped lines" 1 "check $log" "records 5..9 are missing before this one, record 10"
sed '/^@[0-3] /d' "$golden" >"$log"
expect "dropped beginning" 1 "check $log" "records 0..3 are missing" "there is no boot record" "read as format 1"
expect "dropped beginning, summary" 1 "summary $log" "image     not known" "machine   not known" "4 runs"
sed '/^@54 /d' "$golden" >"$log"
expect "missing end" 1 "check $log" "no end record: the log breaks off after record 53" "incomplete: 54 good records"
: >"$log"
expect "empty file" 1 "check $log" "incomplete: there is no record in it"
expect "empty file, summary" 1 "summary $log" "there is no record in it"
gzip -c "$golden" >"$log"
expect "binary garbage" 1 "check $log" "there is no record in it"

# ---- more than one boot ----
{ sed '/^@19 /,$d' "$golden"; cat "$golden"; } >"$log"
expect "two boots" 1 "check $log" "no end record: the log breaks off after record 18" "note: record 0 after record 18: boot 2 begins here" \
	"boot 1: incomplete: 19 good records" "boot 2: $whole" "damaged: 1 of 2 boots are whole"
expect "two boots, the last one by itself" 0 "check --boot 2 $log" "boot 2: $whole"
expect "two boots, summary shows the last" 0 "summary $log" "boot 2 of 2" "whole: 55 good records"
expect "two boots, summary of the first" 1 "summary --boot=1 $log" "boot 1 of 2" "incomplete" "hackbench, newidle=off: 2 runs of 4 planned" \
	"massive_intr, newidle=off: 0 runs of 4 planned" "cannot be compared"
expect "two boots, no third" 2 "summary --boot 3 $log" "expected a number from 1 to 2"
cat "$golden" "$golden" >"$log"
expect "the same boot twice" 0 "check $log" "whole: 2 of 2 boots are whole"

# ---- records that are not as expected ----
reseal 7 's/"t":"run"/"t":"rum"/'
expect "unknown type" 1 "check $log" "record 7: type \"rum\" is not known" "54 good records, 1 not as expected"
reseal 7 's/"elapsed_ns":[0-9]*,//'
expect "missing field" 1 "check $log" "record 7 of type run: field elapsed_ns is missing; expected an unsigned integer"
reseal 7 's/"counts":\[\]/"counts":"none"/'
expect "wrong kind" 1 "check $log" "field counts is not what it should be; expected an array of unsigned integers"
reseal 7 's/"status"/"colour":"red","status"/'
expect "extra field" 1 "check $log" "field colour is not known in this type"
reseal 7 's/"migrations":[0-9]*/"migrations":-1/'
expect "negative number" 1 "check $log" "the number -1 is not an integer from 0"
reseal 7 's/"migrations":[0-9]*/"migrations":/'
expect "no JSON" 1 "check $log" "record 7: its JSON is not valid"
reseal 7 's/,"status"/, "status"/'
expect "a blank that the kernel does not write" 1 "check $log" "record 7 of type run: it is right, but not written as the kernel writes it" \
	"54 good records, 1 not as expected"
reseal 7 's/"knobs":{"NEXT_BUDDY":0/"knobs":{"HZ":1,"NEXT_BUDDY":0/'
expect "a switch twice" 1 "check $log" "record 7: its JSON is not valid: duplicate object key"
reseal 0 's/"format":1/"format":9/'
expect "unknown format" 1 "check $log" "the records have format 9; this fairlog reads format 1" "unknown format: 0 good records"
expect "unknown format, summary" 1 "summary $log" "the records have format 9"
reseal 54 's/"runs":20/"runs":21/'
expect "end record that counts more runs" 1 "check $log" "the end record counts 21 runs; the log has 20"

# ---- what a summary leaves out or cannot know ----
reseal 10 's/"status":"ok"/"status":"timeout"/'
expect "failed run is left out" 1 "summary $log" "left out: 1 warm-up run, 1 run not ok (\"timeout\")" \
	"hackbench, newidle=throttle: 3 runs of 4 planned"
grep -v -e '^@13 ' -e '^@16 ' -e '^@25 ' "$golden" >"$log" # of hackbench with newidle=off, only record 28 is left
expect "too few runs" 1 "summary $log" "hackbench, newidle=off: 1 run of 4 planned" "n/a  ) [1]" "[1] fewer than two runs that count and"
reseal 1 's/"hypervisor":"none"/"hypervisor":"TCGTCGTCGTCG"/'
expect "hypervisor" 0 "summary $log" "hypervisor TCGTCGTCGTCG" "are not representative, counts are"

# ---- a table, by the figures in make-golden.sh: +-0.82 % of elapsed, 1000 +- 40.8 switches, 20 us of delay for each, 60 +- 1.63 migrations ----
cp "$golden" "$log"
expect "table" 0 "table $log" "| log | workload | variant | runs | elapsed, ms |" \
	"| log | hackbench | newidle=throttle | 4 | 100.00 +- 0.8 % | 1000 +- 4.1 % | 60 +- 2.7 % | 20 +- 4.1 % | 9.98 +- 0.0 % | 0.10 +- 4.1 % |" \
	"| log | massive_intr | newidle=off | 4 |" "| 0.00 | 0.00 | 843.0, 792 .. 888 |"
cp "$golden" other.log
"$fairlog" table "$log" ./other.log >output 2>&1
[ $? -eq 0 ] && [ "$(grep -c '^| log | workload' output)" = 1 ] && [ "$(grep -c '^| other |' output)" = 4 ] && [ "$(wc -l <output)" = 10 ]
result $? "table of two logs: one head, four rows each"
sed '/^@5 /d' "$golden" >"$log"
expect "table names the damaged log and takes the others" 1 "table other.log $log" "fairlog table: log: damaged: 54 good records, 1 missing" "| other |"
"$fairlog" table "$log" >output 2>/dev/null
[ "$(wc -l <output)" = 2 ]
result $? "table has no rows of a damaged log"
reseal 10 's/"status":"ok"/"status":"timeout"/'
expect "table refuses a failed run" 1 "table $log" "fairlog table: log: damaged: 55 good records; 20 runs, 1 failed"
reseal 54 's/"status":"ok"/"status":"failed"/'
expect "table refuses a failed end" 1 "table $log" "fairlog table: log: whole: 55 good records; 20 runs, 0 failed; ended failed"

# ---- published experiments; golden.log is of a machine like the Q6600 ----
cp "$golden" "$log"
expect "exp of a log that is of none" 2 "exp $log" "its plan names no published experiment"
reseal 2 's/"experiment":""/"experiment":"power-policy"/'
expect "exp on a machine of which nothing was published" 0 "exp $log" "No figure of power-policy was published of a machine"
reseal 2 's/"experiment":"","scale_percent":100/"experiment":"idle-balance","scale_percent":10/'
expect "exp without its variants" 0 "exp $log" "+2.6 % (+1.7 .. +3.5)      no figure                  cannot say" \
	"0 agree, 0 have the same direction and another size, 0 are contradicted, of 4 it cannot be said." "This ran at 10 % of the length"
sed 's/newidle=throttle/preset=v3.8/g; s/newidle=off/preset=v3.8-nonewidle/g; s/"experiment":""/"experiment":"idle-balance"/' "$golden" |
	while read -r line; do
		case $line in
		@*) text=${line% \**}; echo "$text *$(crc "$text")" ;;
		esac
	done >"$log"
# The pairs of elapsed times are 104/100, 106/102, 102/98 and 104/100: logarithms 0.03923 +- 3.182 * 0.000629 / 2.
expect "exp: ours beside theirs" 0 "exp $log" "hackbench: preset=v3.8-nonewidle against preset=v3.8" \
	"elapsed                +2.6 % (+1.7 .. +3.5)      +4.0 % (+3.9 .. +4.1)      same direction, other size"

# ---- screens: one switch is one, too; 0.03923 +- 2.447 * 0.011329 by make-golden.sh, and t for 6 degrees of freedom ----
cp "$golden" "$log"
expect "screen" 0 "screen $log" "hackbench: elapsed, 1 switch in 2 of 2 combinations" "A  newidle: throttle to off" \
	"A    newidle                                          +4.00      +1.16 ..    +6.92" "6 degrees of freedom"
expect "screen by another figure" 0 "screen --metric=migrations $log" "hackbench: migrations, 1 switch"
expect "screen by a figure that is not there" 2 "screen --metric migration $log" "hackbench has no figure migration"
expect "screen of a figure that is 0" 1 "screen --metric wasted $log" "a variant has no run with wasted above 0"
expect "screen with an option that is none" 2 "screen --metrics x $log" "--metrics: expected --metric NAME"
expect "screen without a log" 2 "screen" "no log: expected"
expect "screen of boot 2 of 1" 2 "screen --boot 2 $log" "has no boot of that number"
sed 's/newidle=off/newidle=throttle (A\/A)/g' "$golden" | while read -r line; do
	case $line in
	@*) text=${line% \**}; echo "$text *$(crc "$text")" ;;
	esac
done >"$log"
expect "screen of a control alone" 2 "screen $log" "1 variants; expected 2 to"

# ---- effects: of each variant but the first the change of the means of logarithms, as in the golden summary ----
cp "$golden" "$log"
expect "effects" 0 "effects $log" "| hackbench | newidle=throttle | elapsed, msec | 100.000 | 1000 | 60 | 0.10 |" \
	"| | newidle=off | less is better | +4.0 %\\* | +20.1 %\\* | -16.7 %\\* | -100.0 % |" \
	"| massive_intr | newidle=throttle | elapsed, msec | 1000.001 | 508 | 4 | 0.00 |" "| | newidle=off | less is better | = | = | = | = | = |"
sed '/^@10 /d' "$golden" >"$log"
expect "effects refuses a damaged log" 1 "effects $log" "fairlog effects: log: damaged"

# ---- perf stat's layout, and a mail ----
cp "$golden" "$log"
expect "perf" 0 "perf $log" " Performance counter stats for 'hackbench' (4 runs):" \
	"        399.000000 task-clock                #    3.990 CPUs utilized            ( +-  0.82% )" \
	"   <not supported> stalled-cycles-frontend " \
	"       0.104000000 seconds time elapsed                                          ( +-  0.79% )"
[ "$(grep -c '^newidle=off$' output)" = 2 ] && [ "$(grep -c 'seconds time elapsed' output)" = 4 ]
result $? "perf has a block for each workload and variant"
expect "mail" 0 "mail $log" "newidle balancing: throttle against off" "One boot; 4 runs of each workload under each variant after" \
	"elapsed, ms (judged by this: less is better)" "  newidle=off           104.000 +-  0.79 %  1.040  1.012 .. 1.069 worse" \
	"    run=hackbench run=massive_intr vary=newidle:throttle,off runs=4 warmup=1 then=poweroff"
awk 'length > 72 && !/^    run=/ { wide = 1 } END { exit wide }' output # a recipe is one line
result $? "mail has 72 columns"
expect "mail with perf's layout" 0 "mail --perf $log" "newidle balancing: throttle against off" " Performance counter stats for 'massive_intr' (4 runs):"
expect "only mail takes --perf" 2 "perf --perf $log" "--perf: no such option"
sed '/^@5 /d' "$golden" >"$log"
expect "perf refuses a damaged log" 1 "perf $log" "fairlog perf: log: damaged: 54 good records, 1 missing"
expect "mail refuses a damaged log" 1 "mail $log" "fairlog mail: log: damaged: 54 good records, 1 missing"
reseal 10 's/"status":"ok"/"status":"timeout"/'
cp "$log" failed
(golden=failed; reseal 54 's/"failed":0/"failed":1/')
expect "mail refuses a failed run" 1 "mail $log" "fairlog mail: log: whole: 55 good records; 20 runs, 1 failed"

# What a workload is judged by comes first, and only of that is it said which is better: 10 times 100 .. 104 ms, where more is better.
reseal_runs hackbench 's/"figure":"elapsed_ns","better":"less","result":{/"figure":"score","better":"more","result":{"score":1/; s/"elapsed_ns":\([0-9]*\)000000,\(.*\)"score":1/"elapsed_ns":\1000000,\2"score":\10,/'
expect "mail, more is better" 0 "mail $log" "score (judged by this: more is better)" \
	"  newidle=off            1040.0 +-  0.79 %  1.040  1.012 .. 1.069 better"
expect "summary, more is better" 0 "summary $log" "   judged by score, more is better" \
	"   score                              1.0400       1.0116 .. 1.0693  better"
sed -n '/judged by score/,/elapsed/p' output | sed -n 3p | grep -q '^ *1000.0        score  *( +-  0.82% )$'
result $? "summary, what it is judged by comes first"

# Runs that were disturbed count, and it is said. At 1.25 times the base frequency, 100 ms are 125, and a score of 1000 is 800.
unclean='s/"clean":1,"dirty":""/"clean":0,"dirty":"2 SMIs"/'
fast='s/"frequency_ppm":0/"frequency_ppm":1250000/'
reseal_runs hackbench "$unclean; $fast"
expect "runs that are not clean" 0 "summary $log" "   not clean: 4 of 4 runs (the first one: 2 SMIs)" "     125.000 msec   at base frequency" \
	"     125.00  %    frequency, of base"
expect "compare: runs that are not clean" 1 "compare $log" "Not clean, and counted all the same: of A, 4 of 4 runs (the first one: 2 SMIs)." \
	"of B, 4 of 4 runs"
still() { # SEQ STATE: a record of what was held in the run of massive_intr that ends the golden log
	text='@'$1' {"t":"still","position":19,"item":"turbo","asked":"off","before":"","during":"","after":"","state":"'$2'"}'
	echo "$text *$(crc "$text")"
}
not_held() { # STATE
	last=$(sed -n 's/^@54 \(.*\) \*[0-9a-f]*$/@55 \1/p' "$golden")
	{ sed '/^@54 /d' "$golden"; still 54 "$1"; echo "$last *$(crc "$last")"; } >"$log"
}
not_held "not supported: CPUID says of no turbo"
expect "what was not held" 0 "summary $log" "   not held: turbo=off: not supported: CPUID says of no turbo"
[ "$(grep -c 'not held' output)" = 1 ]
result $? "what was not held is said where it was not"
not_held held
"$fairlog" summary "$log" >output 2>&1
! grep -q 'not held' output
result $? "nothing is said of what was held"
reseal 10 "$unclean"
expect "one run that is not clean" 0 "summary $log" "   not clean: 1 of 4 runs (2 SMIs)"
[ "$(grep -c 'not clean\|of base' output)" = 1 ]
result $? "nothing is said of clean runs and unknown frequencies"
reseal_runs hackbench "$fast"';s/"figure":"elapsed_ns","better":"less","result":{/"figure":"score","better":"more","result":{"score":1000,/'
expect "a score at base frequency" 0 "summary $log" "    1000.0        score" "     800.0          at base frequency"

# A recipe, followed by a shell and by a make that has the Makefile's rules, must come out as the command line that it is from.
cat >Makefile <<'EOF_MAKE'
run: run-$(MACHINE)
run-lockstep:
	@printf '%s' 'topo=$(TOPO) $(ARGS)'
run-sim:
	@printf '<%s>' topo=$(TOPO) $(ARGS)
EOF_MAKE
follow() { # NAME MACHINE CMDLINE EXPECTED: CMDLINE as JSON has it
	reseal 0 "s|\"machine\":\"metal\",\"loader\":\"GRUB 2.06\"|\"machine\":\"$2\",\"loader\":\"PVH\"|; s|\"cmdline\":\"[^\"]*\",\"exact\":0|\"cmdline\":\"$3\",\"exact\":1|"
	"$fairlog" mail "$log" 2>&1 | sed -n 's/^    make/make/p' >recipe
	sh ./recipe >followed 2>&1
	printf '%s' "$4" >wanted
	cat recipe followed >output
	cmp -s followed wanted
	result $? "$1"
}
follow "recipe of lockstep" lockstep 'topo=2n:4c run=\\"hackbench -g 4\\" runs=4' 'topo=2n:4c run="hackbench -g 4" runs=4'
follow "recipe of lockstep, awkward characters" lockstep "topo=4c run=\\\\\"it's \$HOME \\\\\\\\ #1\\\\\"" "topo=4c run=\"it's \$HOME \\ #1\""
follow "recipe of the sim" sim 'topo=2n:4c \\"run=hackbench -g 4\\" runs=4' '<topo=2n:4c><run=hackbench -g 4><runs=4>'
follow "recipe of the sim, awkward characters" sim "topo=4c \\\\\"run=it's \$HOME \`a\` * #1\\\\\" a;b" "<topo=4c><run=it's \$HOME \`a\` * #1><a;b>"

# ---- many logs ----
# Two boots that differ by their seed and are alike in all else: their means have no spread.
cp "$golden" "$log"
reseal 0 's/"cmdline":"\([^"]*\)"/"cmdline":"\1 seed=7"/'
cp "$log" seed7.log
expect "list" 0 "list $log" "log	ok	metal	"
cp "$golden" "$log"
expect "pool takes boots that differ by the seed for samples of one thing" 0 "pool $log ./seed7.log" \
	"| hackbench | newidle=throttle | 2 | 8 | 100.00 +- 0.0 % |" "| massive_intr | newidle=off | 2 | 8 |"
[ "$(grep -c '^| ' output)" = 5 ]
result $? "pool has one row for each workload and variant"
expect "pool of one log" 0 "pool $log" "| hackbench | newidle=throttle | 1 | 4 | 100.00 |"
reseal 0 's/"cmdline":"\([^"]*\)"/"cmdline":"\1 runs=9"/'
cp "$log" other.log
cp "$golden" "$log"
"$fairlog" pool "$log" ./other.log >output 2>&1
[ "$(grep -c '| hackbench | newidle=throttle | 1 | 4 |' output)" = 2 ]
result $? "pool keeps boots apart that differ by more"
reseal 0 's/"build":"[^"]*"/"build":"other"/'
cp "$log" other.log
cp "$golden" "$log"
expect "pool refuses another image" 1 "pool $log other.log" "other.log: left out: its image is another"
sed '/^@5 /d' "$golden" >"$log"
expect "pool refuses a damaged log" 1 "pool $log" "log: left out: the log is not whole"
expect "list says damaged" 1 "list $log" "log	damaged	"

# ---- a verdict, by the figures in make-golden.sh ----
# The logarithms of 104/100, 106/102, 102/98 and 104/100: mean 0.039228, sd 0.000628, t(0.975, 3) 3.1824: +-0.00100, 1.0390 .. 1.0410.
# Voluntary switches 960/800, 1040/880, 880/720 and 960/800: mean 0.18309, 1.2009.
cp "$golden" "$log"
expect "compare: worse" 1 "compare $log" "paired: runs of the same number are of one pass" "Verdict: elapsed: B is slower by 4.0 % (3.9 .. 4.1)." \
	"1.0390 .. 1.0410" "2 verdicts"
expect "compare: same figure in each pair" 1 "compare $log" "elapsed: no difference: it is the same in both runs of each of the 4 pairs."
expect "compare: the other way round" 0 "compare --base newidle=off $log" "B is faster by 3.8 % (3.8 .. 3.9)."
expect "compare: more than the margin" 1 "compare --margin 3 $log" "which is more than the margin of 3 %."
expect "compare: within the margin" 0 "compare --margin=5 $log" "A and B differ by less than 5 %: by +4.00 %"
expect "compare: undecided" 125 "compare --margin 4 $log" "cannot say whether B is worse by more than 4 %"
expect "compare: a figure of no direction" 125 "compare --metric migrations $log" "--better less or --better more"
expect "compare: more switches are worse" 1 "compare --metric voluntary --better less $log" "voluntary: B is worse by 20.1 %"
expect "compare: more switches are better" 0 "compare --metric voluntary --better=more $log" "voluntary: B is better by 20.1 %"
expect "compare: no such figure" 125 "compare --metric rps $log" "Verdict: none: there is no figure named rps" "Cannot say: there is nothing"
"$fairlog" compare --metric "count per task" --better more "$log" >output 2>&1
[ $? -eq 1 ] && grep -qF "Verdict: none: there is no figure named count per task" output && grep -qF "count per task: B is worse by 4.5 %" output
result $? "compare: a workload without the figure does not count" # 843 against 883
expect "compare: a figure that is the same in all runs" 125 "compare --metric migrations --better less $log" \
	"migrations: B is better by 16.7 %" "migrations: cannot say: the runs of a side are all the same."
expect "compare: one 0" 125 "compare --metric wasted $log" "wasted: cannot say by how much: it is 0 in one of the runs."
expect "compare: no such variant" 128 "compare --base newidle=on $log" "has no such variant"
cp "$golden" other.log
expect "compare: two logs with several variants" 128 "compare $log other.log" "has 2 variants, such as newidle=throttle; expected --variant"
expect "compare: two logs" 0 "compare --variant newidle=off $log other.log" "not paired: the machine is not exact" "no difference seen; one of" \
	"The logs are of two boots"
reseal 0 's/"exact":0/"exact":1/'
cp "$log" exact.log
expect "compare: two logs of an exact machine" 0 "compare --variant newidle=off exact.log ./exact.log" "paired: runs of the same number were perturbed alike" \
	"it is the same in both runs of each of the 4 pairs"
sed '/^@10 /d' "$golden" >"$log"
expect "compare refuses a damaged log" 125 "compare $log" "log: damaged: 54 good records, 1 missing" "--partial compares what is left"
expect "compare: what is left" 1 "compare --partial $log" "compared by what is left" "newidle=throttle, 3 runs" "B is slower by 4.0 %"
grep -v -e '^@10 ' -e '^@19 ' "$golden" >"$log"
expect "compare: two pairs are too few" 125 "compare --partial $log" "elapsed: too few runs to say: 2 and 2; at least 3 each"
reseal 10 's/"status":"ok"/"status":"timeout"/'
expect "compare refuses a failed run" 125 "compare $log" "1 failed"
expect "compare: no log" 128 "compare" "no log; expected one or two"
expect "compare: missing file" 128 "compare nothing" "nothing: No such file"
expect "compare: bad margin" 128 "compare --margin x $log" "--margin x: expected per cent"
expect "compare: unknown option" 128 "compare --marge 1 $log" "--marge: no such option; expected --base"

# ---- what accompanied the runs, and samples ----
reseal 2 's/"with":\[\]/"with":["cyclictest -t 2","pipe"]/'
expect "summary says what accompanied the runs" 0 "summary $log" " hackbench (with cyclictest -t 2, pipe), newidle=off: 4 runs" \
	" massive_intr (with cyclictest -t 2, pipe): newidle=off against newidle=throttle"
expect "mail and perf say so too" 0 "mail --perf $log" "hackbench (with cyclictest -t 2, pipe)" "newidle=off (with cyclictest -t 2, pipe)"
expect "table says so too" 0 "table $log" "| log | hackbench (with cyclictest -t 2, pipe) | newidle=off |"
reseal 10 's/"background":{}/"background":{"cyclictest.max_ns":4711}/'
expect "summary shows its figures" 0 "summary $log" "4711.0        cyclictest.max_ns"
sample='@54 {"t":"sample","position":19,"number":0,"at_ns":1000000,"lost":0,"tasks":9,"free_bytes":4096,"ticks":4,"queued":[1,2,0,1],'
sample="$sample\"switches\":[7,8,0,9],\"migrations\":[0,1,0,0],\"idle_ns\":[0,0,1000000,0]}"
end=$(sed -n '/^@54 /{s/^@54/@55/;s/ \*[0-9a-f]*$//;p;}' "$golden")
{ sed '/^@54 /,$d' "$golden"; echo "$sample *$(crc "$sample")"; echo "$end *$(crc "$end")"; } >"$log"
expect "samples are records as others" 0 "check $log" "whole: 56 good records; 20 runs, 0 failed; ended ok"

# ---- the command line ----
expect "help" 0 "--help" "Usage: fairlog COMMAND"
expect "version" 0 "--version" "format 1"
expect "no command" 2 "" "no command; expected check, summary,"
expect "unknown command" 2 "chekc $log" "chekc: no such command; expected check, summary,"
expect "unknown option" 2 "check --boat $log" "--boat: no such option; expected --boot N"
expect "bad boot" 2 "check --boot x $log" "--boot x: expected a number from 1 on"
expect "no log" 2 "check" "check: no log; expected its name"
cp "$golden" "$log"
expect "two logs" 0 "check $log other.log" "log: $whole" "other.log: $whole"
expect "two logs, one is missing" 2 "check nothing $log" "cannot open nothing" "log: $whole"
expect "missing file" 2 "check nothing" "cannot open nothing: No such file"
expect "directory" 2 "summary ." "cannot read .: Is a directory"

echo "1..$number"
[ $failures -eq 0 ]
