/* SPDX-License-Identifier: GPL-2.0-or-later
 * Names of functions for backtraces, from the table that the second link appends. */
#include "arch/machine.h"

struct symbol {
	u32 address, name; /* name: offset into symbol_names */
};

/* Made by tools/symbols.awk: ascending; the last entry marks the end of the code. */
extern const struct symbol symbol_table[];
extern const u32 symbol_count;
extern const char symbol_names[];

const char *machine_symbol(u64 address, u64 *offset)
{
	u32 low = 0, high = symbol_count;

	if (!symbol_count || address < symbol_table[0].address || address >= symbol_table[symbol_count - 1].address)
		return NULL;
	while (high - low > 1) {
		u32 middle = low + (high - low) / 2;

		if (symbol_table[middle].address <= address)
			low = middle;
		else
			high = middle;
	}
	*offset = address - symbol_table[low].address;
	return symbol_names + symbol_table[low].name;
}
