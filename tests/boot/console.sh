#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Consoles in QEMU: which ports get the log, what is on the screen, what keys do. Prints TAP.
#
# Usage: tests/boot/console.sh BUILD-DIRECTORY
# A screen of text is read back from its memory through QEMU's monitor; a screen of pixels is compared with letters drawn from the kernel's
# own font table. Expected texts are what docs/console.md promises. A miss prints what there was instead.
set -u
export LC_ALL=C # bytes are bytes
cd "$(dirname "$0")/../.." || exit 2
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
kernel=$build/fairmetal.elf
n=0
failed=0

verdict() { # NAME COMMAND: ok if the command succeeds; after a miss what is in the file output
	local name=$1
	shift
	n=$((n + 1))
	if "$@"; then
		echo "ok $n - $name"
	else
		failed=$((failed + 1))
		echo "not ok $n - $name"
		tail -n 8 "$work/output" | cut -c1-160 | sed 's/^/#   /'
	fi
}

# vm "QEMU ARGS" "COMMAND LINE": with what comes on standard input as commands of the monitor
vm() {
	# shellcheck disable=SC2086 # a list of words
	timeout 120 "${QEMU:-qemu-system-x86_64}" -accel tcg -smp 2 -m 128M -nodefaults -display none -no-reboot -monitor stdio $1 \
		-kernel "$kernel" -append "$2" >"$work/monitor" 2>&1
}

exit_device="-device isa-debug-exit,iobase=0xf4,iosize=4"
run='run="hackbench -g 1 -f 2 -l 5" vary=newidle:off,throttle'

whole() { "$build/fairlog" check "$1" >"$work/output" 2>&1; } # LOG
says() { tr -d '\r' <"$1" | grep -aqF -- "$2" || { cp "$1" "$work/output"; false; }; } # LOG TEXT

wait_for() { # LOG TEXT: up to a minute until it is there
	for _ in $(seq 300); do
		tr -d '\r' 2>/dev/null <"$1" | grep -aqF -- "$2" && return
		sleep 0.2
	done
}

# ---- serial ports ----
vm "$exit_device -serial file:$work/one -serial file:$work/two" "$run" </dev/null
verdict "two ports: the first has the log" whole "$work/one"
verdict "two ports: so has the second" whole "$work/two"
verdict "and both are named" says "$work/one" "Console: com2, 16550 at port 0x2f8"

four=''
for i in 1 2 3 4; do four="$four -chardev file,id=p$i,path=$work/pci$i"; done
vm "$exit_device -serial none $four -device pci-serial-4x,chardev1=p1,chardev2=p2,chardev3=p3,chardev4=p4" "$run" </dev/null
for i in 1 2 3 4; do verdict "port $i of four on a PCI card and nothing else" whole "$work/pci$i"; done
vm "$exit_device -serial none -chardev file,id=p,path=$work/pci -device pci-serial,chardev=p -machine q35" "$run" </dev/null
verdict "one port on a PCI card" whole "$work/pci"
vm "$exit_device -serial none -chardev file,id=c,path=$work/com4 -device isa-serial,iobase=0x2e8,index=3,chardev=c" "$run" </dev/null
verdict "the fourth port alone" whole "$work/com4"
vm "$exit_device -serial none -chardev file,id=c,path=$work/odd -device isa-serial,iobase=0x238,irq=5,index=0,chardev=c" "$run serial=0x238" </dev/null
verdict "a port at an unusual place" whole "$work/odd"
vm "$exit_device -serial file:$work/one -serial file:$work/two -debugcon file:$work/debug" "$run console=com2" </dev/null
verdict "console=com2: the second has the log" whole "$work/two"
verdict "console=com2: the first has none" test ! -s "$work/one"
vm "$exit_device -serial none -debugcon file:$work/debug" "$run" </dev/null
verdict "QEMU's debug port" whole "$work/debug"
vm "$exit_device -serial file:$work/one" "$run console=com2" </dev/null
verdict "a console= that names nothing is not obeyed" whole "$work/one"
verdict "and that is said" says "$work/one" "console=com2 names no console that there is"

