#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes what a fuzz target begins with: small logs and records that are right, texts that are understood, or memory
# as firmware and loaders leave it.
# Usage: tests/fuzz/seeds.sh PROGRAMS TARGET FOLDER
set -eu

make=$1/make-large folder=$3
rm -rf "$folder"
mkdir -p "$folder"

text() { # TEXT...: each is a file
	for text; do
		n=$((${n:-0} + 1))
		printf '%s' "$text" >"$folder/$n"
	done
}

case $2 in
log)
	"$make" runs 0 >"$folder/empty"
	"$make" latency 0 >"$folder/runs"
	sed '/"t":"run"/p' "$folder/runs" >"$folder/twice"
	cat "$folder/empty" "$folder/runs" >"$folder/boots"
	;;
record)
	"$make" runs 0 | awk -v folder="$folder" '{ sub(/^@[0-9]+ /, ""); sub(/ \*[0-9a-f]+$/, ""); printf "%s", $0 >(folder "/" NR) }'
	"$make" latency 0 | sed -n '/"t":"run"/{s/^@[0-9]* //;s/ \*[0-9a-f]*$//;p;q;}' | tr -d '\n' >"$folder/run"
	;;
plan)
	text '' 'run="hackbench -g 4 -l 50" run="massive_intr 8 1" vary=newidle:throttle,off runs=4 warmup=1' 'preset=3.8 run=list' \
		'run=hackbench variant="NEXT_BUDDY=on newidle=off" variant="preset=3.8" order=aabb seed=7' 'cpus=0-3,5 nodes=1 then=halt'
	;;
acpi | boot) "$1/seed-$2" "$folder" ;;
shape)
	text 4c 2n:4c:2t 1n:2p:2l:2c:1t 2n:4c/21 2n:1c/10,16,16,10 q6600 opterons
	;;
esac
