/* SPDX-License-Identifier: GPL-2.0-or-later
 * Any memory may hold ACPI's tables: what is made of it is a machine that there can be, whatever was left out is said, and not much
 * is said. The first piece of memory (image.h) is where the RSDP is thought to be. The mutator in mutate_image.c makes most inputs
 * ones with good checksums, so that what is behind these is reached. */
#include <stdlib.h>

#include "tests/fuzz/image.h"

#include "arch/x86/acpi.h"
#include "arch/x86/memmap.h"
#include "arch/x86/oddity.h"
#include "arch/x86/phys.h"
#include "arch/x86/topology.h"
#include "base/string.h"

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t count);

#define PHYS_LIMIT (1ull << 52)

/* XSDT, RSDT, seven tables looked for by name, DSDT with SSDTs, devices where memory is; and what is said of the whole. */
enum { LISTS = 11, LINES_MOST = LISTS * (ODDITIES_TOLD + 1) + 3 };

static void check_cpus(const struct acpi_info *info)
{
	expect(info->nr_cpus <= MAX_CPUS && (!info->nr_cpus || info->has_madt));
	expect(!info->nr_beyond || info->nr_cpus == MAX_CPUS);
	for (unsigned i = 0; i < info->nr_cpus; i++) {
		expect(info->cpu[i].apic_id != 0xFFFFFFFF);
		expect(info->cpu[i].node < info->nr_nodes || (info->has_srat && info->cpu[i].node == ACPI_NODE_UNKNOWN));
		for (unsigned j = 0; j < i; j++)
			expect(info->cpu[i].apic_id != info->cpu[j].apic_id);
	}
	expect(info->lapic_address && info->lapic_address < PHYS_LIMIT && info->lapic_address % 4096 == 0);
}

static void check_nodes(const struct acpi_info *info)
{
	expect(info->nr_nodes >= 1 && info->nr_nodes <= MAX_NODES && (info->has_srat || info->nr_nodes == 1));
	for (unsigned a = 0; a < info->nr_nodes; a++)
		for (unsigned b = 0; b < info->nr_nodes; b++) {
			expect(a == b ? info->distance[a][b] == 10 : info->distance[a][b] > 10);
			expect(a == b || info->has_slit || info->distance[a][b] == 20);
			expect(a == b || info->domain[a] != info->domain[b]);
		}
	expect(info->nr_memory <= ACPI_MEMORY_MAX && (info->has_srat || !info->nr_memory));
	for (unsigned i = 0; i < info->nr_memory; i++) {
		const struct acpi_memory *m = &info->memory[i];

		expect(m->node < info->nr_nodes && m->start < m->end && m->end <= PHYS_LIMIT);
	}
}

static void check_register(struct acpi_register r)
{
	expect(r.space == ACPI_IO_SPACE ? r.address <= 0xFFFF : r.space == ACPI_MEMORY_SPACE && r.address < PHYS_LIMIT);
}

static void check_devices(const struct acpi_info *info)
{
	const struct acpi_power *p = &info->power;

	expect(p->s5_type_a <= 7 && p->s5_type_b <= 7);
	expect(!p->hw_reduced || (!p->pm1a_control.address && !p->pm1b_control.address && !info->pm_timer_port));
	check_register(p->pm1a_control);
	check_register(p->pm1b_control);
	check_register(p->sleep_control);
	check_register(p->reset);
	expect(info->hpet_address < PHYS_LIMIT && info->hpet_address % 8 == 0);
	expect(info->nr_uarts <= ACPI_UARTS && info->nr_ioapics <= ACPI_IOAPICS);
	for (unsigned i = 0; i < info->nr_uarts; i++) {
		const struct acpi_uart *u = &info->uart[i];

		check_register(u->at);
		expect(u->at.address && (u->stride == 1 || u->stride == 4) && (u->width == 1 || u->width == 4));
	}
}

