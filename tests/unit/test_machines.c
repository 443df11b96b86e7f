/* SPDX-License-Identifier: GPL-2.0-or-later
 * Tables as firmware left them in memory: copied out of QEMU 7.2's by its monitor, each with what the RSDP leads to, and kept for
 * the fuzzer (tests/fuzz/image.h). Expected values are those of the command lines given here, and registers as QEMU's machines have
 * them. */
#include "tests/unit/firmware.h"

#define CORPUS "tests/fuzz/corpus/acpi/"

static void load(const char *name)
{
	FILE *file = fopen(name, "rb");
	u64 phys;
	u16 bytes;

	assert_non_null(file);
	clear_memory();
	while (fread(&phys, sizeof(phys), 1, file) == 1 && fread(&bytes, sizeof(bytes), 1, file) == 1) {
		struct test_table *t = begin_table(phys);

		assert_true(bytes <= MOST_TABLE);
		t->size = (u32)fread(t->bytes, 1, bytes, file);
		assert_int_equal(t->size, bytes);
	}
	fclose(file);
}

static void parse_loaded(void)
{
	assert_int_equal(acpi_parse_at(memory[0].phys, &info), 0);
	unmap_all();
	assert_int_equal(lines_said(), 0);
}

static void expect_register(struct acpi_register r, u64 address, enum acpi_space space)
{
	assert_int_equal(r.address, address);
	assert_int_equal(r.space, space);
}

/* -m 256M,slots=2,maxmem=1G -smp 4,maxcpus=6,sockets=3,cores=2, nodes of CPUs 0-1 and 2-3 with 128 MiB each and of CPUs 4-5, which
 * are not there, with distances of 21 from one to the next and 31 from the first to the last. What may be plugged in belongs to the
 * last. SeaBIOS: an RSDP of revision 0, a FADT of 116 bytes. */
static void test_pc_with_nodes(void **state)
{
	(void)state;
	load(CORPUS "qemu-pc-numa");
	parse_loaded();
	assert_int_equal(info.nr_cpus, 4);
	assert_int_equal(info.nr_disabled, 2);
	assert_int_equal(info.nr_nodes, 3);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(info.cpu[i].apic_id, i);
		assert_int_equal(info.cpu[i].node, i / 2);
	}
	assert_int_equal(info.distance[0][1], 21);
	assert_int_equal(info.distance[1][2], 21);
	assert_int_equal(info.distance[2][0], 31);
	assert_int_equal(info.pm_timer_port, 0x608);
	assert_int_equal(info.hpet_address, 0xFED00000);
	assert_true(info.power.has_s5);
	assert_int_equal(info.power.s5_type_a, 0);
	expect_register(info.power.pm1a_control, 0x604, ACPI_IO_SPACE);
	assert_int_equal(info.power.reset.address, 0);
}

/* -machine microvm -smp 2: neither timer, and registers in memory for power-off and reset. */
static void test_microvm(void **state)
{
	(void)state;
	load(CORPUS "qemu-microvm");
	parse_loaded();
	assert_int_equal(info.nr_cpus, 2);
	assert_int_equal(info.nr_nodes, 1);
	assert_false(info.has_srat);
	assert_int_equal(info.pm_timer_port, 0);
	assert_int_equal(info.hpet_address, 0);
	assert_true(info.power.has_s5 && info.power.hw_reduced);
	assert_int_equal(info.power.s5_type_a, 5);
	expect_register(info.power.sleep_control, 0xFEA00200, ACPI_MEMORY_SPACE);
	expect_register(info.power.reset, 0xFEA00202, ACPI_MEMORY_SPACE);
	assert_int_equal(info.power.reset_value, 0x42);
}

/* OVMF, -machine q35 -smp 4: an XSDT, and the reset register. */
static void test_ovmf(void **state)
{
	(void)state;
	load(CORPUS "ovmf-q35");
	parse_loaded();
	assert_int_equal(info.nr_cpus, 4);
	assert_int_equal(info.cpu[3].apic_id, 3);
	assert_int_equal(info.pm_timer_port, 0x608);
	assert_int_equal(info.hpet_address, 0xFED00000);
	assert_true(info.power.has_s5);
	expect_register(info.power.reset, 0xCF9, ACPI_IO_SPACE);
	assert_int_equal(info.power.reset_value, 0xF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pc_with_nodes),
		cmocka_unit_test(test_microvm),
		cmocka_unit_test(test_ovmf),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
