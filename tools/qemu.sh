#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Boots the kernel or the ISO in QEMU, keeps the serial log, shows it without the machine-readable records, and turns QEMU's exit code into
# one with a meaning: 0 all runs ok, 1 a run failed, 2 the command line was refused, 3 the kernel stopped by a fault, 4 anything else.
#
# Usage: tools/qemu.sh (-k KERNEL | -i ISO) [-c CPUS] [-m MEM] [-a ACCEL] [-l LOG] [-t SECONDS] [-u] [-d] [-q] [-r N:TEXT] [-x "QEMU ARGS"] [COMMAND LINE]
# The environment's QEMU names another qemu-system-x86_64.
#   -u  UEFI firmware (OVMF)   -d  attach the ISO as a USB disk   -q  show nothing
#   -r  let the machine reset itself, and end it with 0 when N lines of its log have TEXT in them
set -u

usage() { sed -n '7,8s/^# //p' "$0" >&2; exit 4; }

kernel='' iso='' cpus=4 mem=256M accel=tcg log='' limit=600 uefi='' disk='' quiet='' extra='' until=''
while getopts k:i:c:m:a:l:t:udqr:x: option; do
	case $option in
	k) kernel=$OPTARG ;;
	i) iso=$OPTARG ;;
	c) cpus=$OPTARG ;;
	m) mem=$OPTARG ;;
	a) accel=$OPTARG ;;
	l) log=$OPTARG ;;
	t) limit=$OPTARG ;;
	u) uefi=1 ;;
	d) disk=1 ;;
	q) quiet=1 ;;
	r) until=$OPTARG ;;
	x) extra=$OPTARG ;;
	*) usage ;;
	esac
done
shift $((OPTIND - 1))
[ -n "$kernel$iso" ] || usage
[ -n "$log" ] || { log=$(mktemp); trap 'rm -f "$log"' EXIT; }

# shellcheck disable=SC2054 # commas are QEMU's
machine=("${QEMU:-qemu-system-x86_64}" -accel "$accel" -smp "$cpus" -m "$mem" -nodefaults -display none
	-chardev "stdio,id=serial,logfile=$log,signal=on" -serial chardev:serial)
# shellcheck disable=SC2054
[ -n "$until" ] || machine+=(-no-reboot -device isa-debug-exit,iobase=0xf4,iosize=4)
[ -n "$uefi" ] && machine+=(-bios /usr/share/ovmf/OVMF.fd)
if [ -n "$kernel" ]; then
	machine+=(-kernel "$kernel" -append "$*")
elif [ -n "$disk" ]; then
	# shellcheck disable=SC2054
	machine+=(-device qemu-xhci -drive "if=none,id=stick,format=raw,readonly=on,file=$iso" -device usb-storage,drive=stick)
else
	machine+=(-cdrom "$iso")
fi
# shellcheck disable=SC2206 # a list of words
machine+=($extra)

# The records are for fairlog; ANSI codes come from firmware and GRUB.
show() { if [ -n "$quiet" ]; then cat >/dev/null; else sed -u -e 's/\r//g; s/\x1b\[[0-9;?=]*[A-Za-z]//g; /^@[0-9]/d'; fi; }

# With 33, as the kernel would, when the log has what is waited for.
run_until() {
	: >"$log"
	"${machine[@]}" &
	qemu=$!
	trap 'kill $qemu 2>/dev/null' EXIT
	for ((i = 0; i < 5 * limit; i++)); do
		kill -0 $qemu 2>/dev/null || { wait $qemu; return; }
		sleep 0.2
		[ "$(grep -aF -- "${until#*:}" "$log" | wc -l)" -lt "${until%%:*}" ] || return 33
	done
	return 124
}

if [ -n "$until" ]; then
	(run_until) </dev/null | show
else
	timeout --foreground "$limit" "${machine[@]}" </dev/null | show
fi
case ${PIPESTATUS[0]} in
33) exit 0 ;;
35) exit 1 ;;
37) exit 2 ;;
39) exit 3 ;;
124) echo "qemu.sh: no end after $limit s" >&2; exit 4 ;;
*) echo "qemu.sh: QEMU ended with status ${PIPESTATUS[0]} and no word from the kernel" >&2; exit 4 ;;
esac
