#!/bin/sh
# Table I and figures 6 to 12 of Kunz, Schemmel, Gross and Wehrle (2012) on a CUDA device: events held by the host and copied in
# batches, with one thread (the paper's design) and with a thread a core, and runs that stay on the device. Measures for up to
# SECONDS, then draws. Each cell is measured REPETITIONS times, as the paper's 30; the widest 99 % interval is printed. All
# of these figures want a device. Figure 13 is mesh.yaml beside this file, which runs on cores; `bench_gpu_study wireless`,
# which compares them with a device, wants one.
#
#   examples/papers/001/figures.sh [SECONDS [FOLDER [REPETITIONS]]]        BENCH: folder of the benchmarks (default build/cuda/bench)
set -e
here=$(dirname "$0")
out=${2:-results/001}
mkdir -p "$out"
"${BENCH:-$here/../../../build/cuda/bench}/bench_gpu_lcg" "$out/lcg.csv" "${1:-7000}" "${3:-30}"
"$here/../../../tools/plot_study_bench.py" "$out/lcg.csv" -o "$out"
