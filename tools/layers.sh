#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Fails, naming the line, where a layer includes one that is not below it:
#   lab -> workloads -> ipc -> sched -> base -> arch/machine.h, implemented by arch/x86; boot's loader and the kernel share boot/results.h; fairlog shares only base's list of records.
set -u
cd "$(dirname "$0")/.." || exit 2

wrong=0
allow() { # LAYER "PATTERN OF WHAT IT MAY INCLUDE"
	grep -rnE '^#include "' "$1" --include='*.[ch]' | grep -vE "#include \"($2)" && wrong=1
}

allow base 'base/|arch/(machine|topology)\.h'
allow sched 'sched/|base/|arch/(machine|topology)\.h'
allow ipc 'ipc/|sched/sched\.h|base/|arch/machine\.h'
allow workloads 'workloads/|ipc/(channel|futex|gate|process|semaphore|sleep)\.h|sched/sched\.h|base/|arch/machine\.h'
allow lab 'lab/|workloads/workload\.h|sched/(sched|knobs)\.h|base/|arch/(machine|shape)\.h'
allow arch/x86 'arch/x86/|arch/vcpu/|arch/(machine|topology|cost|shape)\.h|base/|boot/results\.h'
allow arch/vcpu 'arch/vcpu/|arch/(machine|topology|cost|shape)\.h|base/'
allow arch/posix 'arch/posix/|arch/vcpu/|arch/(machine|topology|cost|shape)\.h|base/'
allow boot 'boot/|base/'
allow tools/fairlog 'tools/fairlog/|base/(record\.def|record\.h|trace\.def|trace\.h|types\.h)'
[ $wrong = 0 ] || { echo "layers: the lines above include something that is not below their layer" >&2; exit 1; }
