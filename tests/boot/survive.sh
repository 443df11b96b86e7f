#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Results outlive a warm reset: resets the kernel in QEMU in several ways and looks at what the next boot finds in memory. Prints TAP.
#
# Usage: tests/boot/survive.sh BUILD-DIRECTORY
# What one boot sent to the console after its memory was set up must come again, byte for byte, in the next, and in no later one.
set -u
cd "$(dirname "$0")/../.." || exit 2
build=$1
work=$(mktemp -d)
log=$work/log
trap 'rm -rf "$work"' EXIT
n=0
failed=0

report() { # ok|"not ok" NAME
	n=$((n + 1))
	echo "$1 $n - $2"
	[ "$1" = ok ] && return
	failed=$((failed + 1))
	tail -n 5 "$log" | tr -d '\r' | cut -c1-160 | sed 's/^/#   /'
}

verdict() { # NAME COMMAND
	local name=$1
	shift
	if "$@"; then report ok "$name"; else report "not ok" "$name"; fi
}

run='run="hackbench -g 1 -f 4 -l 5"'
head='== The log of the boot before, which survived in memory: '
tail='== End of the log of the boot before'

# boots "QEMU.SH OPTIONS" "COMMAND LINE" N TEXT: resets until N lines have TEXT
boots() {
	: >"$log"
	# shellcheck disable=SC2086 # a list of words
	eval tools/qemu.sh -q -t 120 -l "$log" -r "'$3:$4'" $1 "'$2'" >"$work/out" 2>&1
}

# The log in lines, without what firmware and GRUB draw; the parts between heads and tails in files old.1, old.2, ...
take_apart() {
	rm -f "$work"/old.* "$work"/new.*
	tr -d '\r' <"$log" | awk -v dir="$work" -v head="$head" -v tail="$tail" '
		index($0, head) { old++; inside = 1; split($0, word, "memory: "); bytes = word[2] + 0; print bytes > (dir "/old." old ".bytes"); next }
		index($0, tail) { inside = 0; next }
		inside { print > (dir "/old." old); next }
		/@0 \{/ { boot++ }
		boot { print > (dir "/new." boot) }'
}

# What the second boot said is what the third found, but for what a firmware said in between. So is its length.
comes_again() { # NAME
	take_apart
	sed '/"t":"end"/q' "$work/new.2" >"$work/said"
	verdict "$1: the log comes again, to the letter" cmp "$work/said" <(sed -n '/@0 {/,$p' "$work/old.2")
	verdict "$1: and is as long as it says" [ "$(wc -c <"$work/old.2")" = "$(cat "$work/old.2.bytes")" ]
	verdict "$1: only once" [ "$(grep -c '"t":"boot"' "$work/old.2")" = 1 ]
}

kernel="-k $build/fairmetal.elf"

# ---- a reset that was asked for, through each way in; GRUB and both kinds of firmware use memory of their own meanwhile ----
verdict "then=reset, resets" boots "$kernel" "$run then=reset" 3 "$tail"
comes_again "then=reset"
tr -d '\r' <"$log" | awk -v tail="$tail" '{ print } index($0, tail) && ++n == 3 { exit }' >"$work/plain" # the boot that was cut off is not asked for
"$build/fairlog" check "$work/plain" >"$work/out" 2>&1
verdict "fairlog: three boots, each twice, and all are whole" grep -q 'whole: 6 of 6 boots are whole' "$work/out"
sed -n "/$head/,/$tail/p" "$work/plain" | sed "/$tail/q" >"$work/one"
verdict "what came again is a whole log by itself" "$build/fairlog" check "$work/one"

printf '%s\n' 'serial --unit=0 --speed=115200' 'terminal_output serial console' 'set timeout=0' \
	"menuentry test { multiboot2 /boot/fairmetal.elf $run then=reset }" >"$work/grub.cfg"
verdict "making an image" tools/mkiso.sh "$work/test.iso" "$build/fairmetal.elf" "$work/grub.cfg"
verdict "BIOS and GRUB, resets" boots "-i $work/test.iso" "" 3 "$tail"
comes_again "BIOS and GRUB"
verdict "UEFI and GRUB, resets" boots "-u -i $work/test.iso" "" 3 "$tail"
comes_again "UEFI and GRUB"
verdict "lockstep, resets" boots "-k $build/fairmetal-lockstep.elf -c 1" "topo=2c $run then=reset" 3 "$tail"
comes_again "lockstep"

# ---- a reset by the watchdog, and after a triple of other faults ----
for kind in hard null overflow; do
	verdict "provoke=$kind panic=reset, resets" boots "$kernel" "watchdog_ms=1000 provoke=$kind panic=reset" 1 "$tail"
	take_apart
	verdict "provoke=$kind panic=reset: the fault comes again" grep -q '^@[0-9]* {"t":"fault"' "$work/old.1"
	verdict "provoke=$kind panic=reset: for people too" grep -q '^Fault: ' "$work/old.1"
done

# ---- more than there is room for: 1 MiB, of which 128 KiB are for the report of a fault ----
verdict "a long log, resets" boots "$kernel" 'run="hackbench -g 4 -l 100" runs=3 trace=on trace_events=100000 then=reset' 1 "$tail"
take_apart
verdict "a long log: the end of it is missing, and that is said" grep -q '^\[No more room: ' "$work/old.1"
verdict "a long log: what there is, is most of the megabyte" [ "$(wc -c <"$work/old.1")" -gt 900000 ]

# ---- what a reset may leave: an area as boot/results.h lays it out, then damaged ----
area() { # TEXT; gzip knows the CRC
	printf 'FRESULT1\1\0\0\0\0\0\0\0'
	printf '%b' "$(printf '\\%03o' $((${#1} & 255)) $((${#1} >> 8)) 0 0)"
	printf %s "$1" | gzip -c | tail -c 8 | head -c 4
	printf %s "$1"
}
finds() { # ADDRESS-OF-AREA: a boot that finds the file there; 0 if it ends well
	: >"$log"
	tools/qemu.sh -q -t 60 -l "$log" -k "$build/fairmetal.elf" -x "-device loader,force-raw=on,addr=$1,file=$work/area" "$run" >/dev/null 2>&1
}
spoil() { # OFFSET BYTE
	printf '%b' "\\$2" | dd of="$work/area" bs=1 seek="$1" conv=notrunc status=none
}
area "what was left" >"$work/area"
verdict "a sound area" finds 0x2000000
verdict "a sound area is shown" grep -q '^what was left' "$log"
spoils() { # NAME OFFSET BYTE: that byte of a sound area is another
	area "what was left" >"$work/area"
	spoil "$2" "$3"
	verdict "$1: the kernel runs" finds 0x2000000
	verdict "$1: nothing is shown" [ "$(grep -c "$head" "$log")" = 0 ]
}
spoils "another signature" 0 000
spoils "another version" 8 002
spoils "a length beyond the end" 19 377
spoils "a length of more than was written" 16 077
spoils "another text" 30 000
spoils "another CRC" 20 000

# ---- no room for it ----
: >"$log"
verdict "32 MiB: no place, no harm" tools/qemu.sh -q -t 60 -m 32M -l "$log" -k "$build/fairmetal.elf" "$run" 2>/dev/null

echo "1..$n"
[ $failed = 0 ]
