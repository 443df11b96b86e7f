# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154 # what is set here is for those that source this, and $build is theirs
# What the scripts of this folder have in common: a working directory, TAP, a boot and its log. To be sourced in the project's directory, with $build set.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
log=$work/log
n=0
failed=0

report() { # ok|"not ok" NAME
	n=$((n + 1))
	echo "$1 $n - $2"
	[ "$1" = ok ] || failed=$((failed + 1))
}

verdict() { # NAME COMMAND: ok if the command succeeds
	local name=$1
	shift
	if "$@"; then report ok "$name"; else report "not ok" "$name"; fi
}

# boots NAME EXPECTED-STATUS "QEMU.SH OPTIONS" "COMMAND LINE" [TEXT THAT THE LOG HOLDS]...
boots() {
	local name=$1 expected=$2 options=$3 line=$4 status text miss=
	shift 4
	: >"$log"
	# shellcheck disable=SC2086 # a list of words
	eval tools/qemu.sh -q -t 120 -l "$log" $options "'$line'" >"$work/out" 2>&1
	status=$?
	[ $status = "$expected" ] || miss="exit status $status, not $expected"
	for text in "$@"; do
		tr -d '\r' <"$log" | grep -aqF -- "$text" || miss="$miss; no \"$text\" in the log"
	done
	if [ "$expected" != 3 ] && grep -aq '^@0' "$log"; then
		"$build/fairlog" check "$log" >"$work/out" 2>&1 || miss="$miss; fairlog: $(head -1 "$work/out")"
	fi
	if [ -z "$miss" ]; then
		report ok "$name"
		return
	fi
	report "not ok" "$name"
	echo "# $miss"
	echo "# tools/qemu.sh $options '$line'"
	tail -n 6 "$log" | tr -d '\r' | cut -c1-160 | sed 's/^/#   /'
}
