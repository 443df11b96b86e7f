#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The image for sticks and CDs and our UEFI loader, in QEMU with SeaBIOS and OVMF. Prints TAP.
#
# Usage: tests/boot/usb.sh BUILD-DIRECTORY
# Expected: the exit code of tools/qemu.sh, a whole log by fairlog, the given texts on the serial line (to which OVMF's console goes too); of
# what the loader writes, the file on the image, byte for byte. A miss prints what was missing and the end of the log.
set -u
cd "$(dirname "$0")/../.." || exit 2
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
log=$work/log
n=0 failed=0

report() { # NAME WHAT-IS-WRONG
	n=$((n + 1))
	if [ -z "$2" ]; then
		echo "ok $n - $1"
		return
	fi
	echo "not ok $n - $1"
	echo "# $2"
	tail -n 8 "$log" 2>/dev/null | tr -d '\r' | cut -c1-160 | sed 's/^/#   /'
	failed=$((failed + 1))
}

verdict() { # NAME COMMAND: ok if the command succeeds
	local name=$1
	shift
	if "$@"; then report "$name" ""; else report "$name" "failed: $*"; fi
}

lacks() { # TEXT...: those that are not in the log
	local text
	for text in "$@"; do
		tr -d '\r' <"$log" | grep -aqF -- "$text" || echo "no \"$text\" in the log;"
	done
}

# QEMU with UEFI, at most LIMIT seconds; its exit status is the verdict of what it ran, 33 if all is well.
emulate() { # LIMIT QEMU ARGUMENT...
	local limit=$1
	shift
	: >"$log"
	timeout "$limit" "${QEMU:-qemu-system-x86_64}" -accel tcg -m 256M -nodefaults -display none -bios /usr/share/ovmf/OVMF.fd \
		-device isa-debug-exit,iobase=0xf4,iosize=4 -chardev "stdio,id=s,logfile=$log,signal=off" -serial chardev:s "$@" >/dev/null 2>&1
}

# judge NAME STATUS EXPECTED TEXT...
judge() {
	local name=$1 status=$2 expected=$3 miss=
	shift 3
	[ "$status" = "$expected" ] || miss="exit status $status, not $expected; "
	miss="$miss$(lacks "$@")"
	if grep -aq '^@0' "$log"; then
		"$build/fairlog" check "$log" >"$work/out" 2>&1 || miss="$miss fairlog: $(head -1 "$work/out")"
	fi
	report "$name" "$miss"
}

# boots NAME "QEMU.SH OPTIONS" TEXT...: all runs ok
boots() {
	local name=$1
	: >"$log"
	# shellcheck disable=SC2086 # a list of words
	tools/qemu.sh -q -t 120 -l "$log" $2 >"$work/out" 2>&1
	judge "$name" $? 0 "${@:3}"
}

# says NAME TEXT QEMU ARGUMENT...: the loader says so within a minute; then it waits, and our QEMU ends by our hand.
says() {
	local name=$1 text=$2 qemu miss="no \"$2\" in a minute"
	shift 2
	emulate 90 -no-reboot "$@" </dev/null &
	qemu=$!
	for _ in $(seq 240); do
		sleep 0.25
		[ -n "$(lacks "$text")" ] || { miss=; break; }
	done
	kill "$(pgrep -P $qemu)" 2>/dev/null
	wait $qemu 2>/dev/null
	report "$name" "$miss"
}

run='run="hackbench -g 1 -f 4 -l 5"'
ok='"t":"end","status":"ok","runs":1,"failed":0'
config() { # LINE...: a fairmetal.cfg that starts its first entry at once
	printf '%s\n' timeout=0 "$@"
}
image=$work/usb.img
make_image() { # KERNEL...: from $work/cfg
	MIB=16 tools/mkusb.sh "$image" "$build/BOOTX64.EFI" "$work/cfg" "$@"
}
file_of() { # PATH ON THE IMAGE
	mcopy -i "$image@@1M" "::$1" -
}

