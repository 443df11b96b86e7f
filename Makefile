# SPDX-License-Identifier: GPL-2.0-or-later
# Fairmetal. `make help` lists what can be made; everything made goes to $(O).

O       ?= build
MACHINE ?= lockstep
CPUS    ?= 4
TOPO    ?= $(CPUS)c
MEM     ?= 256M
ACCEL   ?= tcg
ARGS    ?= run="hackbench -g 4 -l 50" run="massive_intr 8 1" vary=newidle:throttle,off runs=4 warmup=1
V       ?= 0
Q       := $(if $(filter 1,$(V)),,@)

# Goals that people run on a fresh machine install what they need first.
WANTS := $(filter run lockstep calibrate sim iso usb efi run-iso run-uefi check check-matrix check-stress fuzz lint format,$(MAKECMDGOALS))
ifneq ($(WANTS),)
ifneq ($(shell tools/setup.sh $(WANTS) || echo failed),)
$(error tools/setup.sh could not install what "make $(WANTS)" needs)
endif
endif

VERSION := $(shell git describe --always --dirty 2>/dev/null || echo unknown)

CFLAGS_ALL    := -std=c11 -Wall -Wextra -Werror -O2 -g -I. -MMD -MP
CFLAGS_KERNEL := $(CFLAGS_ALL) -ffreestanding -mno-red-zone -mgeneral-regs-only -fno-stack-protector -fno-omit-frame-pointer \
	-fno-tree-loop-distribute-patterns -fcf-protection=none -fno-pic -no-pie -mcmodel=small -fno-asynchronous-unwind-tables -flto=auto \
	-DFAIRMETAL_VERSION='"$(VERSION)"' $(if $(DEBUG),-DDEBUG) $(if $(CALIBRATE),-DCALIBRATE)
# Where the sanitizer looks for null pointers, GCC believes in null formats.
CFLAGS_TEST   := $(CFLAGS_ALL) -O1 -fsanitize=address,undefined -fno-omit-frame-pointer -DDEBUG -Wno-format-truncation

BASE      := base/arena.c base/aside.c base/bug.c base/bystanders.c base/cmdline.c base/console.c base/crc32.c \
	base/histogram.c base/knobs.c base/lineedit.c base/lognormal.c base/mem.c base/record.c base/results.c base/spinlock.c \
	base/string.c base/text.c base/timer.c base/watchdog.c
SCHED     := sched/account.c sched/affine.c sched/attr.c sched/averages.c sched/balance.c sched/buddy.c sched/busiest.c \
	sched/check.c sched/core.c sched/domain.c sched/domain_say.c sched/fair.c sched/fork.c sched/group.c sched/hrtick.c \
	sched/idle.c sched/idle_sibling.c sched/idlest.c sched/imbalance.c sched/knobs.c sched/latency.c sched/level.c \
	sched/load.c sched/migrate.c sched/newidle.c sched/nohz.c sched/pelt.c sched/placement.c sched/policy.c \
	sched/policy_balance.c sched/policy_select.c sched/power.c sched/preempt.c sched/presets.c sched/pulse.c sched/rt.c \
	sched/rt_balance.c sched/rt_bandwidth.c sched/stats.c sched/stop.c sched/tick.c sched/trace.c sched/wake.c \
	sched/waste.c sched/waste_cause.c sched/weight.c
IPC       := ipc/channel.c ipc/futex.c ipc/gate.c ipc/pipe.c ipc/process.c ipc/semaphore.c ipc/sleep.c ipc/tcp.c ipc/unix.c \
	ipc/waitq.c
WORKLOADS := workloads/aim7.c workloads/chat.c workloads/context_switch1.c workloads/crew.c workloads/cyclictest.c \
	workloads/hackbench.c workloads/kbuild.c workloads/massive_intr.c workloads/options.c workloads/percentiles.c \
	workloads/schbench.c workloads/schbench_classic.c workloads/sched_pipe.c workloads/sched_yield.c workloads/spin.c \
	workloads/spread.c workloads/sysbench_threads.c workloads/talk.c workloads/tbench.c workloads/vmark.c \
	workloads/workload.c
LAB       := lab/account.c lab/background.c lab/certify.c lab/counters.c lab/cpuset.c lab/exp.c lab/experiment.c lab/list.c \
	lab/main.c lab/pairs.c lab/plan.c lab/progress.c lab/provoke.c lab/report.c lab/report_latency.c lab/report_trace.c \
	lab/sampler.c lab/schedstat.c lab/screen.c lab/sequential.c lab/shell.c lab/still.c lab/summary.c lab/tally.c
