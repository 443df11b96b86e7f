/* SPDX-License-Identifier: GPL-2.0-or-later
 * Words to whoever watches the firmware's console, and keys from there. */
#include "boot/efi/uefi.h"

#include "base/text.h"

enum { LINE_MAX = 512 };

/* The firmware wants 16 bits a character and both halves of a line's end. */
static void put_text(const char *text)
{
	CHAR16 wide[2 * LINE_MAX + 1];
	unsigned n = 0;

	for (; *text; text++) {
		if (*text == '\n')
			wide[n++] = '\r';
		wide[n++] = (u8)*text;
	}
	wide[n] = 0;
	uefi.table->ConOut->OutputString(uefi.table->ConOut, wide);
}

static void vprint(const char *fmt, va_list args)
{
	char line[LINE_MAX];

	text_vformat(line, sizeof(line), fmt, args);
	put_text(line);
}

void print(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vprint(fmt, args);
	va_end(args);
}

bool fail(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	put_text("Cannot boot: ");
	vprint(fmt, args);
	put_text("\n");
	va_end(args);
	return false;
}

const char *status_text(EFI_STATUS status)
{
	static const struct {
		EFI_STATUS status;
		const char *text;
	} known[] = {
		{ EFI_NOT_FOUND, "not found" },
		{ EFI_WRITE_PROTECTED, "write-protected" },
		{ EFI_OUT_OF_RESOURCES, "not enough memory" },
		{ EFI_VOLUME_FULL, "no room left" },
		{ EFI_VOLUME_CORRUPTED, "the file system is damaged" },
		{ EFI_NO_MEDIA, "no medium" },
		{ EFI_MEDIA_CHANGED, "the medium was changed" },
		{ EFI_DEVICE_ERROR, "device error" },
		{ EFI_ACCESS_DENIED, "access denied" },
		{ EFI_UNSUPPORTED, "not supported" },
		{ EFI_INVALID_PARAMETER, "refused by the firmware" },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(known); i++)
		if (known[i].status == status)
			return known[i].text;
	return "an error of the firmware";
}

/* By looking now and then: timers and events of firmware have more ways to fail than its clock. */
bool wait_key(unsigned seconds, EFI_INPUT_KEY *key)
{
	enum { LOOKS_A_SECOND = 20 };

	for (unsigned look = 0; look < seconds * LOOKS_A_SECOND; look++) {
		if (!EFI_ERROR(uefi.table->ConIn->ReadKeyStroke(uefi.table->ConIn, key)))
			return true;
		uefi.boot->Stall(1000000 / LOOKS_A_SECOND);
	}
	return false;
}
