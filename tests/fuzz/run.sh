#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs each fuzz target for some seconds, over tests/fuzz/corpus, its seeds, and what it found before, which stays in FOLDER/found.
# Stops at the first input that brings one down; that is kept in FOLDER. Usage: tests/fuzz/run.sh FOLDER SECONDS TARGET...
set -eu

folder=$1 seconds=$2
shift 2

for target; do
	mkdir -p "$folder/found/$target"
	dictionary='' longest=4096 leaks=1
	case $target in
	log) dictionary=-dict=$folder/dictionary longest=10000 ;;
	acpi | boot) longest=20000 leaks=0 ;;
	record) dictionary=-dict=$folder/dictionary ;;
	*) leaks=0 ;; # the kernel gives nothing back
	esac
	export ASAN_OPTIONS=quarantine_size_mb=8:malloc_context_size=8:detect_leaks=$leaks
	echo "$target, $seconds s:"
	# shellcheck disable=SC2086 # no dictionary is no word
	"$folder/fuzz-$target" -max_total_time="$seconds" -timeout=20 -max_len=$longest $dictionary -artifact_prefix="$folder/" \
		-print_final_stats=1 -verbosity=0 "$folder/found/$target" "tests/fuzz/corpus/$target" "$folder/seeds/$target"
done
