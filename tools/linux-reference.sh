#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# How long until something runs? Boots Debian's kernel with an init that says so and powers off, and Fairmetal with a small hackbench, in the same
# QEMU, alternately; prints both times from QEMU's start (to Linux's init, to Fairmetal's first run record) and their ratio.
#
# Usage: tools/linux-reference.sh KERNEL VMLINUZ [ROUNDS [CPUS]]
#   VMLINUZ  a Linux kernel image, such as /boot/vmlinuz-* after apt-get install linux-image-amd64
set -eu
[ $# -ge 2 ] || { sed -n '6,7s/^# //p' "$0" >&2; exit 2; }
kernel=$1 vmlinuz=$2 rounds=${3:-3} cpus=${4:-4}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/init.c" <<'END'
#include <sys/reboot.h>
#include <unistd.h>
int main(void)
{
	write(1, "init runs\n", 10);
	sync();
	return reboot(RB_POWER_OFF);
}
END
gcc -static -O2 -o "$work/init" "$work/init.c" 2>"$work/errors" || { cat "$work/errors" >&2; exit 1; }
mkdir -p "$work/root/dev"
mknod "$work/root/dev/console" c 5 1
cp "$work/init" "$work/root/init"
(cd "$work/root" && find . | cpio -o -H newc --quiet) >"$work/initrd"

# milliseconds TEXT QEMU-ARGUMENTS...: from the start to that text on the serial line
milliseconds() {
	local text=$1 start
	shift
	start=$(date +%s%N)
	timeout 120 qemu-system-x86_64 -accel tcg -smp "$cpus" -m 256M -nodefaults -display none -no-reboot -serial stdio "$@" </dev/null 2>&1 |
		grep -a -m 1 "$text" >/dev/null || { echo "no \"$text\" came" >&2; exit 1; }
	echo $((($(date +%s%N) - start) / 1000000))
}

for ((i = 0; i < rounds; i++)); do
	linux=$(milliseconds "init runs" -kernel "$vmlinuz" -initrd "$work/initrd" -append "console=ttyS0 quiet panic=-1")
	ours=$(milliseconds '"t":"run"' -kernel "$kernel" -append 'run="hackbench -g 1 -l 1"' -device isa-debug-exit,iobase=0xf4,iosize=4)
	echo "Linux's init after $linux ms, Fairmetal's first run after $ours ms: $((linux / ours)) times sooner"
done
