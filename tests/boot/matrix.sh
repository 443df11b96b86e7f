#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The boot matrix (metal.md 9): one short run on machines of many shapes, a row each. Prints TAP in which each name is a row of a table: the
# row of the matrix, what it is, how long it took. Logs stay in BUILD-DIRECTORY/matrix/ROW.log.
#
# Usage: tests/boot/matrix.sh BUILD-DIRECTORY [quick | ROW...]
# Expected: the exit status of tools/qemu.sh, a whole log by fairlog where there is one, and the given texts in it. Rows that tests/boot/boot.sh
# has already (ways in, clocks, refusals) are not here; those that need KVM or QEMU 9 are not run at all (docs/reliability.md).
set -u
cd "$(dirname "$0")/../.." || exit 2
build=$1
shift
logs=$build/matrix
mkdir -p "$logs"
n=0
failed=0

run='run="hackbench -g 1 -f 4 -l 5"'
ok='"t":"end","status":"ok","runs":1,"failed":0'
node() { echo "-object memory-backend-ram,id=m$1,size=$2"; }

# ROW | q: also in the quick set | what | status | options of qemu.sh | command line | texts, between them ;
# $K is the kernel, $I an image that runs $run at once, $R the run.
rows() {
	sed -e '/^#/d; /^$/d' -e "s#\\\$K#-k $build/fairmetal.elf#; s#\\\$I#-i $logs/test.iso#; s#\\\$R#$run#" <<-'END'
	# ---- boot paths ----
	B1|q|PVH, 64 MiB, 1 CPU|0|$K -c 1 -m 64M|$R|1 CPU online;loaded by PVH
	B2|q|PVH, q35, 4 CPUs|0|$K -x '-machine q35'|$R|4 CPUs online
	B5||BIOS, IDE disk|0|$I -x '-boot c -drive format=raw,snapshot=on,file=LOGS/test.iso'||firmware bios
	B7||UEFI, USB stick, fresh variables|0|$I -d -x '-machine q35 FLASH'||firmware uefi
	B9|q|a module by PVH|0|$K -x '-initrd Makefile'|$R|4 CPUs online
	B10||microvm, the rate told|0|$K -c 1 -x '-machine microvm -icount shift=0,sleep=off'|$R tsc_hz=1000000000|Hz by command line
	B11||microvm without ACPI|0|$K -c 1 -x '-machine microvm,acpi=off -icount shift=0,sleep=off'|$R tsc_hz=1000000000|No usable ACPI tables
	B12|q|quotes, blanks, 2 KiB|0|$K|$R    cpus=LONG   |4 CPUs online
	U3G||UEFI, 3 GiB: tables near the top|0|$I -u -m 3G||firmware uefi
	U5G||UEFI, q35, 5 GiB|0|$I -u -m 5G -x '-machine q35'||firmware uefi
	# ---- CPUs ----
	C2||4 packages of 5 cores of 2 threads, ids to 57|0|$K -c 40,sockets=4,cores=5,threads=2 -x '-cpu Nehalem'|$R|40 CPUs: 1 node, 4 packages;20 cores
	C4||255 CPUs|0|$K -c 255 -m 1G|$R|255 CPUs online
	C8|q|4 of 6 CPUs not there|0|$K -c 2,maxcpus=6,sockets=2,cores=3|$R|2 CPUs online
	C9||one thread for all CPUs|0|$K -a tcg,thread=single|$R|4 CPUs online
	C14||64 CPUs on one thread|0|$K -a tcg,thread=single -c 64|$R|64 CPUs online
	C11a||2 x 3|0|$K -c 6,sockets=2,cores=3|$R|6 CPUs: 1 node, 2 packages
	C11b||2 x 3 dies x 2 threads|0|$K -c 12,sockets=2,dies=3,cores=1,threads=2 -x '-cpu Skylake-Server'|$R|12 CPUs: 1 node, 2 packages;6 cores
	C11c||3 x 3 x 2|0|$K -c 18,sockets=3,cores=3,threads=2 -x '-cpu Nehalem'|$R|18 CPUs: 1 node, 3 packages;9 cores
	C11d||7|0|$K -c 7|$R|7 CPUs online
	C11e||5 x 12 x 2|0|$K -c 120,sockets=5,cores=12,threads=2 -m 512M -x '-cpu Nehalem'|$R|120 CPUs: 1 node, 5 packages;60 cores
	# ---- models ----
	M1||qemu64|0|$K -x '-cpu qemu64'|$R|4 CPUs online
	M2|q|max|0|$K -x '-cpu max'|$R|4 CPUs online
	M6||Conroe, 2 packages, no leaf 0xB|0|$K -c 4,sockets=2,cores=2 -x '-cpu Conroe'|$R|4 CPUs: 1 node, 2 packages
	M8||max without L3|0|$K -x '-cpu max,l3-cache=off'|$R|4 CPUs online
	M9a|q|no execute-disable|0|$K -x '-cpu qemu64,-nx'|$R|4 CPUs online
	M9b||no 5-level paging|0|$K -x '-cpu max,la57=off'|$R|4 CPUs online
	# ---- nodes ----
	N2||2 nodes, no distances|0|$K -x 'NODE0 NODE1 -numa node,memdev=m0,cpus=0-1 -numa node,memdev=m1,cpus=2-3'|$R|4 CPUs: 2 nodes
	N3|q|a node without CPUs|0|$K -x 'NODE0 NODE1 -numa node,memdev=m0,cpus=0-3 -numa node,memdev=m1'|$R|4 CPUs: 1 node
	N4|q|a node without memory|0|$K -m 128M -x 'NODE0 -numa node,memdev=m0,cpus=0-1 -numa node,cpus=2-3'|$R|4 CPUs: 2 nodes
	N5||4 nodes, CPUs on 0 and 2, memory on 0 and 1|0|$K -x 'NODE0 NODE1 -numa node,memdev=m0,cpus=0-1 -numa node,memdev=m1 -numa node,cpus=2-3 -numa node'|$R|4 CPUs: 2 nodes
	N6||interleaved|0|$K -x 'NODE0 NODE1 -numa node,memdev=m0,cpus=0,cpus=2 -numa node,memdev=m1,cpus=1,cpus=3'|$R|4 CPUs: 2 nodes
	N8||room for hot-plug beyond the end|0|$K -m 256M,slots=2,maxmem=8G -x 'NODE0 NODE1 -numa node,memdev=m0,cpus=0-1 -numa node,memdev=m1,cpus=2-3'|$R|4 CPUs: 2 nodes
	N9||1 node|0|$K -m 128M -x 'NODE0 -numa node,memdev=m0'|$R|4 CPUs: 1 node
	N10||HMAT|0|$K -x '-machine q35,hmat=on NODE0 NODE1 -numa node,memdev=m0,cpus=0-3,initiator=0 -numa node,memdev=m1,initiator=0 -numa hmat-lb,initiator=0,target=0,hierarchy=memory,data-type=access-latency,latency=5 -numa hmat-lb,initiator=0,target=0,hierarchy=memory,data-type=access-bandwidth,bandwidth=500M -numa hmat-lb,initiator=0,target=1,hierarchy=memory,data-type=access-latency,latency=10 -numa hmat-lb,initiator=0,target=1,hierarchy=memory,data-type=access-bandwidth,bandwidth=100M'|$R|4 CPUs: 1 node
	# ---- memory ----
	R8||8 MiB|0|$K -m 8M -c 1|$R|7 MiB
	R16|q|16 MiB|0|$K -m 16M -c 1|$R|15 MiB
	R32||32 MiB|0|$K -m 32M|$R|4 CPUs online
	R300||300 MiB|0|$K -m 300M|$R|299 MiB
	R2G||2 GiB, q35|0|$K -m 2G -x '-machine q35'|$R|2047 MiB
	R3584||3584 MiB: a hole below 4 GiB|0|$K -m 3584M|$R|3583 MiB
	R5G||5 GiB, q35: a hole of 2 GiB|0|$K -m 5G -x '-machine q35'|$R|5119 MiB
	R8G||8 GiB|0|$K -m 8G|$R|8191 MiB
	# ---- devices ----
	D2||two serial ports|0|$K -x '-serial null'|$R|4 CPUs online
	D5a||no screen, BIOS|0|$I -x '-vga none'||firmware bios
	D5b||no screen, UEFI|0|$I -u -x '-vga none'||firmware uefi
	D6a||screen, UEFI|0|$I -u -x '-vga std'||firmware uefi
	D6b||virtio screen, UEFI|0|$I -u -x '-vga virtio'||firmware uefi
	D8||no PIT, q35|0|$K -x '-machine q35,pit=off'|$R|4 CPUs online
	D9||neither HPET nor PIT, q35|0|$K -x '-machine q35,hpet=off,pit=off'|$R|Hz by pm
	D10||microvm with nothing that tells the time|3|$K -c 1 -x '-machine microvm,pit=off,rtc=off'|$R|nothing here tells the time
	D12||q35 without ACPI|0|$K -x '-machine q35,acpi=off'|$R|online
	D13|q|no keyboard controller, q35|0|$K -x '-machine q35,i8042=off'|$R|4 CPUs online
	D17||a second MADT|0|$K -x '-acpitable file=LOGS/madt.bin'|$R|4 CPUs online
	D18||no SMM|0|$K -x '-machine q35,smm=off,vmport=off'|$R|4 CPUs online
	# ---- Bochs: another emulator's APIC, timers and tables; options are the number of CPUs ----
	X2|q|Bochs, 2 CPUs|bochs|2||2 CPUs online
	X4||Bochs, 4 CPUs|bochs|4||4 CPUs online
	END
}

