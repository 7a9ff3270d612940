#!/bin/sh
# Table I and figures 6 to 12 of Kunz, Schemmel, Gross and Wehrle (2012) on a CUDA device: events held by the host and copied in
# batches, with one thread (the paper's design) and with a thread a core, and runs that stay on the device. Measures for up to
# SECONDS, then draws, with 99 % intervals as printed. Each cell is measured REPETITIONS times, as the paper's 30: all once,
# before any a second time. All of these figures want a device. Figure 13 is mesh.yaml beside this file, which runs on
# cores; `bench_gpu_study wireless 30 268`, which compares them with a device, wants one.
#
#   examples/papers/001/figures.sh [SECONDS [FOLDER [REPETITIONS [PART...]]]]  BENCH: folder of the benchmarks (default build/cuda/bench)
#
# PART: further words of bench_gpu_lcg, such as `staged figure6-9 most512`. A folder's parts are drawn together. 30 repetitions of all
# take an hour and more, of each of these parts some two to four minutes:
#   figures.sh 280 results/001 30 staged figure6-9 most512
#   figures.sh 280 results/001 30 resident figure6-9
#   figures.sh 280 results/001 30 staged figure10       (also figure11, figure12)
set -e
here=$(dirname "$0")
seconds=${1:-7000} out=${2:-results/001} repetitions=${3:-30}
[ $# -gt 3 ] && shift 3 || shift $#
mkdir -p "$out"
"${BENCH:-$here/../../../build/cuda/bench}/bench_gpu_lcg" "$out/lcg$(printf -- '-%s' "$@" | sed 's/^-$//').csv" "$seconds" \
    "$repetitions" "$@"
"$here/../../../tools/plot_study_bench.py" "$out"/lcg*.csv -o "$out"
