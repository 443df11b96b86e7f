#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes a hybrid image that boots under BIOS and UEFI, from CD and from a USB stick. Usage: tools/mkiso.sh OUTPUT KERNEL GRUB.CFG [MORE FILES FOR /boot]...
set -eu
[ $# -ge 3 ] || { echo "usage: tools/mkiso.sh OUTPUT KERNEL GRUB.CFG [FILE]..." >&2; exit 2; }
output=$1 kernel=$2 menu=$3
shift 3
tree=$(mktemp -d)
log=$(mktemp)
trap 'rm -rf "$tree" "$log"' EXIT
mkdir -p "$tree/boot/grub"
cp "$kernel" "$tree/boot/fairmetal.elf"
cp "$menu" "$tree/boot/grub/grub.cfg"
[ $# = 0 ] || cp "$@" "$tree/boot"
for image in "$tree"/boot/*.elf; do strip --strip-debug "$image"; done
# mbr_force_bootable: some BIOSes do not list a stick without an active partition.
grub-mkrescue -o "$output" "$tree" --locales= --fonts= --themes= \
	--install-modules="multiboot2 normal serial terminal iso9660 part_gpt part_msdos part_acorn part_amiga part_bsd part_dfly part_dvh part_plan part_sun part_sunpc fat all_video acpi echo test sleep" \
	-- -volid FAIRMETAL -boot_image any mbr_force_bootable=on >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
