#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Writes golden.log, and golden.summary from it. Needs python3 and the fairlog to write the summary with:
#
#     tests/log/make-golden.sh build/fairlog
#
# Review both files like code. The figures are chosen so that the summary can be checked by hand:
# hackbench, newidle=throttle takes 100, 102, 98, 100 ms: mean 100, sd = sqrt((0+4+4+0)/3) = 1.633, standard
# error 1.633/sqrt(4) = 0.816, which is 0.82 %; newidle=off 104, 106, 102, 104 ms: 0.816/104 = 0.79 %.
# wasted is 2.5 us for each newidle pull: 40, 44, 36, 40 of them are 100, 110, 90, 100 us, +-4.08 %; two fifths of it
# under threshold. Each of as many passes takes 50 us, every second one a pair of locks, and every fourth pull is followed: together
# they would have waited 25 us more for each pull, and each paid 2 us for a cold cache.
# Their logarithms: difference of means 0.03923, variances of the means 6.669e-5 and 6.166e-5, standard
# error 0.011329, Welch-Satterthwaite df 5.991, t(0.975) 2.4478: exp(0.03923 +- 0.02773) = 1.0116 .. 1.0693.
# massive_intr, newidle=off has counts 888 888 800 800 and 888 888 800 792 in turn: means 844 and 842,
# together 843, sd/mean 50.81/844 and 53.22/842, together 6.17 %. Four CPUs idle for 0.25 ms each in every
# run: task-clock = 4 x elapsed - 1 ms. Before each switch somebody has waited for 20 us: no summary shows that.
# Latencies of hackbench's wakeups, four runs together: 1 us 1960 times, 4.2 us 1192 times, 10 us (newidle=off: 20 us) 40 times and
# 100 us 8 times, which are 3200; each stands in the log as the middle of its bucket. So the 1600th has 1007 ns, the 2880th 4223,
# the 3168th 9983 (19967), and the 3197th 100351, but no more than the longest. massive_intr: 1396 and 360 of 1756. So it is in each run.
set -eu

