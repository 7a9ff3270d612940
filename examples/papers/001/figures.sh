#!/bin/sh
# Table I and figures 6 to 12 of Kunz, Schemmel, Gross and Wehrle (2012) on a CUDA device: events held by the host and copied in
# batches, with one thread (the paper's design) and with a thread a core, and runs that stay on the device. Measures for up to
# SECONDS, then draws. Figure 13 is mesh.yaml beside this file, and `bench_gpu_study wireless`.
#
#   examples/papers/001/figures.sh [SECONDS [FOLDER]]        BENCH: folder of the benchmarks (default build/cuda/bench)
set -e
here=$(dirname "$0")
out=${2:-results/001}
mkdir -p "$out"
"${BENCH:-$here/../../../build/cuda/bench}/bench_gpu_lcg" "$out/lcg.csv" "${1:-230}"
"$here/../../../tools/plot_study_bench.py" "$out/lcg.csv" -o "$out"