# ---- the image itself ----
config 'title "one"' "cmdline $run" 'title "two"' 'cmdline then=halt' >"$work/cfg"
verdict "making an image" make_image "$build/fairmetal.elf"
number() { # OFFSET BYTES
	od -An -v -t "u$2" -j "$1" -N "$2" "$image" | tr -d ' '
}
# Metal dossier, no. 40: active. 0e: FAT16 by LBA. From sector 2048, 16 MiB are 32768 sectors; with 64 heads and 32 sectors a cylinder is 1 MiB,
# so that it is from cylinder 1, head 0, sector 1 to cylinder 16, head 63, sector 32. And three times nothing.
verdict "one partition, active, FAT16" [ "$(od -An -v -tx1 -j446 -N66 "$image" | tr -d ' \n')" = \
	"800001010e3f20100008000000800000$(printf '0%.0s' $(seq 96))55aa" ]
verdict "no GPT beside it" [ -z "$(head -c 32768 "$image" | grep -ao 'EFI PART')$(tail -c 512 "$image" | grep -ao 'EFI PART')" ]
# El Torito: sector 17 of 2048 bytes names that of the catalog; in it, 32 bytes each, a validation, the entry for BIOS, a header, that for UEFI.
catalog=$(($(number $((17 * 2048 + 71)) 4) * 2048))
verdict "El Torito for BIOS: bootable, no emulation" [ "$(number $((catalog + 32)) 2)" = $((0x88)) ]
verdict "El Torito for UEFI: the last, of platform ef" [ "$(number $((catalog + 64)) 2)" = $((0xef91)) ]
# 1 MiB are 512 sectors of 2048 bytes; the size is counted in 512 bytes.
verdict "El Torito for UEFI: the very partition, in its true size" \
	[ "$(number $((catalog + 96)) 2) $(number $((catalog + 102)) 2) $(number $((catalog + 104)) 4)" = "$((0x88)) 32768 512" ]
verdict "the disc's volume covers all of it" [ "$(($(number $((16 * 2048 + 80)) 4) * 2048))" = "$(stat -c %s "$image")" ]
fat() { # the partition as a file of its own
	dd if="$image" of="$work/fat" bs=1M skip=1 status=none && fsck.fat -n "$work/fat" >"$work/out" 2>&1
}
verdict "the file system is sound" fat
too_large() {
	! MIB=32 tools/mkusb.sh "$work/none" "$build/BOOTX64.EFI" "$work/cfg" "$build/fairmetal.elf" 2>/dev/null && [ ! -e "$work/none" ]
}
verdict "more than El Torito can count is refused" too_large

# ---- ways in ----
boots "BIOS, USB stick" "-i $image -d" "loaded by GRUB" "firmware bios" "$ok"
words() { # the command line as the kernel understood it, whoever quoted it
	grep -ao '"cmdline":".*' "$log" | head -1 | sed 's/","[a-z_]*":.*//; s/\\"//g'
}
bios_words=$(words)
for cpus in 1 4 16; do
	boots "UEFI, USB stick, $cpus CPUs" "-i $image -d -u -c $cpus" "loaded by Fairmetal's UEFI loader" "firmware uefi" "$cpus CPU" \
		"online; each has run a task" "$ok"
done
verdict "GRUB and our loader read the same from fairmetal.cfg" [ -n "$bios_words" -a "$(words)" = "$bios_words" ]

# ---- edited in place: what was written into the partition is what runs, whichever way in; and with a second medium there, not the other's ----
cp "$image" "$work/other.img"
edit() {
	sed 's/-l 5/-l 6/' "$work/cfg" >"$work/edited" && mcopy -o -i "$image@@1M" "$work/edited" ::/fairmetal.cfg && fat
}
verdict "editing fairmetal.cfg in the image" edit
edited='Run 1 of 1: hackbench -g 1 -f 4 -l 6'
read_only='Results cannot be saved: this medium is read-only'
# shellcheck disable=SC2054 # commas are QEMU's
boots_from() { # LIMIT MEDIUM QEMU ARGUMENT...
	local limit=$1 medium=$2 drive="if=none,id=medium,format=raw,file=$image" usb=(-device qemu-xhci -device usb-storage,drive=medium,bootindex=0)
	shift 2
	case $medium in
	"USB stick") set -- "$@" -drive "$drive" "${usb[@]}" ;;
	"USB CD") set -- "$@" -drive "$drive,media=cdrom" "${usb[@]}" ;;
	CD) set -- "$@" -drive "$drive,media=cdrom" -device ide-cd,drive=medium,bootindex=0 ;;
	disk) set -- "$@" -drive "$drive" -device ide-hd,drive=medium,bootindex=0 ;;
	esac
	emulate "$limit" -no-reboot "$@" </dev/null
}
# shellcheck disable=SC2054
other=(-drive "if=none,id=other,format=raw,file=$work/other.img" -device virtio-blk-pci,drive=other,bootindex=1)
for medium in "USB stick" disk CD "USB CD"; do
	boots_from 120 "$medium" "${other[@]}" -bios bios-256k.bin
	judge "BIOS, edited, $medium" $? 33 "loaded by GRUB" "firmware bios" "$edited" "$ok"
	boots_from 120 "$medium" "${other[@]}"
	judge "UEFI, edited, $medium" $? 33 "loaded by Fairmetal's UEFI loader" "firmware uefi" "$edited" "$ok"
	case $medium in
	*CD) verdict "UEFI, edited, $medium: results cannot be saved, in one line" [ "$(grep -acF "$read_only" "$log")" = 1 ] ;;
	*) verdict "UEFI, edited, $medium: no word of that" [ -n "$(lacks "$read_only")" ] ;;
	esac