/* With memory wherever there may be some, nothing but a port is left to be written to, and the local APIC's usual place. */
static void check_misplaced(struct acpi_info *info)
{
	static const struct memmap everywhere = { .nr = 2, .range = { { 0, 0xFE000000 }, { 1ull << 32, PHYS_LIMIT } } };
	const struct acpi_power *p = &info->power;
	const struct acpi_register *const left[] = { &p->pm1a_control, &p->pm1b_control, &p->sleep_control, &p->reset };

	acpi_forget_misplaced(info, &everywhere);
	for (unsigned i = 0; i < ARRAY_SIZE(left); i++)
		expect(left[i]->space == ACPI_IO_SPACE || !left[i]->address || !memmap_holds(&everywhere, left[i]->address, 2));
	expect(!info->hpet_address || !memmap_holds(&everywhere, info->hpet_address, 8));
	expect(!memmap_holds(&everywhere, info->lapic_address, 4096));
	for (unsigned i = 0; i < info->nr_ioapics; i++)
		expect(!info->ioapic[i] || !memmap_holds(&everywhere, info->ioapic[i], 4));
	check_devices(info);
}

/* What the scheduler gets to see. */
static void check_topology(const struct acpi_info *info)
{
	static struct cpu_identity identity[MAX_CPUS];
	static struct topology t;
	static u16 node[MAX_CPUS], node_map[MAX_NODES];
	unsigned n = info->nr_cpus ? info->nr_cpus : 1;

	node[0] = TOPOLOGY_NODE_UNKNOWN;
	for (unsigned i = 0; i < info->nr_cpus; i++) {
		identity[i] = (struct cpu_identity){ .apic_id = info->cpu[i].apic_id, .package_shift = 32 };
		node[i] = info->cpu[i].node;
	}
	expect(topology_build(identity, node, n, info->distance, &t, node_map) == 0);
	expect(t.nr_nodes >= 1 && t.nr_nodes <= info->nr_nodes);
	for (unsigned i = 0; i < n; i++)
		expect(t.cpu[i].node < t.nr_nodes && t.cpu[i].core < t.nr_cores && t.cpu[i].llc < t.nr_llcs);
	for (unsigned a = 0; a < t.nr_nodes; a++)
		for (unsigned b = 0; b < t.nr_nodes; b++)
			expect(a == b ? t.distance[a][b] == 10 : t.distance[a][b] > 10);
}

/* What is wrong is said, and briefly. */
static void check_words(const struct acpi_info *info, int err)
{
	expect(!info->warnings == !image_lines() || image_said("running on one"));
	expect(!err || (info->warnings && !info->nr_cpus && info->nr_nodes == 1));
	expect(err || info->nr_cpus || image_said("no MADT that names a CPU: running on one"));
	expect(image_lines() <= LINES_MOST);
}

/* The loader's copy of an RSDP leads to what the RSDP itself does. */
static void compare_with_copy(const struct acpi_info *info, int err)
{
	static struct acpi_info again;
	const struct piece *rsdp = image_piece(0);
	bool is_long = rsdp->bytes >= 36 && rsdp->at[15] >= 2;

	if (rsdp->bytes < 20 || !phys_map(rsdp->phys, is_long ? 36 : 20))
		return;
	memset(&again, 0xff, sizeof(again));
	expect(acpi_parse(rsdp->at, is_long ? 36 : 20, &again) == err);
	expect(!memcmp(info, &again, sizeof(again)));
}

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t count)
{
	static struct acpi_info info;
	int err;

	if (!image_open(bytes, count))
		return 0;
	memset(&info, 0xff, sizeof(info));
	err = acpi_parse_at(image_piece(0)->phys, &info);
	check_words(&info, err);
	check_cpus(&info);
	check_nodes(&info);
	check_devices(&info);
	compare_with_copy(&info, err);
	check_topology(&info);
	check_misplaced(&info);
	image_close();
	return 0;
}
