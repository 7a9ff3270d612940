#!/bin/sh
# One iteration of GPT-13B over full packets: AICB's workload, TP 8.
#   bench/jobs.sh [WEIR]              128 GPUs on a fat-tree of 16 servers, once in full and once with steady states skipped (docs/steady.md)
#   bench/jobs.sh WEIR 8192 [FLAGS]   8,192 GPUs on eight rails, in full, with these flags of `weir run`: --engine gpu on an H200, or --threads 16
# WEIR: the command (default: build/release/src/cli/weir); data: WEIR_DATA, ../shared/data. The job must end, have sent what its collectives
# say, and take as long in both within 1 %, before a time is printed. Exit 1: it did not; 77: no data.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
weir=${1:-$root/build/release/src/cli/weir}
gpus=${2:-128}
if [ $# -ge 2 ]; then shift 2; else set --; fi
trace=${WEIR_DATA:-$root/../shared/data}/peers/aicb/workload/simAI/model_workload/G13B-M1-C01_GPT13B_megatron_tp8_pp1_mbs1_A100.txt
[ -r "$trace" ] || { echo "SKIPPED: no $trace" && exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

topology='model: fat-tree, k: 4, rate: 3200Gbps, delay: 500ns, access_rate: 3200Gbps, access_delay: 500ns'
ecmp=false queue='mark: 400kB, limit: 16MB' share='ranks_per_host: 8' tcp='window: 16MiB'
if [ "$gpus" = 8192 ]; then
    topology='model: rail, groups: 16, servers: 64, rails: 8, spines: 64, rate: 400Gbps, delay: 500ns, access_rate: 400Gbps, access_delay: 500ns'
    ecmp=true queue='mark: 300kB, limit: 8MB' share='hosts_per_server: 8, allreduce: ring' tcp='window: 512KiB, initial_window: 16'
fi
cat >"$scratch/gpt13b.yaml" <<END
weir: 1
duration: until-done 10s
topology:
  generate: {$topology}
  queue: {type: threshold, $queue}
routing: {ecmp: $ecmp}
traffic:
  - name: gpt
    job: {trace: $trace, ranks: $gpus, $share, local_rate: 2400Gbps, local_delay: 1us, actions: false}
    tcp: {congestion: dctcp, handshake: false, mss: 8192B, $tcp}
END

# run FOLDER FLAGS...: runs it, checks it against the folder `false`, and prints what it took.
run() {
    to=$scratch/$1 && shift
    "$weir" run "$scratch/gpt13b.yaml" -o "$to" --no-progress "$@" >"$to.said"
    python3 - "$to" "$scratch/false" "$gpus" <<'END'
import csv
import json
import sys

job, full = (next(csv.DictReader(open(f"{folder}/jobs.csv"))) for folder in sys.argv[1:3])
summary = json.load(open(f"{sys.argv[1]}/summary.json"))
ranks = int(sys.argv[3])
servers = ranks // 8
# A reduce-scatter of 6,497,239,040 B among the servers: each rank sends all parts but one.
want = ranks * (servers - 1) * (6497239040 // servers)
if int(job["ranks_ended"]) != ranks or int(job["bytes"]) != want:
    sys.exit(f"jobs.sh: {job['ranks_ended']} ranks ended, {job['bytes']} bytes between servers; want {ranks} and {want}")
off = float(job["duration_s"]) / float(full["duration_s"]) - 1
if not abs(off) <= 0.01:
    sys.exit(f"jobs.sh: {off:+.2%} of the full run's iteration")
print(f"iteration {float(job['duration_s']) * 1e3:.1f} ms, {int(job['operations']):,} operations, {int(job['messages']):,} flows: "
      f"{summary['wall_s']:.1f} s of wall time, {off:+.4%} of the full run's iteration")
END
    grep -E 'steady|events|packet hops|digests' "$to.said"
}
run false "$@"
[ "$gpus" != 128 ] || run true --set steady.skip=true "$@"
