/* SPDX-License-Identifier: GPL-2.0-or-later
 * ACPI, the screen, Secure Boot. */
#include "boot/efi/firmware.h"

#include "base/string.h"
#include "boot/efi/uefi.h"

static const void *table_of(EFI_GUID guid)
{
	for (UINTN i = 0; i < uefi.table->NumberOfTableEntries; i++)
		if (!memcmp(&uefi.table->ConfigurationTable[i].VendorGuid, &guid, sizeof(guid)))
			return uefi.table->ConfigurationTable[i].VendorTable;
	return NULL;
}

const void *firmware_rsdp(bool *acpi2)
{
	const void *rsdp = table_of((EFI_GUID)ACPI_20_TABLE_GUID);

	*acpi2 = rsdp;
	return rsdp ? rsdp : table_of((EFI_GUID)ACPI_TABLE_GUID);
}

static struct mb2_colour colour_of(u32 mask)
{
	unsigned lowest;

	if (!mask)
		return (struct mb2_colour){ 0, 0 };
	lowest = ilog2(mask & -mask);
	return (struct mb2_colour){ (u8)lowest, (u8)(ilog2(mask) - lowest + 1) };
}

/* A pixel is as long as its highest bit asks for. */
static bool has_32_bits(const EFI_PIXEL_BITMASK *mask)
{
	return (mask->RedMask | mask->GreenMask | mask->BlueMask | mask->ReservedMask) >> 24;
}

/* Returns false for a screen without memory, which only the firmware can draw on, and for one of shorter pixels. */
static bool read_mode(const EFI_GRAPHICS_OUTPUT_PROTOCOL_MODE *mode, struct mb2_screen *screen)
{
	const EFI_GRAPHICS_OUTPUT_MODE_INFORMATION *info = mode->Info;
	EFI_PIXEL_BITMASK mask = info->PixelInformation;

	if (info->PixelFormat == PixelRedGreenBlueReserved8BitPerColor)
		mask = (EFI_PIXEL_BITMASK){ 0xff, 0xff00, 0xff0000, 0 };
	else if (info->PixelFormat == PixelBlueGreenRedReserved8BitPerColor)
		mask = (EFI_PIXEL_BITMASK){ 0xff0000, 0xff00, 0xff, 0 };
	else if (info->PixelFormat != PixelBitMask || !has_32_bits(&mask))
		return false;
	*screen = (struct mb2_screen){
		.addr = mode->FrameBufferBase,
		.pitch = info->PixelsPerScanLine * 4,
		.width = info->HorizontalResolution,
		.height = info->VerticalResolution,
		.colour = { colour_of(mask.RedMask), colour_of(mask.GreenMask), colour_of(mask.BlueMask) },
	};
	return screen->addr;
}

/* A machine with a remote console beside its graphics has several, and one in front of them that may be no memory at all. */
bool firmware_screen(struct mb2_screen *screen)
{
	EFI_GUID guid = EFI_GRAPHICS_OUTPUT_PROTOCOL_GUID;
	EFI_HANDLE *handle;
	UINTN n;

	if (EFI_ERROR(uefi.boot->LocateHandleBuffer(ByProtocol, &guid, NULL, &n, &handle)))
		return false;
	for (UINTN i = 0; i < n; i++) {
		EFI_GRAPHICS_OUTPUT_PROTOCOL *output;

		if (!EFI_ERROR(uefi.boot->HandleProtocol(handle[i], &guid, (void **)&output)) && read_mode(output->Mode, screen))
			return true;
	}
	return false;
}

bool firmware_secure_boot(void)
{
	EFI_GUID guid = EFI_GLOBAL_VARIABLE;
	u8 value = 0;
	UINTN bytes = sizeof(value);

	return !EFI_ERROR(uefi.table->RuntimeServices->GetVariable(L"SecureBoot", &guid, NULL, &bytes, &value)) && value == 1;
}
