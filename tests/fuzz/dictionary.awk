# SPDX-License-Identifier: GPL-2.0-or-later
# Makes libFuzzer's dictionary from base/record.def: what begins a record, each field with a value of its kind, and the marks of the format.
BEGIN {
	FS = "[(), ]+"
	value["UINT"] = "18446744073709551615"
	value["UINTS"] = "[1,2]"
	value["STR"] = "\"ok\""
	value["STRS"] = "[\"hackbench\"]"
	value["MAP"] = "{\"HZ\":1000}"
	put("\"}} *00000000\"")
	put("\\u001b")
	put("\\\\\"")
}

function put(text) {
	gsub(/\\/, "\\x5c", text)
	gsub(/"/, "\\x22", text)
	print "\"" text "\""
}

/^RECORD\(/ { put("@0 {\"t\":\"" $2 "\"") }
/^FIELD\(/ { put(",\"" $3 "\":" value[$4]) }
