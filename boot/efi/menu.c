/* SPDX-License-Identifier: GPL-2.0-or-later
 * A menu of numbered lines, which also a serial line at any speed and a screen reader can show. */
#include "boot/efi/menu.h"

#include "boot/efi/uefi.h"

static char key_of(unsigned i)
{
	return (char)(i < 9 ? '1' + i : 'a' + i - 9);
}

static void show(const struct config *config)
{
	for (unsigned i = 0; i < config->nr; i++)
		print("%c %c  %s\n", i == config->first ? '*' : ' ', key_of(i), config->entry[i].title);
	print("A key of the list starts that entry, Enter the one with *; it starts by itself in %u s unless a key is pressed\n",
		config->timeout_s);
}

static unsigned entry_for(const struct config *config, CHAR16 key)
{
	if (key == '\r')
		return config->first;
	for (unsigned i = 0; i < config->nr; i++)
		if (key == (CHAR16)key_of(i))
			return i;
	return config->nr;
}

unsigned menu_choose(const struct config *config)
{
	unsigned chosen = config->nr, patience = config->timeout_s;
	EFI_INPUT_KEY key;

	if (!patience)
		return config->first;
	show(config);
	while (chosen == config->nr) {
		if (!wait_key(patience, &key))
			return config->first;
		chosen = entry_for(config, key.UnicodeChar);
		patience = CONFIG_TIMEOUT_MOST; /* somebody is there */
	}
	return chosen;
}
