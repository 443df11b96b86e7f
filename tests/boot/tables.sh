#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Boots the kernel in QEMU on machines whose ACPI tables are wrong, and looks at what it says and with what it goes on. Prints TAP.
#
# Usage: tests/boot/tables.sh BUILD-DIRECTORY
# GRUB's command acpi puts a table in the place of the firmware's; QEMU's -acpitable puts one beside those that are there. Expected: that
# runs succeed, with the CPUs, nodes and clock that are left, and one line that names each damage. docs/firmware.md has what is believed.
set -u
export LC_ALL=C # bytes are bytes
cd "$(dirname "$0")/../.." || exit 2
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n=0
failed=0
run='run="hackbench -g 1 -f 4 -l 5"'
ok='"t":"end","status":"ok","runs":1,"failed":0'

# boots NAME "QEMU.SH OPTIONS" "COMMAND LINE" TEXT...: the run is ok, and the log has each text once
boots() {
	local name=$1 options=$2 line=$3 status text count miss=
	shift 3
	n=$((n + 1))
	: >"$work/log"
	# shellcheck disable=SC2086 # a list of words
	eval tools/qemu.sh -q -t 120 -l "$work/log" $options "'$line'" >"$work/output" 2>&1
	status=$?
	[ $status = 0 ] || miss="exit status $status"
	for text in "$@" "$ok"; do
		count=$(tr -d '\r' <"$work/log" | grep -acF -- "$text")
		[ "$count" = 1 ] || miss="$miss; $count times \"$text\""
	done
	if [ -z "$miss" ]; then
		echo "ok $n - $name"
		return
	fi
	failed=$((failed + 1))
	echo "not ok $n - $name"
	echo "# $miss"
	tr -d '\r' <"$work/log" | grep -a 'acpi: \|topology: ' | cut -c1-160 | sed 's/^/#   /'
}

little() { # VALUE BYTES: as hexadecimal digits, the lowest byte first
	local i
	for ((i = 0; i < $2; i++)); do printf '%02x' $(($1 >> (8 * i) & 255)); done
}

# table FILE SIGNATURE REVISION HEXADECIMAL-DIGITS [CHECKSUM-IS-WRONG-BY]: header, and the digits behind it
table() {
	local digits sum=${5:-0} i
	digits=$(printf %s "$2" | od -An -tx1 | tr -d ' \n')$(little $((36 + ${#4} / 2)) 4)$(little "$3" 1)00$(printf 'FMTESTFMTEST  ' |
		od -An -tx1 | tr -d ' \n')000000000000000000000000$4
	for ((i = 0; i < ${#digits}; i += 2)); do sum=$((sum - 0x${digits:i:2})); done
	digits=${digits:0:18}$(little $((sum & 255)) 1)${digits:20}
	printf '%b' "$(sed 's/../\\x&/g' <<<"$digits")" >"$work/$1"
}

# image TABLE: one that boots with this table in the place of the firmware's
image() {
	local signature
	signature=$(head -c 4 "$work/$1")
	printf '%s\n' 'serial --unit=0 --speed=115200' 'terminal_output serial console' 'set timeout=0' \
		"menuentry test { acpi --exclude=$signature /boot/$1; multiboot2 /boot/fairmetal.elf $run }" >"$work/menu"
	tools/mkiso.sh "$work/$1.iso" "$build/fairmetal.elf" "$work/menu" "$work/$1" || echo "# no image for $1"
}

apic() { echo "0008$(little "$1" 1)$(little "$2" 1)$(little "$3" 4)"; } # UID ID FLAGS
x2apic() { echo "09100000$(little "$2" 4)$(little "$3" 4)$(little "$1" 4)"; }
madt="$(little 0xfee00000 4)$(little 1 4)"

# ---- MADT: everything at once. CPUs 0 and 1 in both forms and once more; what is no CPU; and CPU 2 behind an entry without length ----
odd="7f04aabb$(apic 9 5 2)$(apic 9 6 0)$(apic 9 255 1)$(x2apic 9 0xffffffff 1)$(apic 0 0 1)$(x2apic 0 0 1)$(apic 0 0 1)$(apic 1 1 1)$(x2apic 1 1 3)"
table odd.bin APIC 4 "$madt${odd}7f00$(apic 2 2 1)" 1
image odd.bin
for firmware in BIOS UEFI; do
	boots "$firmware: an odd MADT" "-c 4 -i $work/odd.bin.iso $([ $firmware = UEFI ] && echo -u)" "" "2 CPUs online" \
		"has a wrong checksum, used anyway" "MADT lists 3 CPUs again, which count once" "MADT entry at $((44 + ${#odd} / 2)) claims 0 bytes and not 2 to 10, the rest is ignored"
done
table empty.bin APIC 4 "$madt"
image empty.bin
boots "a MADT without CPUs" "-c 4 -i $work/empty.bin.iso" "" "no MADT that names a CPU: running on one" "1 CPU online"

# ---- HPET: in the middle of memory, which stays as it is ----
table hpet.bin HPET 1 "$(little 0x8086a201 4)$(little 0 4)$(little 0x8000000 8)$(little 0 4)"
image hpet.bin
boots "an HPET where memory is" "-c 2 -i $work/hpet.bin.iso" "" "the HPET at 0x8000000 is where the memory map has memory, ignored" "Hz by pm"

# ---- second tables beside the right ones: these count ----
numa="-object memory-backend-ram,id=a,size=128M -object memory-backend-ram,id=b,size=128M -numa node,memdev=a,cpus=0-1 -numa node,memdev=b,cpus=2-3"
kernel="-k $build/fairmetal.elf -c 4,sockets=2,cores=2"
table apic.bin APIC 4 "$madt$(apic 0 77 1)"
table srat.bin SRAT 3 "$(little 1 4)$(little 0 8)0010000000000000000000000000000000"
boots "a second MADT and a second SRAT" "$kernel -x '$numa -acpitable file=$work/apic.bin -acpitable file=$work/srat.bin'" "$run" \
	"another APIC at" "another SRAT at" "4 CPUs: 2 nodes" "4 CPUs online"
table slit.bin SLIT 1 "$(little 2 8)0a1f1f0b"
boots "a SLIT with a node that is far from itself: 20 to the other" "$kernel -x '$numa -acpitable file=$work/slit.bin'" "$run" \
	"SLIT of 48 bytes for 2 nodes is no square of distances" "4 CPUs: 2 nodes"
table cut.bin SRAT 3 "$(little 1 4)$(little 0 8)0000"
boots "an SRAT that breaks off: one node" "$kernel -x '-acpitable file=$work/cut.bin'" "$run" \
	"SRAT entry at 48 claims 0 bytes and not 2 to 2, the rest is ignored" "SRAT of 50 bytes has no entry for a CPU or memory that is there" \
	"4 CPUs: 1 node,"

echo "1..$n"
[ $failed = 0 ]
