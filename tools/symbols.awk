# SPDX-License-Identifier: GPL-2.0-or-later
# Turns `nm -n kernel.elf` into the table that arch/x86/symbols.c reads, as nasm source. Empty input gives an empty table.
BEGIN { n = 0; print "section .ksyms progbits alloc noexec nowrite align=8"; print "global symbol_table, symbol_count, symbol_names" }
$2 ~ /^[tT]$/ { sub(/\..*/, "", $3); address[n] = $1; name[n++] = $3 } # without the compiler's .part.0 and the like
$3 == "text_end" { end = $1 }
END {
	print "symbol_table:"
	for (i = 0; i < n; i++)
		print "\tdd 0x" address[i] ", n" i " - symbol_names"
	if (n)
		print "\tdd 0x" end ", symbol_names - symbol_names"
	print "symbol_count: dd " (n ? n + 1 : 0)
	print "symbol_names:"
	for (i = 0; i < n; i++)
		print "n" i ": db \"" name[i] "\", 0"
	print "\tdb 0"
}
