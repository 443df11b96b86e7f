#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes an image for a USB stick: GRUB before its only partition, for BIOS; in the partition, a FAT file system, our UEFI loader. Both read
# fairmetal.cfg there, and anybody's computer can edit it. Usage: tools/mkusb.sh OUTPUT BOOTX64.EFI FAIRMETAL.CFG KERNEL...
# The environment's MIB is the size of the file system.
set -eu
[ $# -ge 4 ] || { sed -n '4s/.*\(Usage: .*\)/\1/p' "$0" >&2; exit 2; }
output=$1 loader=$2 config=$3
shift 3
here=$(dirname "$0")
grub=/usr/lib/grub/i386-pc
size=${MIB:-64}
first=2048 # sectors before the partition, where GRUB's image lies
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

bytes() { # IN OCTAL...: these bytes
	for byte in "$@"; do printf '%b' "\\0$byte"; done
}
little32() { # NUMBER: its four bytes, the lowest first
	bytes "$(printf %o $(($1 & 255)))" "$(printf %o $(($1 >> 8 & 255)))" "$(printf %o $(($1 >> 16 & 255)))" "$(printf %o $(($1 >> 24)))"
}
put() { # OFFSET: standard input into the image there
	dd of="$output" bs=1 seek="$1" conv=notrunc status=none
}

rm -f "$output"
truncate -s $((first * 512 + size * 1048576)) "$output"

# The partition table has one entry, active because some BIOSes list no stick without, of the type for FAT32 by LBA: UEFI reads any FAT, but
# others hide what has the type of an EFI system partition. No CHS addresses.
head -c 440 "$grub/boot.img" | put 0
{
	little32 0x464d4254
	bytes 0 0 200 376 377 377 014 376 377 377
	little32 $first
	little32 $((size * 2048))
} | put 440
bytes 125 252 | put 510

# boot.img loads from sector 1 on, all that grub-mkimage has noted there. It knows the disk it came from and is told the partition.
grub-mkimage -O i386-pc -o "$work/core.img" -p '(,msdos1)/boot/grub' \
	biosdisk part_msdos fat normal configfile multiboot2 serial terminal all_video acpi echo test sleep
[ "$(stat -c %s "$work/core.img")" -le $(((first - 1) * 512)) ] || { echo "mkusb.sh: GRUB does not fit before the partition" >&2; exit 1; }
dd if="$work/core.img" of="$output" bs=512 seek=1 conv=notrunc status=none

volume="$output@@$((first * 512))"
mformat -i "$volume" -F -T $((size * 2048)) -h 255 -s 63 -H $first -c 1 -v FAIRMETAL -N 464d4254 ::
mmd -i "$volume" ::/EFI ::/EFI/BOOT ::/boot ::/boot/grub ::/fairmetal
mcopy -i "$volume" "$loader" ::/EFI/BOOT/BOOTX64.EFI
mcopy -i "$volume" "$here/../boot/usb-grub.cfg" ::/boot/grub/grub.cfg
mcopy -i "$volume" "$config" ::/fairmetal.cfg
for kernel in "$@"; do
	strip --strip-debug -o "$work/kernel" "$kernel"
	mcopy -i "$volume" "$work/kernel" "::/fairmetal/$(basename "$kernel")"
done