# A PC, and what only the machine with real CPUs or only lockstep has of it.
METAL     := arch/shape.c arch/x86/certificate.c arch/x86/hold.c arch/x86/idle.c arch/x86/lapic_timer.c arch/x86/masquerade.c \
	arch/x86/masquerade_machine.c arch/x86/metal.c arch/x86/nmi_clock.c arch/x86/pmu.c arch/x86/pmu_amd.c arch/x86/pmu_intel.c \
	arch/x86/pmu_machine.c arch/x86/smp.c arch/x86/still.c arch/x86/topology.c arch/x86/watchdog.c arch/x86/witness.c arch/x86/work.c
LOCKSTEP  := arch/x86/lockstep.c
X86       := arch/x86/acpi.c arch/x86/acpi_cpus.c arch/x86/acpi_devices.c arch/x86/apic.c arch/x86/boot.c arch/x86/bootinfo.c \
	arch/x86/clock.c arch/x86/console.c arch/x86/context.c arch/x86/counters.c arch/x86/cpu.c arch/x86/fb.c \
	arch/x86/font.c arch/x86/ioapic.c arch/x86/ioapic_access.c arch/x86/keyboard.c arch/x86/machine_check.c \
	arch/x86/memmap.c arch/x86/msr.c arch/x86/paging.c arch/x86/params.c arch/x86/pci.c arch/x86/pci_access.c \
	arch/x86/power.c arch/x86/quirks.c arch/x86/results.c arch/x86/spcr.c arch/x86/symbols.c arch/x86/trap.c \
	arch/x86/uart.c arch/x86/uart_access.c boot/results.c
ASM       := boot/entry.asm boot/trampoline.asm arch/x86/stubs.asm arch/x86/switch.asm
VCPU      := arch/shape.c arch/vcpu/cost.c arch/vcpu/engine.c arch/vcpu/machine.c arch/vcpu/params.c
# Our UEFI loader: what talks to the firmware, and what can be tested without one.
EFI_PURE  := boot/results.c boot/efi/config.c boot/efi/elf.c boot/efi/memory_map.c boot/efi/multiboot2.c
EFI       := $(EFI_PURE) boot/efi/console.c boot/efi/file.c boot/efi/firmware.c boot/efi/leave.c boot/efi/main.c boot/efi/medium.c boot/efi/memory.c \
	boot/efi/menu.c boot/efi/save.c base/crc32.c base/string.c base/text.c
