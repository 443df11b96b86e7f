#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes the image that boots on BIOS and on UEFI, from a stick and from a CD. At 1 MiB lies a FAT file system with all that anybody reads or
# edits: the stick's only partition, and what a CD offers to UEFI. Before it is an ISO 9660 file system that holds nothing but GRUB, which
# BIOS starts from both; docs/usb.md has the reasons. Usage: tools/mkusb.sh OUTPUT BOOTX64.EFI FAIRMETAL.CFG KERNEL...
# The environment's MIB is the size of the FAT file system.
set -eu
[ $# -ge 4 ] || { sed -n '5s/.*\(Usage: .*\)/\1/p' "$0" >&2; exit 2; }
output=$1 loader=$2 config=$3
shift 3
here=$(dirname "$0")
grub=/usr/lib/grub/i386-pc
size=${MIB:-31}
first=2048 # sectors before the file system: a cylinder of 64 heads and 32 sectors, to which xorriso aligns it
# El Torito counts sectors with 16 bits; FAT16 wants 4085 clusters.
if [ "$size" -lt 9 ] || [ "$size" -gt 31 ]; then echo "mkusb.sh: MIB=$size: expected 9 to 31" >&2; exit 2; fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# ---- the file system ----
fat=$work/fat
truncate -s "${size}M" "$fat"
mformat -i "$fat" -T $((size * 2048)) -h 64 -s 32 -H $first -c 4 -v FAIRMETAL -N 464d4254 ::
mmd -i "$fat" ::/EFI ::/EFI/BOOT ::/boot ::/boot/grub ::/fairmetal
mcopy -i "$fat" "$loader" ::/EFI/BOOT/BOOTX64.EFI
mcopy -i "$fat" "$here/../boot/usb-grub.cfg" ::/boot/grub/grub.cfg
mcopy -i "$fat" "$config" ::/fairmetal.cfg
for kernel in "$@"; do
	strip --strip-debug -o "$work/kernel" "$kernel"
	mcopy -i "$fat" "$work/kernel" "::/fairmetal/$(basename "$kernel")"
done

# ---- GRUB: on what it came from, disk or CD, the file system lies at the same place, and nothing has to be searched for ----
mkdir "$work/iso"
cat >"$work/early.cfg" <<END
loopback medium (\$root)$first+$((size * 2048))
set root=medium
set prefix=(medium)/boot/grub
END
grub-mkimage -O i386-pc-eltorito -o "$work/iso/grub.img" -c "$work/early.cfg" -p /boot/grub \
	biosdisk loopback fat normal configfile multiboot2 serial terminal all_video acpi echo test sleep
cat >"$work/iso/readme.txt" <<END
Fairmetal boots from this. Its files (fairmetal.cfg, the kernels) are in the FAT file system at byte $((first * 512)) of it:
the partition, once the image is on a stick.
END

# ---- both: the partition is the only one, and active, because some BIOSes list no stick without ----
rm -f "$output"
xorriso -as mkisofs -quiet -o "$output" -V FAIRMETAL_CD -no-pad \
	-partition_cyl_align all -partition_hd_cyl 64 -partition_sec_hd 32 \
	--grub2-mbr "$grub/boot_hybrid.img" -append_partition 1 0x0e "$fat" \
	-b grub.img -no-emul-boot -boot-load-size 4 -boot-info-table --grub2-boot-info -c boot.cat \
	-eltorito-alt-boot -e --interval:appended_partition_1:all:: -no-emul-boot "$work/iso" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
[ "$(stat -c %s "$output")" = $((first * 512 + size * 1048576)) ] || { echo "mkusb.sh: GRUB does not fit before the partition" >&2; exit 1; }
put() { # OFFSET: standard input into the image there
	dd of="$output" bs=1 seek="$1" conv=notrunc status=none
}
# Without the disk's signature Windows would write one of its own.
printf TBMF | put 440
# The ISO's volume covers the FAT file system too: there are those who copy a disc by that. Both orders of bytes, the lowest is always 0.
blocks=$(printf %o $((2 * (size + 1))))
printf '\0%b\0\0\0\0%b\0' "\\0$blocks" "\\0$blocks" | put $((16 * 2048 + 80))