done

tree=$work/tree
mkdir -p "$tree/EFI/BOOT" "$tree/fairmetal"
cp "$build/BOOTX64.EFI" "$tree/EFI/BOOT"
cp "$build/fairmetal.elf" "$tree/fairmetal"
cp "$work/cfg" "$tree/fairmetal.cfg"
disk="format=raw,file=fat:rw:$tree"
for cpus in 1 4 16; do
	emulate 120 -no-reboot -machine q35 -smp $cpus -drive "$disk" </dev/null
	judge "UEFI, a disk, q35, $cpus CPUs" $? 33 "firmware uefi" "$cpus CPU" "$ok"
done
printf '%s\n' timeout=30 'title "one"' 'cmdline then=halt' 'title "two"' "cmdline $run" >"$tree/fairmetal.cfg"
(until grep -aq "starts that entry" "$log"; do sleep 0.2; done; printf 2; sleep 1) | emulate 120 -no-reboot -drive "$disk"
judge "UEFI, the second entry by its key" ${PIPESTATUS[1]} 33 "* 1  one" "  2  two" "$ok"

# ---- what is wrong is said in one line ----
says_of_disk() { # NAME TEXT
	says "$1" "$2" -drive "$disk"
}
rm "$tree/fairmetal.cfg"
says_of_disk "no configuration" "Cannot boot: /fairmetal.cfg: not found"
config 'kernal /fairmetal/fairmetal.elf' >"$tree/fairmetal.cfg"
says_of_disk "a word that is none" "Cannot boot: /fairmetal.cfg, line 2: expected title, kernel, cmdline"
config 'title x' 'cmdline' | iconv -t UTF-16 >"$tree/fairmetal.cfg"
says_of_disk "UTF-16" "Cannot boot: /fairmetal.cfg is UTF-16"
config 'title x' 'kernel /fairmetal/other.elf' 'cmdline' >"$tree/fairmetal.cfg"
says_of_disk "no kernel" "Cannot boot: /fairmetal/other.elf: not found"
head -c 200000 "$build/fairmetal.elf" >"$tree/fairmetal/other.elf"
says_of_disk "a kernel cut off" "Cannot boot: /fairmetal/other.elf: a segment ends behind the end of the file"
cp "$work/cfg" "$tree/fairmetal/other.elf"
says_of_disk "a text for a kernel" "Cannot boot: /fairmetal/other.elf: it is not an ELF file"
says_of_disk "and it waits" "Any key returns to the firmware"

# ---- a kernel where firmware is: at 16 MiB OVMF keeps what it needs until it ends, at 8 MiB and some what ACPI needs after it ----
test_kernel() { # ADDRESS AREA
	nasm -f elf64 -DAREA="'$2'" tests/boot/results.asm -o "$work/results.o" &&
		ld -n -z noexecstack --no-warn-rwx-segments -e start -Ttext="$1" "$work/results.o" -o "$tree/fairmetal/other.elf"
}
verdict "making a kernel for 16 MiB" test_kernel 0x1000000 /dev/null
emulate 60 -no-reboot -drive "$disk" </dev/null
judge "copied to where boot services were" $? 33 "0x1000000 to 0x1001000 is the firmware's until it ends"
verdict "making a kernel for 8 MiB" test_kernel 0x80b000 /dev/null
says_of_disk "a place that is never free" "the kernel wants 0x80b000 to 0x80c000, but 0x80b000 belongs to ACPI non-volatile memory"
verdict "making a kernel for the end of memory" test_kernel 0x20000000 /dev/null
says_of_disk "a place that is not there" "but 0x20000000 belongs to no memory at all"