# SPCR as the firmware of a server has it: 16550 at ports 0x2f8, 57600 baud; QEMU adds it to its own tables.
spcr=53504352500000000100464d4554414c5350435253504352010000004641495201000000
spcr=${spcr}0000000001080001f80200000000000000000000000006000100
spcr=$spcr$(printf '0%.0s' $(seq $((160 - ${#spcr}))))
printf '%b' "$(echo "$spcr" | sed 's/../\\x&/g')" >"$work/spcr"
vm "$exit_device -serial none -serial file:$work/two -acpitable file=$work/spcr" "$run" </dev/null
verdict "a port that SPCR names" whole "$work/two"
verdict "is used once" test "$(tr -d '\r' <"$work/two" | grep -ac '^Console: ')" = 1
sed 's/\xf8\x02/\x38\x02/' "$work/spcr" >"$work/spcr238"
vm "$exit_device -serial none -chardev file,id=c,path=$work/acpi -device isa-serial,iobase=0x238,irq=5,index=0,chardev=c -acpitable file=$work/spcr238" "$run" </dev/null
verdict "a port that only SPCR knows" whole "$work/acpi"
verdict "by its name" says "$work/acpi" "Console: acpi1, 16550 at port 0x238"

# A pipe that nobody reads takes some 64 KiB, then the port is stuck; the other goes on.
mkfifo "$work/pipe.in" "$work/pipe.out"
exec 3<>"$work/pipe.out" 4<>"$work/pipe.in"
vm "$exit_device -serial file:$work/one -serial pipe:$work/pipe" "$run runs=20" </dev/null 3<&- 4<&-
exec 3<&- 4<&-
verdict "a port that is stuck: the other has the log" whole "$work/one"
tr -d '\r' <"$work/one" | grep -a '^Console com2: ' >"$work/output"
verdict "and says how much was lost" grep -qE '^Console com2: [1-9][0-9]* of [0-9]+ characters could not be sent$' "$work/output"

# ---- the screen, as text: nothing else to write to ----
screen_text() { # the 25 rows of MONITOR OUTPUT of x /2000hx 0xb8000
	tr -d '\r' <"$work/monitor" | sed -n 's/^00000000000b8[0-9a-f]*: //p' | tr ' ' '\n' | sed -n 's/^0x..\(..\)$/\\x\1/p' |
		tr -d '\n' | fold -w 320 | while read -r row; do printf '%b\n' "$row"; done
}
{ sleep 8; echo 'x /2000hx 0xb8000'; sleep 1; echo quit; } | vm "-serial none -vga std" "$run then=halt"
screen_text >"$work/output"
verdict "no serial port: the table is on the screen" grep -qE '^  newidle=throttle +1 +[0-9.]+  x [0-9.]+ *$' "$work/output"
verdict "so is the end" grep -q '^End: ok, 2 runs, 0 failed' "$work/output"
verdict "and no record" sh -c "! grep -q '^@' $work/output"
# Longer than the engine waits for a task that comes to nothing: its end has come, and it is no fault.
kernel=$build/fairmetal-lockstep.elf vm "-serial none -vga std -debugcon file:$work/debug" "topo=2c $run hold=6" </dev/null
verdict "in lockstep the screen stays as long as it should" says "$work/debug" "It stays for 6 s"
verdict "and nothing is taken for a fault meanwhile" sh -c "! grep -q '^Fault' $work/debug"

# ---- the screen, as pixels: the line "End: ok, 2 runs, 0 failed" drawn from arch/x86/font.c must be somewhere in the picture ----
# Reads a picture (P6, 800 wide) as hexadecimal bytes; prints each row of letters as text.
read_picture() { # PPM
	{
		sed -n 's/^\t{ \(.*\) },.*/\1/p' arch/x86/font.c
		tail -c +$(($(head -c 64 "$1" | head -3 | wc -c) + 1)) "$1" | od -An -v -tx1 -w2400
	} | awk '
	NR <= 95 { gsub(/0x|,| /, ""); glyph[$0] = sprintf("%c", NR + 31); next }
	{
		y = (NR - 96) % 16
		if (y == 0) { if (NR > 96) show(); for (c = 0; c < 100; c++) shape[c] = "" }
		if (y < 1 || y > 13) next
		for (c = 0; c < 100; c++) {
			v = 0
			for (x = 0; x < 8; x++) v = 2 * v + ($(24 * c + 3 * x + 1) == "ff")
			shape[c] = shape[c] sprintf("%02x", v)
		}
	}
	function show(  line) { line = ""; for (c = 0; c < 100; c++) line = line (shape[c] in glyph ? glyph[shape[c]] : "?"); print line }'
}
pixels() { # NAME "QEMU ARGS" PICTURE: which stays in the build directory for people to look at
	rm -f "$work/screen.ppm"
	: >"$work/log"
	# shellcheck disable=SC2086 # a list of words
	{ wait_for "$work/log" '"t":"end"'; sleep 1; echo "screendump $work/screen.ppm"; echo "screendump $build/$3 -f png"; sleep 1; echo quit; } |
		timeout 120 "${QEMU:-qemu-system-x86_64}" -accel tcg -smp 2 -m 256M -nodefaults -display none -no-reboot -vga std $2 \
			-serial "file:$work/log" -monitor stdio -cdrom "$build/console-test.iso" >/dev/null 2>&1
	read_picture "$work/screen.ppm" >"$work/output" 2>&1
	verdict "$1: the end is on the screen" grep -q '^End: ok, 2 runs, 0 failed' "$work/output"
	verdict "$1: so is the table" grep -qE '^  newidle=throttle +1 +[0-9.]+  x [0-9.]+ *$' "$work/output"
}
printf '%s\n' 'insmod all_video' 'set gfxpayload=800x600' 'set timeout=0' \
	"menuentry test { multiboot2 /boot/fairmetal.elf $run then=halt }" >"$build/console-test.cfg"
tools/mkiso.sh "$build/console-test.iso" "$kernel" "$build/console-test.cfg"
pixels "BIOS and VBE" "" console-bios.png
pixels "UEFI and GOP" "-bios /usr/share/ovmf/OVMF.fd" console-uefi.png

# ---- keys ----
type_keys() { # WORD: each letter as a key of the monitor's
	local i
	for ((i = 0; i < ${#1}; i++)); do
		case ${1:i:1} in
		' ') echo sendkey spc ;;
		-) echo sendkey minus ;;
		=) echo sendkey equal ;;
		_) echo sendkey shift-minus ;;
		[A-Z]) echo "sendkey shift-${1:i:1}" | tr A-Z a-z ;;
		*) echo "sendkey ${1:i:1}" ;;
		esac
		sleep 0.15
	done
}
: >"$work/one"
{
	wait_for "$work/one" "fairmetal> "
	type_keys "set NEXT_BUDDY=on runx"
	echo sendkey backspace
	type_keys "s=2"
	echo sendkey ret
	type_keys "run spin -n 1000"
	echo sendkey ret
	wait_for "$work/one" "Means"
	type_keys "poweroff"
	echo sendkey ret
	sleep 60
} | vm "$exit_device -serial file:$work/one -vga std" "shell=1" &
typist=$!
wait_for "$work/one" '"t":"end"'
cp "$work/one" "$work/output"
verdict "keys on the keyboard run what they say" says "$work/one" 'End: ok, 2 runs, 0 failed'
verdict "under the switches they set" says "$work/one" '"NEXT_BUDDY":1'
verdict "and end it" whole "$work/one"
kill $typist 2>/dev/null

mkfifo "$work/port.in" "$work/port.out"
cat "$work/port.out" >"$work/one" &
reader=$!
{
	wait_for "$work/one" "fairmetal> "
	printf 'run spin -n 1000\rpoweroff\r'
	sleep 5
} >"$work/port.in" &
vm "$exit_device -serial pipe:$work/port" "shell=1" </dev/null
wait $reader
verdict "what comes by the serial port is obeyed" says "$work/one" "End: ok, 1 run, 0 failed"
vm "$exit_device -serial file:$work/one -machine q35,i8042=off" "$run" </dev/null
verdict "no keyboard controller" whole "$work/one"
vm "$exit_device -serial none -machine q35,i8042=off" "shell=1 $run" </dev/null
verdict "a shell that nobody can talk to ends" test $? = 33

echo "1..$n"
[ $failed = 0 ]