# ---- what rows name ----

flash() {
	cp /usr/share/OVMF/OVMF_VARS_4M.fd "$logs/vars.fd"
	echo "-drive if=pflash,format=raw,readonly=on,file=/usr/share/OVMF/OVMF_CODE_4M.fd -drive if=pflash,format=raw,file=$logs/vars.fd"
}

fill_in() { # TEXT
	local text=$1 long
	long=$(seq -s, 0 3)$(printf ',%.0s3' $(seq 100))
	[[ $text = *FLASH* ]] && text=${text//FLASH/$(flash)}
	text=${text//NODE0/$(node 0 128M)}
	text=${text//NODE1/$(node 1 128M)}
	text=${text//LOGS/$logs}
	echo "${text//LONG/$long}"
}

make_image() {
	printf '%s\n' 'serial --unit=0 --speed=115200' 'terminal_output serial console' 'insmod all_video' 'set timeout=0' \
		"menuentry test { multiboot2 /boot/fairmetal.elf $run }" >"$logs/test.cfg"
	tools/mkiso.sh "$logs/test.iso" "$build/fairmetal.elf" "$logs/test.cfg"
}

# CPUs 0, 1 and a phantom, which nobody may look at: the first MADT counts.
make_madt() {
	local header=415049434400000001004641495254534641495254455354010000004641495201000000
	printf '%b' "$(echo "${header}0000e0fe010000000008000001000000000801010100000000084d4d01000000" | sed 's/../\\x&/g')" >"$logs/madt.bin"
}

# ---- emulators ----

# It has no exit of its own: the machine switches itself off. With Bochs's own VGA BIOS GRUB dies in the call that asks for video modes.
run_bochs() { # CPUS LOG
	printf 'c\n' >"$logs/bochs.rc"
	printf '%s\n' 'megs: 128' 'romimage: file=/usr/share/bochs/BIOS-bochs-latest' 'vgaromimage: file=/usr/share/seabios/vgabios-stdvga.bin' \
		"cpu: model=corei7_sandy_bridge_2600k, count=$1, ips=50000000" \
		"ata0-master: type=cdrom, path=$logs/test.iso, status=inserted" 'boot: cdrom' "com1: enabled=1, mode=file, dev=$2" \
		'display_library: rfb, options="timeout=0"' "log: $2.bochs" 'clock: sync=none' 'panic: action=fatal' >"$logs/bochsrc"
	timeout 150 bochs -q -f "$logs/bochsrc" -rc "$logs/bochs.rc" </dev/null >"$2.out" 2>&1
	grep -q 'soft power off' "$2.out"
}

# ---- rows ----

miss_of() { # STATUS EXPECTED LOG TEXTS
	local text
	[ "$2" = '*' ] || [ "$1" = "$2" ] || echo "exit status $1, not $2"
	while IFS= read -r text; do
		tr -d '\r' <"$3" | grep -aqF -- "$text" || echo "no \"$text\""
	done < <(tr ';' '\n' <<<"$4" | sed '/^$/d')
	[ "$2" != 0 ] || "$build/fairlog" check "$3" >"$3.check" 2>&1 || echo "fairlog: $(head -1 "$3.check")"
}

try() { # ROW WHAT STATUS OPTIONS LINE TEXTS
	local log=$logs/$1.log expected=$3 status start=$SECONDS miss row
	rm -f "$log"
	: >"$log"
	if [ "$3" = bochs ]; then
		run_bochs "$4" "$log"
		status=$? expected=0
	else
		eval tools/qemu.sh -q -t 150 -l "$log" "$4" "'$5'" >"$log.out" 2>&1
		status=$?
	fi
	[ "$expected" = 0 ] && texts="$6;$ok" || texts=$6
	miss=$(miss_of $status "$expected" "$log" "$texts")
	n=$((n + 1))
	row=$(printf '%d - %-6s %-48s %4d s' $n "$1" "$2" $((SECONDS - start)))
	if [ -z "$miss" ]; then
		echo "ok $row"
		return
	fi
	failed=$((failed + 1))
	echo "not ok $row"
	echo "$miss" | sed 's/^/# /'
	echo "# $4 '$5'"
}

wanted() { # ROW QUICK
	[ ${#only[@]} = 0 ] && return
	[ "${only[0]}" = quick ] && { [ "$2" = q ]; return; }
	[[ " ${only[*]} " = *" $1 "* ]]
}

only=("$@")
make_image && make_madt || { echo "not ok - making an image"; exit 1; }
while IFS='|' read -r row quick what status options line texts; do
	wanted "$row" "$quick" || continue
	if [ "$status" = bochs ] && ! command -v bochs >/dev/null; then
		n=$((n + 1))
		echo "ok $n - $row $what # SKIP there is no bochs"
		continue
	fi
	try "$row" "$what" "$status" "$(fill_in "$options")" "$(fill_in "$line")" "$texts" </dev/null
done < <(rows)

echo "1..$n"
[ $failed = 0 ]
