/* SPDX-License-Identifier: GPL-2.0-or-later
 * From the loader's hand-over to the kernel's main. */
#include "arch/machine.h"
#include "arch/x86/apic.h"
#include "arch/x86/boot.h"
#include "arch/x86/bootinfo.h"
#include "arch/x86/clock.h"
#include "arch/x86/console.h"
#include "arch/x86/cpu.h"
#include "arch/x86/cpuid.h"
#include "arch/x86/ioapic.h"
#include "arch/x86/machine_check.h"
#include "arch/x86/paging.h"
#include "arch/x86/params.h"
#include "arch/x86/power.h"
#include "arch/x86/results.h"
#include "arch/x86/trap.h"
#include "arch/x86/x86.h"
#include "base/mem.h"
#include "base/text.h"

static struct {
	struct bootinfo info;
	struct memmap map;
	struct acpi_info acpi;
	char vendor[CPUID_VENDOR_SIZE], brand[CPUID_BRAND_SIZE], hypervisor[CPUID_HYPERVISOR_SIZE];
	char build[41];
	u64 memory_bytes;
	struct machine_info facts;
} boot;

extern char image_start[], image_end[];
extern const u8 build_id_note[], build_id_note_end[];
_Noreturn void x86_boot(u32 magic, u64 info);

_Noreturn void boot_refuse(const char *why)
{
	say("Cannot boot: %s\n", why);
	machine_end(END_POWEROFF, VERDICT_FAULT);
}

/* ---- facts for the report ---- */

static void read_cpu_names(void)
{
	cpuid_vendor(cpuid_here, NULL, boot.vendor);
	cpuid_brand(cpuid_here, NULL, boot.brand);
	cpuid_hypervisor(cpuid_here, NULL, boot.hypervisor);
}

/* The linker's fingerprint of the image: an ELF note, 16 bytes of header and "GNU" before 20 bytes of hash. */
static void read_build_id(void)
{
	const u8 *hash = build_id_note + 16;

	for (unsigned i = 0; hash + i < build_id_note_end && i < 20; i++)
		text_format(boot.build + 2 * i, 3, "%02x", hash[i]);
}

const struct machine_info *machine_info(void)
{
	static const char *const firmware[] = { [FIRMWARE_NONE] = "none", [FIRMWARE_BIOS] = "bios", [FIRMWARE_UEFI] = "uefi" };
	const struct clock_facts *clock = clock_facts();

	boot.facts = (struct machine_info){
		.version = FAIRMETAL_VERSION,
		.build = boot.build,
		.loader = boot.info.loader[0] ? boot.info.loader : "PVH",
		.firmware = firmware[boot.info.firmware],
		.cmdline = boot.info.cmdline,
		.cpu_vendor = boot.vendor,
		.cpu_model = boot.brand[0] ? boot.brand : "unnamed",
		.hypervisor = boot.hypervisor[0] ? boot.hypervisor : "none",
		.clocksource = clock->source,
		.clock_reference = clock->reference,
		.memory_bytes = boot.memory_bytes,
		.clocksource_hz = clock->source_hz,
		.tsc_hz = clock->tsc_hz,
		.tsc_warp_cycles = clock->warp_cycles,
		.tsc_invariant = clock->invariant,
	};
	boot_facts(&boot.facts);
	return &boot.facts;
}

/* ---- stages ---- */

static void begin(u32 magic, u64 info)
{
	int err;

	console_begin();
	err = bootinfo_parse(magic, info, &boot.info);
	boot_params(boot.info.cmdline);
	console_init(&boot.info);
	if (err)
		boot_refuse("the loader's information is of no known kind or says of no memory");
	if (boot.info.cmdline_cut)
		say("The command line is longer than %u characters and has been cut\n", BOOT_CMDLINE_MAX);
}

/* Both PICs to vectors of their own, and silent. */
static void pic_silence(void)
{
	out8(0x20, 0x11);
	out8(0xa0, 0x11);
	out8(0x21, VECTOR_PIC);
	out8(0xa1, VECTOR_PIC + 8);
	out8(0x21, 4);
	out8(0xa1, 2);
	out8(0x21, 1);
	out8(0xa1, 1);
	out8(0x21, 0xff);
	out8(0xa1, 0xff);
}

static void memory_init(void)
{
	if (memmap_build(&boot.map, boot.info.range, boot.info.nr_ranges))
		boot_refuse("the memory map has no usable memory");
	boot.memory_bytes = memmap_total(&boot.map);
	memmap_reserve(&boot.map, (u64)image_start, (u64)image_end);
	memmap_reserve(&boot.map, 0, MEM_PAGE);
	console_hide_screen();
	results_claim(&boot.info, &boot.map);
	if (paging_init(&boot.map))
		boot_refuse("too little memory for page tables");
}

static void acpi_init(u64 scanned)
{
	int err;

	if (boot.info.rsdp_bytes)
		err = acpi_parse(boot.info.rsdp, boot.info.rsdp_bytes, &boot.acpi);
	else
		err = acpi_parse_at(boot.info.rsdp_phys ? boot.info.rsdp_phys : scanned, &boot.acpi);
	if (err)
		say("No usable ACPI tables: running on one CPU\n");
	acpi_forget_misplaced(&boot.acpi, &boot.map);
}

static void apics_init(void)
{
	u32 highest = 0;

	for (unsigned i = 0; i < boot.acpi.nr_cpus; i++)
		highest = (u32)max_u64(highest, boot.acpi.cpu[i].apic_id);
	pic_silence();
	for (unsigned i = 0; i < boot.acpi.nr_ioapics; i++)
		ioapic_silence(boot.acpi.ioapic[i]);
	if (apic_init(boot.acpi.lapic_address, highest))
		boot_refuse("the local APIC cannot be mapped");
	apic_setup();
}

/* Low memory is left to the firmware and the trampoline. */
void machine_memory(void (*give)(void *start, u64 bytes))
{
	enum { LOW = 1 << 20 };

	for (unsigned i = 0; i < boot.map.nr; i++) {
		u64 start = max_u64(boot.map.range[i].start, LOW), end = boot.map.range[i].end;

		if (start < end)
			give((void *)start, end - start);
	}
}

/* On the boot stack, interrupts off. */
_Noreturn void x86_boot(u32 magic, u64 info)
{
	u64 scanned;

	cpu_setup(0);
	begin(magic, info);
	read_cpu_names();
	read_build_id();
	machine_check_say_old();
	power_init(NULL, boot.hypervisor[0]);
	scanned = boot.info.firmware == FIRMWARE_UEFI || boot.info.rsdp_bytes || boot.info.rsdp_phys ? 0 : rsdp_scan();
	memory_init();
	acpi_init(scanned);
	console_complete(&boot.acpi);
	power_init(&boot.acpi.power, boot.hypervisor[0]);
	apics_init();
	if (clock_init(&boot.acpi))
		boot_refuse("nothing here tells the time: no HPET, PM timer or PIT, and no rate of the TSC (tsc_hz=)");
	mem_init();
	results_recall();
	if (cpu_fault_stacks(0))
		boot_refuse("too little memory");
	idt_load(); /* again, now with its stacks */
	boot_machine(&boot.acpi, &boot.map);
}