POSIX     := arch/posix/crash.c arch/posix/host.c arch/posix/main.c
FAIRLOG   := $(wildcard tools/fairlog/*.c)

PORTABLE   := $(BASE) $(SCHED) $(IPC) $(WORKLOADS) $(LAB)
KERNEL_C   := $(PORTABLE) $(X86) $(METAL)
LOCKSTEP_C := $(PORTABLE) $(X86) $(VCPU) $(LOCKSTEP)
KERNEL_OBJ := $(KERNEL_C:%.c=$(O)/kernel/%.o) $(ASM:%.asm=$(O)/kernel/%.o)
LOCKSTEP_OBJ := $(LOCKSTEP_C:%.c=$(O)/kernel/%.o) $(ASM:%.asm=$(O)/kernel/%.o)
FAIRLOG_OBJ := $(FAIRLOG:%.c=$(O)/host/%.o)

.PHONY: all
all: $(O)/fairmetal.elf $(O)/fairmetal-lockstep.elf $(O)/fairmetal-sim $(O)/fairlog ## the kernel for all machines, and the log reader

# ---- the kernel: linked twice, the second time with the names of its own functions ----

$(O)/kernel/%.o: %.c Makefile
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_KERNEL) -c $< -o $@

# What the compiler calls on its own account must not be taken apart by it.
$(O)/kernel/base/string.o: CFLAGS_KERNEL += -fno-lto -fno-builtin

$(O)/kernel/%.o: %.asm boot/modes.inc
	$(Q)mkdir -p $(@D)
	$(Q)nasm -f elf64 -I. $< -o $@

# At link time, so that the machine behind arch/machine.h costs no calls.
LINK = $(CC) $(CFLAGS_KERNEL) -nostdlib -static -Wl,-n,-z,max-page-size=4096,-z,noexecstack,--no-warn-rwx-segments,--build-id,-T,linker.ld

$(O)/kernel/no-symbols.o: tools/symbols.awk
	$(Q)mkdir -p $(@D)
	$(Q)awk -f tools/symbols.awk </dev/null >$(@:.o=.asm) && nasm -f elf64 $(@:.o=.asm) -o $@

define link_twice
	$(Q)$(LINK) -o $@.first $(1) $(O)/kernel/no-symbols.o
	$(Q)nm -n $@.first | awk -f tools/symbols.awk >$@.symbols.asm
	$(Q)nasm -f elf64 $@.symbols.asm -o $@.symbols.o
	$(Q)$(LINK) -o $@ $(1) $@.symbols.o
	$(Q)grub-file --is-x86-multiboot2 $@ || { echo "$@ has no multiboot2 header where GRUB looks for it"; rm $@; exit 1; }
endef

$(O)/fairmetal.elf: $(KERNEL_OBJ) $(O)/kernel/no-symbols.o linker.ld
	$(call link_twice,$(KERNEL_OBJ))

$(O)/fairmetal-lockstep.elf: $(LOCKSTEP_OBJ) $(O)/kernel/no-symbols.o linker.ld
	$(call link_twice,$(LOCKSTEP_OBJ))

# ---- the log reader ----

$(O)/host/%.o: %.c Makefile
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) -c $< -o $@

$(O)/fairlog: $(FAIRLOG_OBJ)
	$(Q)$(CC) $^ -ljansson -lgsl -lgslcblas -lz -lm -o $@

# ---- the sim: the kernel's portable part over the engine, in a host process ----

SIM_C       := $(PORTABLE) $(VCPU) $(POSIX)
SIM_FLAGS   := $(CFLAGS_ALL) -DMAX_CPUS=1024 -fno-omit-frame-pointer -no-pie -fno-pie -DFAIRMETAL_VERSION='"$(VERSION)"'
SIM_OBJ     := $(SIM_C:%.c=$(O)/sim/%.o) $(O)/sim/arch/x86/switch.o
SIM_ASAN_OBJ := $(SIM_C:%.c=$(O)/sim-asan/%.o) $(O)/sim/arch/x86/switch.o

.PHONY: sim sim-asan
sim: $(O)/fairmetal-sim ## the kernel in a host process: any number of CPUs, virtual time from a cost table
sim-asan: $(O)/fairmetal-sim-asan ## the same with lock checks, address and undefined behaviour sanitizers

$(O)/sim/%.o: %.c Makefile
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(SIM_FLAGS) -c $< -o $@

$(O)/sim-asan/%.o: %.c Makefile
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(SIM_FLAGS) -O1 -fsanitize=address,undefined -DDEBUG -Wno-format-truncation -c $< -o $@

$(O)/sim/%.o: %.asm
	$(Q)mkdir -p $(@D)
	$(Q)nasm -f elf64 -I. $< -o $@

$(O)/fairmetal-sim: $(SIM_OBJ)
	$(Q)$(CC) -no-pie -rdynamic -Wl,--build-id $^ -o $@

$(O)/fairmetal-sim-asan: $(SIM_ASAN_OBJ)
	$(Q)$(CC) -fsanitize=address,undefined -no-pie -rdynamic -Wl,--build-id $^ -o $@

# ---- images and running them ----

.PHONY: iso
iso: $(O)/fairmetal.iso ## an image for CD and USB stick by GRUB on BIOS and UEFI, with nothing on it to edit

$(O)/fairmetal.iso: $(O)/fairmetal.elf $(O)/fairmetal-lockstep.elf boot/grub.cfg tools/mkiso.sh
	$(Q)tools/mkiso.sh $@ $(O)/fairmetal.elf boot/grub.cfg $(O)/fairmetal-lockstep.elf

# As gnu-efi 3.0 wants it; general registers only, because the firmware's calls keep others than ours. What its start code cannot relocate,
# or firmware refuses to load, is found here and not on somebody's machine.
CFLAGS_EFI := $(CFLAGS_ALL) -I/usr/include/efi -I/usr/include/efi/x86_64 -DGNU_EFI_USE_MS_ABI -ffreestanding -fpic -fshort-wchar \
	-fno-stack-protector -fno-strict-aliasing -fno-builtin -fcf-protection=none -fno-asynchronous-unwind-tables -maccumulate-outgoing-args \
	-mno-red-zone -mgeneral-regs-only -Wno-pointer-sign -DFAIRMETAL_VERSION='"$(VERSION)"'
EFI_OBJ    := $(EFI:%.c=$(O)/efi/%.o) $(O)/efi/boot/efi/enter.o
EFI_PARTS  := .text .sdata .data .rodata .dynamic .dynsym .rel .rela .rel.* .rela.* .reloc

$(O)/efi/%.o: %.c Makefile
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_EFI) -c $< -o $@

$(O)/efi/%.o: %.asm
	$(Q)mkdir -p $(@D)
	$(Q)nasm -f elf64 -I. $< -o $@

$(O)/BOOTX64.EFI: $(EFI_OBJ)
	$(Q)ld -shared -Bsymbolic -nostdlib -z noexecstack -T /usr/lib/elf_x86_64_efi.lds /usr/lib/crt0-efi-x86_64.o $^ /usr/lib/libgnuefi.a -o $(O)/efi/loader.so
	$(Q)! nm -u $(O)/efi/loader.so | grep . || { echo "$@ lacks these"; exit 1; }
	$(Q)! readelf -rW $(O)/efi/loader.so | grep R_X86_64 | grep -v R_X86_64_RELATIVE || { echo "$@ has relocations that its start code does not know"; exit 1; }
	$(Q)objcopy $(EFI_PARTS:%=-j %) --target efi-app-x86_64 --subsystem=10 $(O)/efi/loader.so $@
	$(Q)objdump -h $@ | grep -q '\.reloc' || { echo "$@ has no .reloc, without which some firmware loads nothing"; rm $@; exit 1; }
	$(Q)! objdump -h $@ | grep CODE | grep -v READONLY || { echo "$@ has code that can be written to, which some firmware refuses"; rm $@; exit 1; }

.PHONY: efi usb
efi: $(O)/BOOTX64.EFI ## our UEFI loader, which reads fairmetal.cfg beside it and saves results that a reset left in memory
usb: $(O)/fairmetal-usb.img ## an image for USB stick and CD, BIOS and UEFI, with one file system that can be edited (tools/write-usb.sh)

$(O)/fairmetal-usb.img: $(O)/BOOTX64.EFI $(O)/fairmetal.elf $(O)/fairmetal-lockstep.elf boot/fairmetal.cfg boot/usb-grub.cfg tools/mkusb.sh
	$(Q)tools/mkusb.sh $@ $(O)/BOOTX64.EFI boot/fairmetal.cfg $(O)/fairmetal.elf $(O)/fairmetal-lockstep.elf

# The image with one menu entry that runs $(ARGS) at once.
.PHONY: $(O)/run.iso
$(O)/run.iso: $(O)/fairmetal.elf
	$(Q)printf '%s\n' 'serial --unit=0 --speed=115200' 'terminal_output serial console' 'insmod all_video' 'set timeout=0' 'menuentry run {' \
		'multiboot2 /boot/fairmetal.elf $(ARGS)' '}' >$(O)/run.cfg
	$(Q)tools/mkiso.sh $@ $(O)/fairmetal.elf $(O)/run.cfg

QEMU := tools/qemu.sh -c $(CPUS) -m $(MEM) -a $(ACCEL)
# One CPU whose clock counts its instructions.
ICOUNT := tools/qemu.sh -c 1 -m $(MEM) -a tcg,thread=single -x '-icount shift=0,sleep=off -rtc clock=vm'

# What was only listed or explained has no table.
show_runs = $(Q)! grep -aq '"t":"run"' $(O)/run.log || { echo && $(O)/fairlog summary $(O)/run.log; }

.PHONY: run run-metal run-lockstep run-sim lockstep run-iso run-uefi
run: run-$(MACHINE) ## run ARGS on MACHINE (lockstep, sim or metal), show a table; the log stays in build/run.log

run-metal: $(O)/fairmetal.elf $(O)/fairlog
	$(Q)$(QEMU) -l $(O)/run.log -k $(O)/fairmetal.elf '$(ARGS)'
	$(show_runs)

run-lockstep: $(O)/fairmetal-lockstep.elf $(O)/fairlog
	$(Q)$(ICOUNT) -l $(O)/run.log -k $(O)/fairmetal-lockstep.elf 'topo=$(TOPO) $(ARGS)'
	$(show_runs)

run-sim: $(O)/fairmetal-sim $(O)/fairlog
	$(Q)$(O)/fairmetal-sim topo=$(TOPO) $(ARGS) >$(O)/run.log; status=$$?; sed '/^@/d' $(O)/run.log; exit $$status
	$(show_runs)

lockstep: $(O)/fairmetal-lockstep.elf ## boot the lockstep image with TOPO and ARGS; the log stays in build/lockstep.log
	$(Q)$(ICOUNT) -l $(O)/lockstep.log -k $(O)/fairmetal-lockstep.elf 'topo=$(TOPO) $(ARGS)'

# The mix over which costs are averaged.
CALIBRATION := topo=2n:4c:1t run="hackbench -g 2 -l 100" run="hackbench -g 2 -l 100 -p" run="hackbench -g 4 -l 20 -T" run="massive_intr 12 1" run="spin -n 100000" runs=2

.PHONY: calibrate
calibrate: ## measure the sim's cost table in lockstep and write arch/vcpu/cost.def
	$(Q)$(MAKE) --no-print-directory O=$(O)/calibrate CALIBRATE=1 $(O)/calibrate/fairmetal-lockstep.elf
	$(Q)$(ICOUNT) -q -l $(O)/calibrate.log -k $(O)/calibrate/fairmetal-lockstep.elf '$(CALIBRATION)'
	$(Q)sed '/^COST(/d' arch/vcpu/cost.def >$(O)/cost.def
	$(Q)tr -d '\r' <$(O)/calibrate.log | grep '^COST(' >>$(O)/cost.def
	$(Q)cp $(O)/cost.def arch/vcpu/cost.def && git diff --stat arch/vcpu/cost.def

run-iso: $(O)/run.iso $(O)/fairlog ## run ARGS on metal from the image, by BIOS and GRUB
	$(Q)$(QEMU) -l $(O)/run.log -i $(O)/run.iso
	$(show_runs)

run-uefi: $(O)/run.iso $(O)/fairlog ## the same by UEFI and GRUB
	$(Q)$(QEMU) -l $(O)/run.log -u -i $(O)/run.iso
	$(show_runs)

# ---- tests ----

# What unit tests link against: the kernel's portable part with the test machine under it, and the decoders of firmware data.
TEST_MACHINE := child instruments machine outside stacks tasks
TEST_KERNEL := $(BASE) $(SCHED) $(IPC) $(WORKLOADS) $(filter-out lab/main.c lab/provoke.c,$(LAB)) arch/shape.c \
	$(TEST_MACHINE:%=tests/unit/%.c)
DECODERS := acpi% bootinfo% certificate.c fb.c font.c ioapic.c keyboard.c machine_check.c masquerade.c memmap.c pci.c pmu.c pmu_amd.c \
	pmu_intel.c quirks.c results.c spcr.c still.c topology.c uart.c
TEST_DECODE := $(filter $(DECODERS:%=arch/x86/%),$(KERNEL_C)) arch/shape.c base/string.c base/crc32.c base/text.c $(EFI_PURE)
TEST_FAIRLOG := $(filter-out tools/fairlog/main.c,$(FAIRLOG))
.SECONDARY:
DECODE_TESTS := acpi bootinfo certificate efi_config efi_elf efi_handover fadt fb ioapic kept keyboard machine_check machines madt \
	masquerade memmap pci pmu pmu_models pvh quirks spcr srat still topology uart
KERNEL_TESTS := $(filter-out $(DECODE_TESTS),$(patsubst tests/unit/test_%.c,%,$(wildcard tests/unit/test_*.c)))
LOG_TESTS := $(patsubst tests/log/test_%.c,%,$(wildcard tests/log/test_*.c))
TEST_PROGRAMS := $(DECODE_TESTS:%=$(O)/test/decode-%) $(KERNEL_TESTS:%=$(O)/test/kernel-%) $(LOG_TESTS:%=$(O)/test/log-%)
TEST_OBJ := $(TEST_KERNEL:%.c=$(O)/test/%.o) $(TEST_DECODE:%.c=$(O)/test/%.o) $(FAIRLOG:%.c=$(O)/test/%.o) \
	$(patsubst %.c,$(O)/test/%.o,$(wildcard tests/unit/test_*.c tests/log/test_*.c))

$(O)/test/%.o: %.c Makefile
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_TEST) -c $< -o $@

$(O)/test/%.o: %.asm
	$(Q)mkdir -p $(@D)
	$(Q)nasm -f elf64 -I. $< -o $@

$(O)/test/decode.a: $(TEST_DECODE:%.c=$(O)/test/%.o)
	$(Q)$(AR) rcs $@ $^

$(O)/test/decode-%: $(O)/test/tests/unit/test_%.o $(O)/test/decode.a
	$(Q)$(CC) $(CFLAGS_TEST) $^ -lcmocka -o $@

$(O)/test/kernel-%: $(O)/test/tests/unit/test_%.o $(TEST_KERNEL:%.c=$(O)/test/%.o) $(O)/test/arch/x86/switch.o
	$(Q)$(CC) $(CFLAGS_TEST) -no-pie $^ -lcmocka -o $@

$(O)/test/log-%: $(O)/test/tests/log/test_%.o $(TEST_FAIRLOG:%.c=$(O)/test/%.o)
	$(Q)$(CC) $(CFLAGS_TEST) $^ -lcmocka -ljansson -lgsl -lgslcblas -lz -lm -o $@

$(O)/test/make-large: $(O)/host/tests/log/make_large.o
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $^ -o $@

$(O)/test/fairlog: $(FAIRLOG:%.c=$(O)/test/%.o)
	$(Q)$(CC) $(CFLAGS_TEST) $^ -ljansson -lgsl -lgslcblas -lz -lm -o $@

# Fuzz targets: with a fuzzer and its compiler by "make fuzz"; over the files in tests/fuzz/corpus by "make check". Seeds come from
# base/record.def, and change with it.
FUZZ_TARGETS := acpi boot log record plan shape
FUZZ_SECONDS ?= 60
FUZZ_LIBS    := -lcmocka -ljansson -lgsl -lgslcblas -lz -lm
FUZZ_SEEDS   := $(FUZZ_TARGETS:%=$(O)/fuzz/seeds/%)
# GCC has judged the source.
CFLAGS_FUZZ  := $(CFLAGS_ALL) -w -O1 -fno-omit-frame-pointer -DDEBUG -fsanitize=address,undefined -fno-sanitize-recover=undefined
# The values that comparisons see cost more than they bring where a dictionary has them.
FUZZ_COVER   := -fsanitize=fuzzer-no-link -fno-sanitize-coverage=trace-cmp
REPLAYS      := $(foreach t,$(FUZZ_TARGETS),'$(O)/test/replay-$(t) tests/fuzz/corpus/$(t) $(O)/fuzz/seeds/$(t)')
REPLAY_NEEDS := $(FUZZ_TARGETS:%=$(O)/test/replay-%) $(FUZZ_SEEDS)
# What reads the memory that firmware and loaders leave.
FUZZ_DECODE  := $(filter arch/x86/acpi% arch/x86/bootinfo% arch/x86/memmap% arch/x86/spcr% arch/x86/topology%,$(TEST_DECODE)) base/string.c base/text.c
fuzz_source   = tests/fuzz/fuzz_$(1).c $(if $(filter log record,$(1)),$(TEST_FAIRLOG),\
	$(if $(filter acpi boot,$(1)),tests/fuzz/image.c $(FUZZ_DECODE),$(TEST_KERNEL)))
fuzz_mutator  = $(if $(filter log,$(1)),tests/fuzz/mutate.c) $(if $(filter acpi boot,$(1)),tests/fuzz/mutate_image.c)
fuzz_switch   = $(if $(filter log record acpi boot,$(1)),,$(O)/test/arch/x86/switch.o)
FUZZ_OBJ     := $(patsubst %.c,$(O)/fuzz/%.o,$(sort $(foreach t,$(FUZZ_TARGETS),$(call fuzz_source,$(t)) $(call fuzz_mutator,$(t)))))

$(O)/fuzz/%.o: %.c Makefile
	$(Q)mkdir -p $(@D)
	$(Q)clang $(CFLAGS_FUZZ) $(FUZZ_COVER) -c $< -o $@

define fuzz_program
$(O)/fuzz/fuzz-$(1): $(patsubst %.c,$(O)/fuzz/%.o,$(call fuzz_source,$(1)) $(call fuzz_mutator,$(1))) $(call fuzz_switch,$(1))
	$$(Q)clang $$(CFLAGS_FUZZ) -fsanitize=fuzzer -no-pie $$^ $$(FUZZ_LIBS) -o $$@

$(O)/test/replay-$(1): $(patsubst %.c,$(O)/test/%.o,$(call fuzz_source,$(1)) tests/fuzz/replay.c) $(call fuzz_switch,$(1))
	$$(Q)$$(CC) $$(CFLAGS_TEST) -no-pie $$^ $$(FUZZ_LIBS) -o $$@
endef
$(foreach t,$(FUZZ_TARGETS),$(eval $(call fuzz_program,$(t))))

$(O)/test/seed-%: $(O)/test/tests/fuzz/seed_%.o
	$(Q)$(CC) $(CFLAGS_TEST) $^ -lcmocka -o $@

$(FUZZ_SEEDS): $(O)/test/make-large $(O)/test/seed-acpi $(O)/test/seed-boot base/record.def tests/fuzz/seeds.sh
	$(Q)tests/fuzz/seeds.sh $(O)/test $(@F) $@

$(O)/fuzz/dictionary: tests/fuzz/dictionary.awk base/record.def
	$(Q)mkdir -p $(@D)
	$(Q)awk -f $^ >$@

.PHONY: fuzz
fuzz: $(FUZZ_TARGETS:%=$(O)/fuzz/fuzz-%) $(FUZZ_SEEDS) $(O)/fuzz/dictionary ## FUZZ_SECONDS (60) of fuzzing for each target; what they find stays in build/fuzz
	$(Q)tests/fuzz/run.sh $(O)/fuzz $(FUZZ_SECONDS) $(FUZZ_TARGETS)

# Programs over the sim's engine that bring a kernel_main() of their own; and the engine without lock checks, so that it can be led into deadlock.
SCENARIO_C   := tests/scenario/vm.c arch/posix/host.c $(VCPU) $(BASE)
PROPERTY_OBJ := $(patsubst %.c,$(O)/sim-asan/%.o,tests/scenario/property.c tests/scenario/program.c tests/scenario/actors.c \
	tests/scenario/invariants.c $(SCENARIO_C) $(SCHED) ipc/waitq.c) \
	$(O)/sim/arch/x86/switch.o
WASTED_OBJ   := $(patsubst %.c,$(O)/sim-asan/%.o,tests/scenario/wasted.c tests/scenario/invariants.c $(SCENARIO_C) $(SCHED) ipc/waitq.c) \
	$(O)/sim/arch/x86/switch.o
ENGINE_OBJ   := $(patsubst %.c,$(O)/sim/%.o,tests/scenario/engine.c $(SCENARIO_C)) $(O)/sim/arch/x86/switch.o

FAIRNESS_OBJ := $(patsubst %.c,$(O)/sim/%.o,tests/scenario/fairness.c $(SCENARIO_C) $(SCHED) ipc/waitq.c) $(O)/sim/arch/x86/switch.o

$(O)/test/property: $(PROPERTY_OBJ)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -fsanitize=address,undefined -no-pie -rdynamic $^ -o $@

$(O)/test/wasted: $(WASTED_OBJ)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -fsanitize=address,undefined -no-pie -rdynamic $^ -o $@

$(O)/test/engine: $(ENGINE_OBJ)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -no-pie -rdynamic $^ -o $@

$(O)/test/fairness: $(FAIRNESS_OBJ)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -no-pie -rdynamic $^ -o $@

# The kernel that checks its locks and queues, beside the real one.
DEBUG_ELF := $(O)/debug/fairmetal.elf
# The sim's random programs on real CPUs.
ACTORS_C   := $(BASE) $(SCHED) ipc/waitq.c $(X86) $(METAL) tests/boot/actors.c tests/scenario/program.c tests/scenario/actors.c tests/scenario/invariants.c
ACTORS_OBJ := $(ACTORS_C:%.c=$(O)/kernel/%.o) $(ASM:%.asm=$(O)/kernel/%.o)

$(O)/actors.elf: $(ACTORS_OBJ) $(O)/kernel/no-symbols.o linker.ld
	$(call link_twice,$(ACTORS_OBJ))

.PHONY: debug
debug: ## the kernel with checks of locks and queues
	$(Q)$(MAKE) --no-print-directory O=$(O)/debug DEBUG=1 $(DEBUG_ELF) $(O)/debug/actors.elf

# Programs that bring their own machine and report in TAP.
TEST_SCENARIOS := $(O)/test/engine $(O)/test/fairness $(O)/test/property $(O)/test/wasted

.PHONY: tests check
tests: $(TEST_PROGRAMS) $(TEST_SCENARIOS) $(O)/test/fairlog $(O)/test/make-large $(REPLAY_NEEDS) ## build the test programs
check: all iso usb debug layers sim-asan tests ## all tests; the last line is the verdict
	$(Q)tests/run.sh $(TEST_PROGRAMS) $(TEST_SCENARIOS) 'tests/scenario/scenarios.sh $(O)/fairmetal-sim' 'tests/scenario/sweep.sh $(O)' \
		'tests/scenario/shell.sh $(O)/fairmetal-sim-asan $(O)/fairlog' 'tests/scenario/trace.sh $(O)' 'tests/log/damage.sh $(O)/fairlog' 'tests/log/damage.sh $(O)/test/fairlog' \
		'tests/log/report.sh $(O)/fairlog' 'tests/log/report.sh $(O)/test/fairlog' 'tests/log/large.sh $(O)/fairlog $(O)/test/make-large' \
		$(REPLAYS) tests/fidelity.sh 'tests/boot/boot.sh $(O)' 'tests/boot/console.sh $(O)' 'tests/boot/masquerade.sh $(O)' \
		'tests/boot/tables.sh $(O)' 'tests/boot/usb.sh $(O)' tests/boot/write-usb.sh \
		'tests/boot/watchdog.sh $(O)' 'tests/boot/survive.sh $(O)' 'tests/boot/matrix.sh $(O) quick' \
		'tests/boot/stress.sh -c 4 $(O) 50' 'tests/boot/stress.sh -c 16 $(O) 30' \
		'tests/boot/actors.sh -c 4 -r 2 $(O) 2' 'tests/boot/actors.sh -c 16 -r 2 $(O) 1'

.PHONY: check-matrix
check-matrix: all ## boot machines of many shapes, a row each; logs stay in build/matrix
	$(Q)tests/run.sh 'tests/boot/matrix.sh $(O)'

STRESS_COUNT ?= 1000
STRESS_SEED  ?= 1
.PHONY: check-stress
check-stress: $(O)/fairlog debug ## STRESS_COUNT (1000) random experiments from STRESS_SEED (1) on, on 4 and on 16 CPUs, and random programs
	$(Q)status=0; for cpus in 4 16; do tests/boot/stress.sh -c $$cpus $(O) $(STRESS_COUNT) $(STRESS_SEED) || status=1; \
		tests/boot/actors.sh -c $$cpus $(O) 10 $(STRESS_SEED) || status=1; done; exit $$status

# ---- the source ----

# Each layer includes only what is below it; the right side of each line may not appear in the left.
.PHONY: layers
layers: ## fail on an include that points upward
	$(Q)tools/layers.sh

SOURCES = $(shell git ls-files '*.c' '*.h')

.PHONY: lint format
lint: layers ## static checks and style
	$(Q)clang-format --dry-run -Werror $(SOURCES)
	$(Q)cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,portability --inline-suppr --suppress=missingIncludeSystem \
		--suppress=comparePointers --suppress='*:/usr/include/*' --include=/usr/include/bsd/sys/tree.h \
		--include=/usr/include/bsd/sys/queue.h -I. -DFAIRMETAL_VERSION='"lint"' $(KERNEL_C) $(FAIRLOG)
	$(Q)shellcheck -x -S warning $(shell git ls-files '*.sh') tools/sweep .ci/run

format: ## bring the source into the house style
	$(Q)clang-format -i $(SOURCES)

.PHONY: clean help
clean: ## remove what was made
	$(Q)rm -rf $(O)

help: ## this list
	@echo "make TARGET [MACHINE=$(MACHINE)] [CPUS=$(CPUS)] [TOPO=$(TOPO)] [MEM=$(MEM)] [ACCEL=$(ACCEL)] [O=$(O)] [V=1] [ARGS='...']"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' Makefile | sort
	@echo "ARGS is the kernel's command line: $(ARGS)"

-include $(ACTORS_OBJ:.o=.d) $(FUZZ_OBJ:.o=.d) $(patsubst %,$(O)/test/tests/fuzz/%.d,seed_acpi seed_boot) $(EFI_OBJ:.o=.d) \
	$(PROPERTY_OBJ:.o=.d) $(ENGINE_OBJ:.o=.d) $(FAIRNESS_OBJ:.o=.d) $(LOCKSTEP_OBJ:.o=.d) $(SIM_OBJ:.o=.d) $(SIM_ASAN_OBJ:.o=.d) \
	$(KERNEL_OBJ:.o=.d) $(FAIRLOG_OBJ:.o=.d) $(TEST_OBJ:.o=.d)
