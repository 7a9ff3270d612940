#!/bin/sh
# One iteration of GPT-13B on 128 GPUs over full packets: AICB's workload (TP 8, DP 16) on a fat-tree of 16 servers.
#   bench/jobs.sh [WEIR]     WEIR: the command (default: build/release/src/cli/weir); data: WEIR_DATA, ../shared/data
# Once in full, and once with steady states skipped (docs/steady.md). The job must end, have sent what its collectives say, and take as long
# in both within 1 %, before a time is printed. Exit 1: it did not; 77: no data.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
weir=${1:-$root/build/release/src/cli/weir}
trace=${WEIR_DATA:-$root/../shared/data}/peers/aicb/workload/simAI/model_workload/G13B-M1-C01_GPT13B_megatron_tp8_pp1_mbs1_A100.txt
[ -r "$trace" ] || { echo "SKIPPED: no $trace" && exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cat >"$scratch/gpt13b.yaml" <<END
weir: 1
duration: until-done 10s
topology:
  generate: {model: fat-tree, k: 4, rate: 3200Gbps, delay: 500ns, access_rate: 3200Gbps, access_delay: 500ns}
  queue: {type: threshold, mark: 400kB, limit: 16MB}
traffic:
  - name: gpt
    job: {trace: $trace, ranks: 128, ranks_per_host: 8, local_rate: 2400Gbps, local_delay: 1us, actions: false}
    tcp: {congestion: dctcp, handshake: false, window: 16MiB, mss: 8192B}
END
for skip in false true; do
    "$weir" run "$scratch/gpt13b.yaml" -o "$scratch/$skip" --set steady.skip=$skip --no-progress >"$scratch/said"
    python3 - "$scratch/$skip" "$scratch/false" <<'END'
import csv
import json
import sys

job, full = (next(csv.DictReader(open(f"{folder}/jobs.csv"))) for folder in sys.argv[1:])
summary = json.load(open(f"{sys.argv[1]}/summary.json"))
# A reduce-scatter of 6,497,239,040 B among 16: each of 128 ranks sends 15 parts of a sixteenth.
want = 128 * 15 * (6497239040 // 16)
if job["ranks_ended"] != "128" or int(job["bytes"]) != want:
    sys.exit(f"jobs.sh: {job['ranks_ended']} ranks ended, {job['bytes']} bytes between servers; want 128 and {want}")
off = float(job["duration_s"]) / float(full["duration_s"]) - 1
if not abs(off) <= 0.01:
    sys.exit(f"jobs.sh: {off:+.2%} of the full run's iteration")
print(f"iteration {float(job['duration_s']) * 1e3:.1f} ms, {int(job['operations']):,} operations, {int(job['messages']):,} flows: "
      f"{summary['wall_s']:.1f} s of wall time, {off:+.4%} of the full run's iteration")
END
    grep -E 'steady|events|packet hops' "$scratch/said"
done
