#!/usr/bin/env python3
"""Does `engine: auto` find where a run is fastest? Twelve workloads, from a millisecond to half a minute on one core.

    bench/auto.py [WEIR] [WORKLOAD...]      WEIR: the command (default: build/release/src/cli/weir)

Each is run on one core, on all cores, on a CUDA device where there is one, and by `auto`, twice each in turn; the better time
counts, set-up included. Digests must be equal. Goal: at most 10 % and 0.2 s behind the best fixed choice. Exit 1: digests differ.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def fat_tree(k, duration):
    return f"""duration: {duration}
topology:
  generate: {{model: fat-tree, k: {k}, rate: 10Gbps, access_rate: 10Gbps, delay: 1us, access_delay: 1us}}
  queue: {{type: threshold, mark: 97kB, limit: 1MB}}
traffic:
  - {{name: a, pairs: permutation, tcp: {{congestion: dctcp, handshake: false}}}}
"""


def interconnect(p, a, h, duration):
    return f"""duration: {duration}
model:
  interconnect: {{dragonfly: {{p: {p}, a: {a}, h: {h}}}, routing: ugal, jobs: [{{pattern: uniform, load: 30%}}]}}
"""


BACKBONE = """topology: {generate: {model: barabasi-albert, N: 3000, m: 2}, link: {rate: 1Gbps, delay: 2ms}}
traffic:
  - {name: u, pairs: {random: 6000}, udp: {pattern: poisson, rate: 2Mbps, packet: 500B}}
"""
DUMBBELL = """topology: {generate: {model: dumbbell, left: 4}, link: {rate: 100Mbps, delay: 5ms}}
traffic:
  - {name: a, tcp: {sessions: 8}, pairs: [[l0, r0], [l1, r1], [l2, r2], [l3, r3]]}
"""
WORKLOADS = {
    "dumbbell 10 ms": "duration: 10ms\n" + DUMBBELL,
    "dumbbell 60 s": "duration: 60s\n" + DUMBBELL,
    "fat-tree 4": fat_tree(4, "200ms"),
    "fat-tree 8": fat_tree(8, "200ms"),
    "fat-tree 16": fat_tree(16, "30ms"),
    "fat-tree 32": fat_tree(32, "5ms"),
    "backbone of 3,000 routers": "duration: 300ms\n" + BACKBONE,
    "Kademlia 1,000": "duration: 60s\nmodel: {kademlia: {peers: 1000, think: 10s}}\n",
    "Kademlia 200,000": "duration: 20s\nmodel: {kademlia: {peers: 200000, think: 10s}}\n",
    "dragonfly 72": interconnect(2, 4, 2, "2ms"),
    "dragonfly 1,056": interconnect(4, 8, 4, "300us"),
    "PHOLD 100,000": "duration: 150us\nmodel: {phold: {entities: 100000, events: 4}}\n",
    "hybrid": "duration: 4s\ntopology: {generate: {model: dumbbell, left: 3}, link: {rate: 1Gbps, delay: 4ms}}\n"
              "traffic:\n  - {name: f, tcp: {sessions: 200}, pairs: [[l0, r0]], fidelity: fluid}\n"
              "  - {name: p, tcp: {sessions: 4}, pairs: [[l1, r1], [l2, r2]]}\n",
}


def run(weir, scenario, options, folder):
    done = subprocess.run([weir, "run", scenario, "-o", folder, "--force", "--no-progress", *options],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"auto.py: {' '.join(options)}: {done.stderr}")
    with open(f"{folder}/summary.json", encoding="utf-8") as file:
        return json.load(file)


def main():
    weir = sys.argv[1] if len(sys.argv) > 1 else f"{ROOT}/build/release/src/cli/weir"
    wanted = sys.argv[2:] or WORKLOADS
    device = subprocess.run([weir, "info"], capture_output=True, text=True).stdout
    ways = {"one core": ["--engine", "sequential"], "all cores": ["--engine", "conservative"]}
    if re.search(r"^\s*gpu +(?!none| )", device, re.MULTILINE):
        ways["device"] = ["--device", "cuda"]
    ways["auto"] = []
    print("| workload | " + " | ".join(ways) + " | auto went on with | behind the best |")
    print("| --- " * (len(ways) + 3) + "|")
    behind = 0
    for name in wanted:
        best, digests, last = {}, set(), None
        with tempfile.TemporaryDirectory() as scratch:
            path = f"{scratch}/s.yaml"
            with open(path, "w", encoding="utf-8") as file:
                file.write("weir: 1\n" + WORKLOADS[name])
            for _ in range(2):
                for way, options in ways.items():
                    if way == "device" and name == "hybrid":
                        continue
                    last = run(weir, path, options, f"{scratch}/out")
                    digests.add((last["event_digest"], last["state_digest"]))
                    best[way] = min(best.get(way, 1e9), last["setup_wall_s"] + last["wall_s"])
        if len(digests) != 1:
            sys.exit(f"auto.py: {name}: {len(digests)} digests")
        fixed = min(seconds for way, seconds in best.items() if way != "auto")
        moves = last.get("engine_moves") or [{"to": {"engine": last["engine"], "threads": 1}}]
        to = moves[-1]["to"]
        missed = best["auto"] > 1.1 * fixed + 0.2
        behind += missed
        print(f"| {name} | " + " | ".join(f"{best[way]:.3g}" if way in best else "" for way in ways) +
              f" | {to['engine']}" + (f", {to['threads']}" if to["threads"] > 1 else "") +
              f" | {best['auto'] / fixed - 1:+.0%}{' **missed**' if missed else ''} |", flush=True)
    print(f"\n{len(wanted) - behind} of {len(wanted)} within 10 % and 0.2 s")


if __name__ == "__main__":
    main()