# ---- results of the boot before ----
area() { # TEXT: as boot/results.h lays it out; gzip knows the CRC
	printf 'FRESULT1\1\0\0\0\0\0\0\0'
	printf '%b' "$(printf '\\%03o' $((${#1} & 255)) $((${#1} >> 8)) 0 0)"
	printf %s "$1" | gzip -c | tail -c 8 | head -c 4
	printf %s "$1"
}
text=$(seq -f 'line %g of what a kernel had to say' 1 300)
area "$text" >"$work/area"
config 'title x' 'kernel /fairmetal/other.elf' 'cmdline' >"$work/cfg"
preloaded="loader,force-raw=on,addr=0x2000000,file=$work/area"
# shellcheck disable=SC2054 # commas are QEMU's
stick=(-drive "if=none,id=stick,format=raw,file=$image" -device qemu-xhci -device usb-storage,drive=stick)
saves() { # NAME FILE: the image has the text there, and is sound
	file_of "$2" >"$work/saved" 2>"$work/out"
	verdict "$1: the text, byte for byte" cmp "$work/saved" <(printf %s "$text")
	verdict "$1: the file system is sound" fat
}
verdict "making a kernel that ends at once" test_kernel 0x200000 /dev/null
make_image "$tree/fairmetal/other.elf"
emulate 60 -no-reboot "${stick[@]}" -device "$preloaded" </dev/null
judge "results become a file" $? 33 "Results of the boot before: ${#text} bytes, now in /fairmetal/log-0001.txt"
saves "results become a file" /fairmetal/log-0001.txt
emulate 60 -no-reboot "${stick[@]}" -device "$preloaded" </dev/null
judge "the next number" $? 33 "now in /fairmetal/log-0002.txt"
saves "the next number" /fairmetal/log-0002.txt
printf X | dd of="$work/area" bs=1 seek=100 conv=notrunc status=none
emulate 60 -no-reboot "${stick[@]}" -device "$preloaded" </dev/null
judge "damaged results are none" $? 33 "Starting /fairmetal/other.elf"
verdict "damaged results are none: no file" [ -z "$(file_of /fairmetal/log-0003.txt 2>/dev/null)" ]
verdict "damaged results are none: no word" [ -n "$(lacks "Results of the boot before")" ]
area "$text" >"$work/area"
emulate 90 -no-reboot "${stick[@]/format=raw/format=raw,readonly=on}" -device "$preloaded" </dev/null
judge "a stick that is write-protected: said, and started all the same" $? 33 "$read_only" "could not be written" "write-protected" \
	"Starting /fairmetal/other.elf"
boots_from 90 "USB CD" -device "$preloaded"
judge "results, and a CD: said, and started all the same" $? 33 "$read_only" "could not be written to /fairmetal: write-protected" \
	"Starting /fairmetal/other.elf"

# ---- the whole way: a kernel writes, resets the machine, and the loader finds it and clears its signature ----
verdict "making a kernel that writes and resets" test_kernel 0x200000 "$work/area"
make_image "$tree/fairmetal/other.elf"
emulate 90 "${stick[@]}" </dev/null
judge "memory outlives a warm reset" $? 33 "Results of the boot before: ${#text} bytes, now in /fairmetal/log-0001.txt"
saves "memory outlives a warm reset" /fairmetal/log-0001.txt
config 'results=0x80b000' 'title x' 'kernel /fairmetal/other.elf' 'cmdline' >"$work/cfg"
test_kernel 0x200000 /dev/null
make_image "$tree/fairmetal/other.elf"
emulate 60 -no-reboot "${stick[@]}" </dev/null
judge "no place for results: said, and started all the same" $? 33 "No place for results to survive a reset: 0x80b000 belongs to" "Starting"

echo "1..$n"
[ $failed = 0 ]
