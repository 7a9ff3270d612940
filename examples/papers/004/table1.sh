#!/bin/sh
# Figures 2 and 3 and Table 1 of Cruz-Camacho et al. (2023) in full: 10 ms (default) or 100 ms of a dragonfly of 72 terminals in three modes,
# by a seed. Traffic and routing are those of the authors' scripts (codes-org/codes, scripts/reproducibility-pads23): a message of 1 KiB
# every 480 ns, links of 2 GiB/s, progressive adaptive routing. Some 30 s of one core for 10 simulated ms in full detail. Then the table and the
# figures, by latencies from injection and from when packets were due. Ten seeds at once: bench_interconnect 10 1 10 kit.
#
#   examples/papers/004/table1.sh [MS [SEED [FOLDER]]]
set -e
here=$(dirname "$0")
weir=${WEIR:-weir}
ms=${1:-10}
seed=${2:-1}
out=${3:-results/004-$ms-$seed}
if [ "$ms" = 100 ]; then
    periods='[{from: 20ms, until: 90ms, track: 20ms}]'
else
    ms=10
    periods='[{from: 3ms, until: 8ms, track: 1ms}]'
fi
rate=17.179869184Gbps
for mode in none hybrid-lite hybrid; do
    "$weir" run "$here/uniform.yaml" --set model.interconnect.routing=par --set "model.interconnect.terminal.rate=$rate" \
        --set "model.interconnect.local.rate=$rate" --set "model.interconnect.global.rate=$rate" \
        --set 'model.interconnect.jobs=[{name: uniform, pattern: uniform, message: 1KiB, arrivals: periodic, load: 99.3411%}]' \
        --set "duration=${ms}ms" --set "seed=$seed" --set output.interval=100us \
        --set "model.interconnect.surrogate.mode=$mode" --set "model.interconnect.surrogate.periods=$periods" \
        -o "$out/$mode" --force
done
"$here/../../../tools/plot_surrogate.py" "$out/none" "$out/hybrid-lite" "$out/hybrid" -o "$out"
