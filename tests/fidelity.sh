#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Holds docs/fidelity.md against the tree: what it names must be there, or the table tells of a scheduler that is not this one. Prints
# TAP. Runs from the root of the repository.
#
# In the columns "where" and "test", entries are separated by semicolons. One is FILE, FILE: NAME, NAME, ... or words that begin with
# "not modelled", "none" or "all". A test_*.c stands for tests/unit/, any other file without a directory for sched/.
set -u

table=docs/fidelity.md
output=$(mktemp) || exit 2
trap 'rm -f "$output"' EXIT
number=0
failures=0

result() { # NAME: passed if nothing was found
	number=$((number + 1))
	if [ -s "$output" ]; then
		failures=$((failures + 1))
		echo "not ok $number - $1"
		sed 's/^/# /' "$output"
	else
		echo "ok $number - $1"
	fi
}

# One line for each entry: line of the table, check or "-", file or "?", name or "-".
entries() {
	awk -F '|' '
		function trim(s) { gsub(/^ +| +$/, "", s); return s }
		function path(f) { return f ~ /\// ? f : (f ~ /^test_/ ? "tests/unit/" : "sched/") f }
		function cell(text, check, parts, names, n, m, i, j, file) {
			n = split(text, parts, ";")
			for (i = 1; i <= n; i++) {
				parts[i] = trim(parts[i])
				if (parts[i] == "-" || parts[i] ~ /^(not modelled|none|all)[ :]/)
					continue
				if (parts[i] !~ /^[A-Za-z0-9_.\/-]+\.(c|h|sh|md)(: [A-Za-z0-9_, ]+)?$/) {
					print NR, check, "?", "-"
					continue
				}
				file = parts[i]
				sub(/:.*/, "", file)
				m = split(substr(parts[i], length(file) + 2), names, ",")
				for (j = 1; j <= m; j++)
					print NR, check, path(file), trim(names[j])
				if (!m)
					print NR, check, path(file), "-"
			}
		}
		!/^\|/ { columns = 0; next }
		!columns { columns = split($0, heads, "|"); for (i in heads) heads[i] = trim(heads[i]); next }
		/^\|-/ { next }
		{ for (i = 2; i < columns; i++) if (heads[i] == "where" || heads[i] == "test") cell($i, heads[2] == "check" ? trim($2) : "-") }
	' "$table"
}

# Defined in FILE: at the beginning of a line that does not merely declare it, or as an enumerator there. Registered: as a test of cmocka.
look() { # MISSING: files, names or tests
	entries | awk -v missing="$1" -v table="$table" '
		function load(file, line, name, rest, any) {
			loaded[file] = 1
			while ((getline line < file) > 0) {
				any = 1
				for (rest = line; match(rest, /(machine_test|cmocka_unit_test)\([a-z0-9_A-Z]+\)/); rest = substr(rest, RSTART + RLENGTH)) {
					name = substr(rest, RSTART, RLENGTH - 1)
					sub(/.*\(/, "", name)
					tests[file, name] = 1
				}
				if (match(line, /^\t[A-Z][A-Z_0-9]* = /))
					defined[file, substr(line, 2, RLENGTH - 4)] = 1
				if (line !~ /^[a-zA-Z}]/ || line ~ /\);$/)
					continue
				for (rest = line; match(rest, /[A-Za-z_][A-Za-z_0-9]*(\(|\[| = )/); rest = substr(rest, RSTART + RLENGTH)) {
					name = substr(rest, RSTART, RLENGTH)
					sub(/[^A-Za-z_0-9].*/, "", name)
					defined[file, name] = 1
				}
			}
			close(file)
			exists[file] = any
		}
		$3 == "?" { if (missing == "files") print table ":" $1 ": an entry that is neither a file nor a reason"; next }
		!loaded[$3] { load($3) }
		!exists[$3] { if (missing == "files") print table ":" $1 ": no file " $3; next }
		$4 == "-" { next }
		$3 ~ /^tests\/unit\// { if (missing == "tests" && !tests[$3, $4]) print table ":" $1 ": no test " $4 " in " $3; next }
		missing == "names" && !defined[$3, $4] { print table ":" $1 ": no " $4 " in " $3 }
	'
}

look files >"$output"
result "every file named in $table is there"
look names >"$output"
result "every function named in it is there"
look tests >"$output"
result "every test named in it is registered"

entries | awk -v table="$table" '
	$2 == "-" || $3 == "?" { next }
	{ key = $2 " " $3 }
	!(key in line) { line[key] = $1; text = ""; while ((getline l < $3) > 0) text = text l "\n"; close($3)
		number = $2; gsub(/\./, "\\.", number)
		if (text !~ number "[^0-9b]") print table ":" $1 ": no " $2 " in " $3 }
' >"$output"
result "the number of every check stands in its tests"

awk -F '[(,]' '/^(FEATURE|NUMBER|CHOICE)\(/ { print $2 }' sched/knobs.def | while read -r knob; do
	grep -q "\`$knob\`" "$table" || echo "$knob"
done >"$output"
result "every knob is in it"

echo "1..$number"
[ $failures -eq 0 ]
