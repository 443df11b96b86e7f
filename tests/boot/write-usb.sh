#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tools/write-usb.sh against a file in place of a stick and an lsblk of our own that says of it what the test wants. Each refusal leaves the
# file as it was. Prints TAP. Usage: tests/boot/write-usb.sh
set -u
cd "$(dirname "$0")/../.." || exit 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n=0 failed=0

# The lsblk: each column asked for is a file in $work/columns; several columns side by side. -d shows the first line only.
mkdir "$work/bin" "$work/columns"
cat >"$work/bin/lsblk" <<'EOF'
#!/bin/bash
here=$(dirname "$0")/../columns
first=cat device=
while [ $# -gt 0 ]; do
	case $1 in
	--) device=$2; shift ;;
	-*o) columns=$2; case $1 in *d*) first='head -n 1' ;; esac; shift ;;
	esac
	shift
done
[ -n "$device" ] || here=$here/machine
[ -e "$here/TYPE" ] || exit 1
cd "$here" && paste -d ' ' ${columns//,/ } | $first
EOF
chmod +x "$work/bin/lsblk"

set_stick() { # [COLUMN TEXT]...: a good stick with one partition, but for these
	rm -rf "$work/columns"
	mkdir -p "$work/columns/machine"
	cd "$work/columns" || exit 2
	printf 'disk\npart\n' >TYPE
	echo 1 >RM
	echo 1 >HOTPLUG
	echo 0 >RO
	echo 1048576 >SIZE
	echo 'Pocket\x20Stick' >MODEL
	printf 'stick\nstick1\n' >NAME
	printf '\nvfat\n' >FSTYPE
	printf '\nOLD\n' >LABEL
	printf '\n\n' >MOUNTPOINT
	printf '\nAAAA-1111\n' >UUID
	printf 'part\npart\n' >machine/TYPE
	printf 'AAAA-1111\n1234-root\n' >machine/UUID
	printf '\n/\n' >machine/MOUNTPOINT
	while [ $# -gt 0 ]; do
		printf '%b' "$2" >"$1"
		shift 2
	done
	cd - >/dev/null || exit 2
}

head -c 700000 /dev/urandom >"$work/image"
before=$(head -c 1048576 /dev/zero | tee "$work/stick" | sha256sum)

# runs NAME STATUS TEXT INPUT ARGUMENTS...: the end, the words, and unless it is 0 without a dry run, an untouched stick
runs() {
	local name=$1 expected=$2 text=$3 input=$4 out status miss=
	shift 4
	out=$(printf '%s\n' "$input" | PATH=$work/bin:$PATH tools/write-usb.sh --image "$work/image" "$@" 2>&1)
	status=$?
	[ $status = "$expected" ] || miss="status $status, not $expected;"
	[[ $out == *"$text"* ]] || miss="$miss no \"$text\";"
	if [ "$expected" = 0 ] && [[ $* != *--dry-run* ]]; then
		cmp -s -n 700000 "$work/image" "$work/stick" || miss="$miss not written;"
		head -c 1048576 /dev/zero >"$work/stick"
	elif [ "$(sha256sum <"$work/stick")" != "$before" ]; then
		miss="$miss the stick has changed;"
	fi
	n=$((n + 1))
	if [ -z "$miss" ]; then
		echo "ok $n - $name"
	else
		echo "not ok $n - $name"
		echo "$miss $out" | sed 's/^/# /'
		failed=$((failed + 1))
	fi
}
stick=$work/stick

set_stick
runs "written after its name was typed" 0 "Written and verified: sha256 $(sha256sum <"$work/image" | cut -d' ' -f1)" "stick" "$stick"
runs "shown before: the model" 0 "Pocket Stick, 1048576 bytes" "stick" "$stick"
runs "shown before: the partitions" 0 "OLD" "stick" "$stick"
runs "--yes asks nothing" 0 "Written and verified" "" --yes "$stick"
runs "--dry-run writes nothing" 0 "Nothing was written" "stick" --dry-run "$stick"
runs "another name" 1 "that was not stick" "stick1" "$stick"
runs "yes is no name" 1 "that was not stick" "yes" "$stick"
runs "nothing typed" 1 "that was not stick" "" "$stick"
ln -s "$stick" "$work/by-id"
runs "through a link, the device's own name counts" 0 "Written and verified" "stick" "$work/by-id"
runs "no device named" 2 "Usage" ""
runs "two devices named" 2 "Usage" "" "$stick" "$stick"
runs "unknown option" 2 "Usage" "" --force "$stick"

set_stick TYPE 'part\n'
runs "a partition" 1 "not a whole disk but a part" "stick" --yes "$stick"
set_stick TYPE 'loop\n'
runs "a loop device" 1 "not a whole disk but a loop" "stick" --yes "$stick"
set_stick RM '0\n' HOTPLUG '0\n'
runs "a disk that is built in" 1 "built in" "stick" --yes "$stick"
set_stick RM '0\n'
runs "a USB disk that does not call itself removable" 0 "Written and verified" "stick" "$stick"
set_stick RO '1\n'
runs "write-protected" 1 "write-protected" "stick" --yes "$stick"
set_stick SIZE '699999\n'
runs "one byte too small" 1 "holds 699999 bytes, the image has 700000" "stick" --yes "$stick"
set_stick SIZE '700000\n'
runs "just large enough" 0 "Written and verified" "stick" "$stick"
set_stick SIZE '0\n'
runs "a card reader without a card" 1 "no medium" "stick" --yes "$stick"
set_stick MOUNTPOINT '\n/media/me/OLD\n/mnt\n'
runs "mounted" 1 "mounted at: /media/me/OLD /mnt" "stick" --yes "$stick"
runs "mounted, dry run" 1 "mounted at" "stick" --dry-run "$stick"
set_stick MOUNTPOINT '\n/\n'
runs "the root file system" 1 "mounted at: /" "stick" --yes "$stick"
set_stick MOUNTPOINT '\n[SWAP]\n'
runs "swap in use" 1 "mounted at: [SWAP]" "stick" --yes "$stick"
set_stick FSTYPE '\nswap\n'
runs "swap space" 1 "swap" "stick" --yes "$stick"
set_stick FSTYPE '\nLVM2_member\n'
runs "an LVM member" 1 "LVM2_member" "stick" --yes "$stick"
set_stick FSTYPE 'linux_raid_member\n'
runs "a RAID member" 1 "linux_raid_member" "stick" --yes "$stick"
set_stick FSTYPE '\nzfs_member\n'
runs "a ZFS member" 1 "zfs_member" "stick" --yes "$stick"
set_stick TYPE 'disk\npart\ncrypt\n'
runs "an open encrypted volume" 1 "beneath: crypt" "stick" --yes "$stick"
set_stick TYPE 'disk\nraid1\n'
runs "a running array" 1 "beneath: raid1" "stick" --yes "$stick"
set_stick UUID '\n1234-root\n'
runs "the second disk of the root file system" 1 "part of what is mounted at: /" "stick" --yes "$stick"
rm -rf "$work/columns/"*
runs "not a block device" 1 "not a block device" "stick" --yes "$stick"

set_stick
n=$((n + 1))
if PATH=$work/bin:$PATH tools/write-usb.sh --yes --image "$work/none" "$stick" 2>&1 | grep -q "no image"; then
	echo "ok $n - no image"
else
	echo "not ok $n - no image"
	failed=$((failed + 1))
fi

# A stick that forgets: reading back finds it out.
cat >"$work/bin/dd" <<'EOF'
#!/bin/bash
/bin/dd "$@" || exit
for word in "$@"; do case $word in of=/dev/null) ;; of=*) printf X | /bin/dd of="${word#of=}" bs=1 seek=4096 conv=notrunc status=none ;; esac; done
EOF
chmod +x "$work/bin/dd"
n=$((n + 1))
if out=$(PATH=$work/bin:$PATH tools/write-usb.sh --yes --image "$work/image" "$stick" 2>&1); [ $? = 3 ] && [[ $out == *"not what was written"* ]]; then
	echo "ok $n - a stick that forgets"
else
	echo "not ok $n - a stick that forgets"
	failed=$((failed + 1))
fi

echo "1..$n"
[ $failed = 0 ]
