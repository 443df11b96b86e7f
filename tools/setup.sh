#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Installs, through apt, what is missing for the given goals of the Makefile; nothing else, and nothing at all if nothing is missing.
# Usage: tools/setup.sh GOAL...
set -eu

packages="gcc libc6-dev make binutils nasm git libbsd-dev libstb-dev libjansson-dev libgsl-dev zlib1g-dev grub-common"
for goal in "$@"; do
	case $goal in
	run | lockstep | calibrate | check-stress) packages="$packages qemu-system-x86" ;;
	sim) ;;
	iso) packages="$packages grub-pc-bin grub-efi-amd64-bin xorriso mtools" ;;
	efi) packages="$packages gnu-efi" ;;
	usb) packages="$packages gnu-efi grub-pc-bin xorriso mtools" ;;
	run-iso) packages="$packages qemu-system-x86 grub-pc-bin grub-efi-amd64-bin xorriso mtools" ;;
	run-uefi) packages="$packages qemu-system-x86 grub-pc-bin grub-efi-amd64-bin xorriso mtools ovmf" ;;
	check-matrix) packages="$packages qemu-system-x86 grub-pc-bin grub-efi-amd64-bin xorriso mtools ovmf bochs bochsbios" ;;
	check) packages="$packages qemu-system-x86 grub-pc-bin grub-efi-amd64-bin xorriso mtools ovmf libcmocka-dev gzip trace-cmd gnuplot-nox libxml2-utils gnu-efi dosfstools bochs bochsbios" ;;
	fuzz) packages="$packages clang libcmocka-dev" ;;
	lint | format) packages="$packages clang-format cppcheck shellcheck" ;;
	*) echo "setup.sh: unknown goal \"$goal\": expected run, lockstep, calibrate, sim, iso, usb, efi, run-iso, run-uefi, check, check-matrix, check-stress, fuzz, lint or format" >&2; exit 2 ;;
	esac
done

missing=
for package in $packages; do
	case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true) in
	*" installed") ;;
	*) case " $missing " in *" $package "*) ;; *) missing="$missing $package" ;; esac ;;
	esac
done
[ -n "$missing" ] || exit 0

echo "Installing:$missing" >&2
root=
if [ "$(id -u)" != 0 ]; then
	root=sudo
	command -v sudo >/dev/null || { echo "setup.sh: not root and no sudo; as root: apt-get install$missing" >&2; exit 1; }
fi
export DEBIAN_FRONTEND=noninteractive
$root apt-get update -q >&2
# shellcheck disable=SC2086 # a list of words
$root apt-get install -q -y --no-install-recommends $missing >&2
