#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Writes an image to a USB stick and reads it back. Refuses everything that is not a whole, removable disk that nobody uses, shows what is
# on it, and wants its name typed before anything is lost.
#
# Usage: tools/write-usb.sh [--yes] [--dry-run] [--image IMAGE] DEVICE
#   --yes      ask nothing; refusals stay    --dry-run  look, say what would be done, write nothing
#   IMAGE      build/fairmetal-usb.img       DEVICE     /dev/sdX or a link to it under /dev/disk/by-id
# Ends with 0 written and verified (or could be), 1 refused, 2 usage, 3 writing or reading back failed. docs/usb.md has the rules.
set -u

refuse() { echo "write-usb.sh: refused: $*" >&2; exit 1; }
usage() { sed -n '6,8s/^# //p' "$0" >&2; exit 2; }

image='' yes='' dry='' name=''
while [ $# -gt 0 ]; do
	case $1 in
	--yes) yes=1 ;;
	--dry-run) dry=1 ;;
	--image) [ $# -ge 2 ] || usage; image=$2; shift ;;
	-*) usage ;;
	*) [ -z "$name" ] || usage; name=$1 ;;
	esac
	shift
done
[ -n "$name" ] || usage
[ -n "$image" ] || image=$(dirname "$0")/../build/fairmetal-usb.img
if [ ! -f "$image" ] || [ ! -r "$image" ]; then refuse "no image $image (make usb)"; fi
bytes=$(stat -c %s "$image")

device=$(readlink -f -- "$name")
# What lsblk says of the device alone, and of everything on it.
of_device() { lsblk -dnro "$1" -- "$device" 2>/dev/null; }
of_all() { lsblk -nro "$1" -- "$device" 2>/dev/null; }

# ---- is it a stick? ----
kind=$(of_device TYPE)
[ -n "$kind" ] || refuse "$name is not a block device"
[ "$kind" = disk ] || refuse "$name is not a whole disk but a $kind"
case $(of_device RM)$(of_device HOTPLUG) in
*1*) ;;
*) refuse "$name is built in: neither removable nor on a bus like USB" ;;
esac
[ "$(of_device RO)" = 0 ] || refuse "$name is write-protected"
size=$(lsblk -bdnro SIZE -- "$device")
[ "${size:-0}" -gt 0 ] || refuse "$name has no medium in it"
[ "$size" -ge "$bytes" ] || refuse "$name holds $size bytes, the image has $bytes"

# ---- does anybody use it? ----
mounted=$(of_all MOUNTPOINT | grep . | sort -u | paste -sd ' ')
[ -z "$mounted" ] || refuse "$name is in use, mounted at: $mounted (umount first)"
layers=$(of_all TYPE | grep -vxE 'disk|part|rom|' | sort -u | paste -sd ' ')
[ -z "$layers" ] || refuse "$name is in use, beneath: $layers"
members=$(of_all FSTYPE | grep -xE '.*_member|swap|bcache' | sort -u | paste -sd ' ')
[ -z "$members" ] || refuse "$name belongs to a larger whole or is swap space: $members (wipefs if that is long over)"
# A file system may span disks, and only one of them is listed as mounted.
shared=$(of_all UUID | grep . | while read -r uuid; do
	lsblk -nro UUID,MOUNTPOINT 2>/dev/null | awk -v uuid="$uuid" '$1 == uuid && $2 != "" { print $2 }'
done | sort -u | paste -sd ' ')
[ -z "$shared" ] || refuse "$name holds part of what is mounted at: $shared"

# ---- is it the right one? ----
echo "$device: $(of_device MODEL | sed 's/\\x20/ /g'), $size bytes"
lsblk -o NAME,SIZE,TYPE,FSTYPE,LABEL -- "$device"
short=$(basename "$device")
if [ -n "$dry" ]; then
	echo "Would write $image ($bytes bytes) to $device. Nothing was written."
	exit 0
fi
[ -w "$device" ] || refuse "no permission to write to $device (sudo?)"
if [ -z "$yes" ]; then
	printf 'Everything on it will be lost. Type %s to go on: ' "$short"
	read -r answer || answer=
	[ "$answer" = "$short" ] || refuse "that was not $short; nothing was written"
fi

# ---- write, and read back from the medium, not from memory ----
dd if="$image" of="$device" bs=4M conv=fsync,nocreat,notrunc status=none || { echo "write-usb.sh: writing failed" >&2; exit 3; }
direct=iflag=direct
if ! dd if="$device" of=/dev/null bs=4096 count=1 $direct status=none 2>/dev/null; then
	direct=
	echo "write-usb.sh: read back through the system's cache, which proves little" >&2
fi
# shellcheck disable=SC2086 # nothing or one word
read_back=$(dd if="$device" bs=1M count=$(((bytes + 1048575) / 1048576)) $direct status=none | head -c "$bytes" | sha256sum)
[ "$read_back" = "$(sha256sum <"$image")" ] || { echo "write-usb.sh: what was read back is not what was written; the stick is bad" >&2; exit 3; }
blockdev --rereadpt "$device" 2>/dev/null
echo "Written and verified: sha256 ${read_back%% *}"
