#!/bin/sh
# Small packet networks on a device and on the cores beside it: the study dumbbells.yaml with 1,000, 4,000 and 16,000 runs, tables
# compared; a row each of runs/s and packet hops/s. A minute on an H200 and 16 cores.
#
#   bench/gpu/dumbbells.sh [FOLDER]     WEIR: the program (default: ./weir, or weir); STUDY: the file; SIZES: runs; MS: simulated;
#                                       JOBS: cores (default 16); DEVICE: default cuda; BENCH: bench_gpu_dumbbells, run if it is there
set -e
weir=${WEIR:-$([ -x ./weir ] && echo ./weir || echo weir)}
study=${STUDY:-$(dirname "$0")/dumbbells.yaml}
out=${1:-$(mktemp -d)}
mkdir -p "$out"
ms=${MS:-4000}
echo "runs     device s   cores s    ratio   runs/s: device   cores   M hops/s: device   cores   ($ms ms each)"
for n in ${SIZES:-1000 4000 16000}; do
    for on in "${DEVICE:-cuda}" cpu; do
        "$weir" study "$study" --replications "$n" --duration "${ms}ms" --device "$on" --jobs "${JOBS:-16}" -o "$out/$n-$on" \
            --force --no-progress >"$out/$n-$on.log" 2>&1 || { cat "$out/$n-$on.log"; exit 1; }
    done
    for table in runs.csv aggregate.csv; do
        cmp "$out/$n-${DEVICE:-cuda}/$table" "$out/$n-cpu/$table"
    done
    took() { sed -n 's/.* runs in \([0-9.]*\) \(.*\)/\1 \2/p' "$out/$n-$1.log" | awk '{print $2 ~ /^m/ ? 60 * $1 : $1}'; }
    hops=$(awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == "hops") at = i; next} {sum += $at} END {print sum}' \
        "$out/$n-cpu/runs.csv")
    awk -v n="$n" -v d="$(took "${DEVICE:-cuda}")" -v c="$(took cpu)" -v h="$hops" 'BEGIN {
        printf "%-8d %8.3f %9.3f %8.2f %16.0f %7.0f %18.2f %7.2f\n", n, d, c, c / d, n / d, n / c, 1e-6 * h / d, 1e-6 * h / c}'
done
if [ -n "$BENCH" ] && [ -x "$BENCH" ]; then
    "$BENCH" 1000 4000 "$study"
    "$BENCH" 8000 1000 "$study"
fi
