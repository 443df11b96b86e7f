/* SPDX-License-Identifier: GPL-2.0-or-later
 * The few facts the kernel takes from ACPI's static tables: CPUs, nodes, timers, and how to switch off. No AML is run. */
#ifndef ARCH_X86_ACPI_H
#define ARCH_X86_ACPI_H

#include "arch/x86/memmap.h"
#include "base/types.h"

enum {
	ACPI_NODE_UNKNOWN = 0xFFFF,
	ACPI_MEMORY_MAX = 256, /* memory affinity ranges kept */
	ACPI_LOCAL_DISTANCE = 10,
	ACPI_UARTS = 4,		   /* serial ports kept */
	ACPI_IOAPICS = 64,	   /* I/O APICs kept */
	ACPI_REMOTE_DISTANCE = 20, /* between nodes when no SLIT says otherwise */
};

#define ACPI_LAPIC_ADDRESS 0xFEE00000ull /* where it is unless the MADT says otherwise */

/* Where a register is, from ACPI's generic address structure. */
enum acpi_space {
	ACPI_MEMORY_SPACE = 0,
	ACPI_IO_SPACE = 1,
};

struct acpi_register {
	u64 address; /* 0: there is no such register */
	enum acpi_space space;
};

/* A CPU that the firmware calls enabled. It may still be a phantom: only its check-in proves it. */
struct acpi_cpu {
	u32 apic_id;
	u32 uid;
	u16 node; /* index into acpi_info.domain, or ACPI_NODE_UNKNOWN */
};

/* Memory that belongs to a node. Ranges may reach far beyond RAM: intersect them with the boot memory map. */
struct acpi_memory {
	u64 start;
	u64 end;
	u16 node;
};

/* What power-off (S5) and reset take. */
struct acpi_power {
	bool has_s5;
	u8 s5_type_a; /* SLP_TYPa and b, 0 to 7 */
	u8 s5_type_b;
	bool hw_reduced;		    /* use sleep_control; PM1 does not exist */
	struct acpi_register pm1a_control;  /* 16 bits */
	struct acpi_register pm1b_control;  /* 16 bits */
	struct acpi_register sleep_control; /* 8 bits */
	u16 sci_irq;
	u16 smi_command_port;	    /* 0: none, ACPI mode is always on */
	u8 acpi_enable;		    /* what to write to smi_command_port while SCI_EN is clear */
	struct acpi_register reset; /* 8 bits */
	u8 reset_value;
};

/* A serial port of the 16550 family that the firmware talks on or names for debuggers. */
struct acpi_uart {
	struct acpi_register at;
	u8 stride, width; /* bytes from one register to the next, and of an access */
	u32 baud;	  /* 0: as it is */
};

struct acpi_info {
	bool has_madt;
	bool has_srat;
	bool has_slit;

	unsigned nr_cpus;
	struct acpi_cpu cpu[MAX_CPUS]; /* in MADT order, each APIC id once */
	unsigned nr_disabled;	       /* entries not enabled, hot-pluggable ones included */
	unsigned nr_duplicates;	       /* enabled entries for a CPU already listed */
	unsigned nr_beyond;	       /* enabled entries that did not fit in cpu[] */
	u64 lapic_address;
	unsigned nr_ioapics;
	u64 ioapic[ACPI_IOAPICS]; /* addresses */

	unsigned nr_nodes;     /* at least 1 */
	u32 domain[MAX_NODES]; /* node -> the firmware's proximity domain, in SRAT order */
	u8 distance[MAX_NODES][MAX_NODES];
	unsigned nr_memory;
	struct acpi_memory memory[ACPI_MEMORY_MAX];

	u16 pm_timer_port;   /* 0: none; counts at 3.579545 MHz */
	bool pm_timer_32bit; /* else 24 bits */
	u64 hpet_address;    /* 0: none */

	unsigned nr_uarts; /* SPCR's first */
	struct acpi_uart uart[ACPI_UARTS];

	struct acpi_power power;
	unsigned warnings; /* oddities in all */
	unsigned oddities; /* of the table that is being read */
};

/* Reads the tables behind an RSDP of which `bytes` (20 or 36) are at `rsdp`. *out is all set, with defaults (no CPU, one node)
 * for whatever is missing or makes no sense; oddities count in out->warnings, the first few of each table with a line from say().
 * Too big for a stack: *out wants static storage.
 * Returns 0; -E_INVAL when the RSDP is none, -E_NOENT when it leads to no readable RSDT or XSDT. */
int acpi_parse(const void *rsdp, size_t bytes, struct acpi_info *out);

/* The same from the RSDP's physical address. */
int acpi_parse_at(u64 rsdp_phys, struct acpi_info *out);

/* Forgets devices that lie where the memory map has memory, each with a line from say(): what is written to them would land in
 * somebody's data. The local APIC goes back to where all have it. */
void acpi_forget_misplaced(struct acpi_info *info, const struct memmap *map);

#endif