[ $# -eq 1 ] || { echo "usage: $0 FAIRLOG, the program that writes golden.summary" >&2; exit 2; }
here=$(dirname "$0")

python3 - >"$here/golden.log" <<'EOF'
import json, zlib

KNOBS = {"NEXT_BUDDY": 0, "LAST_BUDDY": 1, "sched_latency_ns": 18000000, "HZ": 1000, "preempt": "none"}
VARIANTS = ["newidle=throttle", "newidle=off"]
MS = 1000000
EVENTS = "cycles instructions branches branch_misses stalled_frontend stalled_backend llc_misses ref_cycles".split()
seq = position = 0
clock = 2000 * MS


def record(kind, **fields):
    global seq
    text = "@%d %s" % (seq, json.dumps({"t": kind, **fields}, separators=(",", ":")))
    print("%s *%08x" % (text, zlib.crc32(text.encode())))
    seq += 1


# The middles of the buckets that the kernel counts these latencies in (base/histogram.h, 16 for every power of two).
MIDDLE = {300: 295, 1000: 1007, 4200: 4223, 10000: 9983, 20000: 19967, 100000: 100351, 8 * MS: 7995391}


def percentiles(latencies):
    """Of pairs of a latency and a count."""
    each = sorted(ns for ns, count in latencies for _ in range(count))
    at = lambda parts: min(MIDDLE[each[-(-len(each) * parts // 1000) - 1]], each[-1])
    return {"mean_ns": sum(each) // len(each), "p50_ns": at(500), "p90_ns": at(900), "p99_ns": at(990), "p999_ns": at(999), "max_ns": each[-1]}


def latency(distance, latencies):
    record("latency", position=position, distance=distance, count=sum(count for _, count in latencies), **percentiles(latencies),
           buckets=[n for ns, count in latencies for n in (MIDDLE[ns], count)])


def run(workload, variant, index, warmup, elapsed_ns, switches, migrations, wakeups, latencies, newidle, result, counts):
    global position, clock
    idle_ns = [250000] * 4
    waits = [pair for pairs in latencies.values() for pair in pairs]
    wakeup_count = sum(count for _, count in waits)
    record("run", workload=workload, variant=variant, index=index, position=position, warmup=warmup, status="ok", clean=1, dirty="", frequency_ppm=0,
           start_ns=clock, elapsed_ns=elapsed_ns, task_clock_ns=4 * elapsed_ns - sum(idle_ns),
           context_switches=switches, voluntary_switches=switches * 4 // 5, involuntary_switches=switches // 5,
           migrations=migrations, run_delay_ns=20000 * switches, wakeups_local=wakeups[0], wakeups_remote=wakeups[1],
           wakeups_running=sum(wakeups) - wakeup_count, wakeup_count=wakeup_count,
           **{"wakeup_" + key: value for key, value in percentiles(waits).items()},
           balance_idle_attempts=12, balance_idle_pulls=1, balance_busy_attempts=30, balance_busy_pulls=2,
           balance_newidle_attempts=newidle * 5, balance_newidle_pulls=newidle,
           newidle_passes=newidle, newidle_ns=newidle * 50000, newidle_locks=newidle // 2, newidle_followed=newidle // 4,
           newidle_saved_ns=newidle * 25000, newidle_cold_ns=newidle * 2000, cold_ns=newidle * 3000, balance_active_pushes=0,
           wasted_ns=newidle * 2500, wasted_not_due_ns=0, wasted_nobody_ns=0, wasted_off_ns=0, wasted_threshold_ns=newidle * 1000,
           wasted_throttled_ns=0, wasted_lock_ns=0, wasted_affinity_ns=0, wasted_hot_ns=0, wasted_buddy_ns=0,
           wasted_arriving_ns=newidle * 1500, wasted_idle_ns=newidle * 5000, wasted_wait_ns=newidle * 10000, wasted_pairs_ns=newidle * 20000,
           idle_ns=idle_ns, skew_ns=0, counters={name: "not supported" for name in EVENTS}, counters_enabled_ns=0, counters_running_ns={}, figure="elapsed_ns", better="less", result=result, counts=counts, background={}, knobs={**KNOBS, "newidle": variant.split("=")[1]})
    for distance, pairs in latencies.items():
        latency(distance, pairs)
    position += 1
    clock += elapsed_ns + 50 * MS


def hackbench(variant, index, warmup=0):
    on = variant == VARIANTS[0]
    step = [0, 1, -1, 0][index]  # the spread of the four runs
    elapsed_ns = ((100 if on else 104) + 2 * step) * MS
    print("Time: %d.%03d" % (elapsed_ns // 10**9, elapsed_ns // MS % 1000))
    run("hackbench", variant, index, warmup, elapsed_ns, (1000 if on else 1200) + 100 * step,
        (60 if on else 50) + 4 * step, (500 + 10 * step, 300 + 20 * step),
        {"cpu": [(1000, 490 + 10 * step), (10000 if on else 20000, 10)], "node": [(4200, 298 + 20 * step), (100000, 2)]},
        40 + 4 * step if on else 0,
        {"tasks": 400, "messages": 400000}, [])


def massive_intr(variant, index, warmup=0):
    low = 880 if variant == VARIANTS[0] else 800
    counts = [888, 888, low, low - 8 * (index % 2)]
    for task, count in enumerate(counts):
        print("%06d\t%08d" % (100 + task, count))
    run("massive_intr", variant, index, warmup, 1000 * MS + index * 1000, 500 + 5 * index, 4, (0, 440), {"interrupt": [(300, 349), (8 * MS, 90)]}, 0,
        {"unit": "work-ms", "late_wakeups": index}, counts)


print("Booting Fairmetal (4 CPUs)")
record("boot", format=1, version="0.1", build="5f3c9a10", machine="metal", loader="GRUB 2.06", firmware="bios",
       cmdline="run=hackbench run=massive_intr vary=newidle:throttle,off runs=4 warmup=1 then=poweroff", exact=0)
record("machine", cpu_vendor="GenuineIntel", cpu_model="Intel(R) Core(TM)2 Quad CPU    Q6600  @ 2.40GHz",
       hypervisor="none", memory_bytes=4 << 30, cpus=4, nodes=1, packages=1, llcs=2, cores=4, cpu_node=[0] * 4,
       cpu_package=[0] * 4, cpu_llc=[0, 0, 1, 1], cpu_core=[0, 1, 2, 3], shape="1n:2l:2c", pretended_on="", cpus_left_out=0,
       real_node=[], real_package=[], real_llc=[], real_core=[], apic="xapic", timer="lapic",
       clocksource="hpet", clocksource_hz=14318180, clock_reference="pm", tsc_hz=2400000000, tsc_invariant=0,
       tsc_warp_cycles=0, counters="none", events={name: "not supported" for name in EVENTS})
record("plan", workloads=["hackbench", "massive_intr"], **{"with": []}, variants=VARIANTS, runs=4, warmup=1, order="abba", seed=1, accounts=["waste", "latency"],
       then="poweroff", experiment="", scale_percent=100, cpus=4)
record("knobs", knobs={**KNOBS, "newidle": "throttle"})
for workload in hackbench, massive_intr:
    for variant in VARIANTS:
        workload(variant, 0, warmup=1)
    for index in range(4):
        for variant in VARIANTS if index % 2 == 0 else reversed(VARIANTS):
            workload(variant, index)
record("end", status="ok", runs=position, failed=0, message="")
print("Fairmetal is done and powers off.")
EOF

"$1" summary - <"$here/golden.log" >"$here/golden.summary"
