#!/usr/bin/env python3
"""The same work by weir and by other simulators, in turn: ratios with quartiles, as a table of Markdown.

    peers.py [--weir COMMAND] [--ns3 PROGRAM] [--peers FOLDER] [--build FOLDER] [--turns N] [--only TEXT]

ns-3 is that of Debian's libns3-dev, with which CMake builds bench/ns3 (--ns3). Others are built from their sources in FOLDER, as
git clones them: ROSS (github.com/ROSS-org/ROSS), htsim (github.com/Broadcom/csg-htsim), uet-htsim (github.com/ultraethernet/uet-htsim).
What is absent is skipped by name.

Each turn runs weir, then the other program. Time is the whole process's processor time, start and results included, on one core;
a ratio is the work a second of weir over that of the other in the same turn. Memory is the largest resident set of each. Before a row is printed, both must have done the same work:
see `same` of each. Exit 0: all that is there agrees; 1: some does not; 77: no peer is there.
"""
import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

DUMBBELL = """weir: 1
duration: {seconds}s
topology:
  generate: {{model: dumbbell, left: 32, bottleneck_rate: 100Mbps, bottleneck_delay: 10ms, access_rate: 1Gbps, access_delay: 1ms}}
  queue: {{limit: 250kB}}
traffic:
  - name: bulk
    tcp: {{congestion: newreno}}
    start: {{uniform: [0s, 1s]}}
    pairs: {pairs}
output: {{warmup: 5s, ports: none}}
"""
PHOLD = """weir: 1
duration: {us}us
model: {{phold: {{entities: 65536, events: {each}, remote: 50%, lookahead: 1us, mean: 1us}}}}
"""
# htsim's settings by name: 100 Gb/s, 1 us a link, packets of 9,000 bytes, queues of 8, a first window of 15, paths by chance.
PERMUTATION = """weir: 1
duration: 50ms
topology:
  generate: {{model: fat-tree, k: 8, rate: 100Gbps, access_rate: 100Gbps, delay: 1us, access_delay: 1us}}
  queue: {{type: trim, headers: 72kB}}
  host_queue: {{type: trim, limit_packets: 1000, headers: 100kB}}
routing: {{ecmp: true, spray: true}}
traffic:
  - {{name: all, flows: {matrix}, tcp: {{congestion: ndp, mss: 8936B, window: 1MB, initial_window: 15}}}}
output: {{ports: none}}
"""


# Ultra Ethernet's NSCC by the defaults of its simulator, as tools/judge-uet writes them; queues of 43 packets, as many as the product
# of rate and round trip has.
SPRAYED = """weir: 1
duration: 1ms
topology:
  generate: {{model: fat-tree, k: 32, rate: 100Gbps, delay: 1us}}
  overhead: 24B
  queue: {{type: trim, limit_packets: 43, headers: 5504B, headers_turns: 0, mark_min: 37134B, mark_max: 144410B}}
routing: {{ecmp: true}}
traffic:
  - {{name: all, flows: {matrix}, tcp: {{congestion: nscc, mss: 4086B, base_rtt: 14.02272us, rto_min: 100.656us, window: 1MiB}}}}
output: {{ports: none}}
"""
PEAKS = {}  # bytes of memory, by a program's name


def timed(command, folder):
    """(seconds of the processor, standard output) of a program that must succeed."""
    with open(folder / "said", "w+") as said, open(folder / "errors", "w+") as errors:
        child = subprocess.Popen([str(word) for word in command], cwd=folder, stdout=said, stderr=errors)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        PEAKS[str(command[0])] = 1024 * used.ru_maxrss
        said.seek(0), errors.seek(0)
        if child.returncode:
            raise RuntimeError(f"{command[0]} ended with {child.returncode}: {errors.read()[-500:]}{said.read()[-500:]}")
        return used.ru_utime + used.ru_stime, said.read()


def run_weir(args, folder, text):
    (folder / "scenario.yaml").write_text(text)
    seconds, said = timed([args.weir, "run", "scenario.yaml", "--engine", "sequential", "--json", "-q", "--force", "-o", "results"], folder)
    return seconds, json.loads(said)


def sh(log, *command, **more):
    with open(log, "a") as out:
        subprocess.run([str(word) for word in command], check=True, stdout=out, stderr=out, **more)


def found(args, *names):
    """The first folder of these names below --peers."""
    for name in names:
        if args.peers and (args.peers / name).is_dir():
            return args.peers / name
    return None


# ---- peers: each gives (why it is not there or None, program) ----

def ns3(args):
    if args.ns3 and args.ns3.exists():
        return None, args.ns3
    return "ns-3: weir was built without libns3-dev", None


def ross(args):
    source = found(args, "ROSS", "ross")
    if not source:
        return "ROSS: no folder of that name in PEERS", None
    build, log = args.build / "ross", args.build / "ross.log"
    sh(log, "cmake", "-S", source, "-B", build, "-DROSS_BUILD_MODELS=ON", "-DBUILD_TESTING=OFF", "-DCMAKE_BUILD_TYPE=Release",
       "-DCMAKE_C_FLAGS=-w")
    sh(log, "cmake", "--build", build, "--parallel", os.cpu_count())
    return None, next(p for p in build.rglob("phold") if p.is_file() and os.access(p, os.X_OK))


def htsim(args):
    source = found(args, "csg-htsim", "htsim")
    if not source:
        return "htsim: no folder csg-htsim in PEERS", None
    build, log = args.build / "htsim", args.build / "htsim.log"
    program = build / "datacenter/htsim_ndp"
    if not program.exists():
        shutil.rmtree(build, ignore_errors=True)
        shutil.copytree(source / "sim", build)
        sh(log, "make", "-C", build, "-j", os.cpu_count(), "libhtsim.a", "CFLAGS=-std=c++11 -O3 -w -fPIE")
        sh(log, "make", "-C", program.parent, "htsim_ndp", "CFLAGS=-std=c++11 -O3 -w")
    return None, program


def uet(args):
    source = found(args, "uet-htsim")
    if not source:
        return "uet-htsim: no folder of that name in PEERS", None
    build, log = args.build / "uet-htsim", args.build / "uet-htsim.log"
    if not (build / "built").exists():
        shutil.rmtree(build, ignore_errors=True)
        shutil.copytree(source / "htsim/sim", build / "sim")
        sh(log, "cmake", "-S", build / "sim", "-B", build / "made", "-DCMAKE_BUILD_TYPE=Release")
        sh(log, "cmake", "--build", build / "made", "--parallel", os.cpu_count(), "--target", "htsim_uec")
        (build / "built").touch()
    return None, next(p for p in (build / "made").rglob("htsim_uec") if p.is_file())


# ---- work: each gives ((seconds, work) of weir, the same of the peer, what must agree: (name, weir's, peer's, tolerance)) ----

def dumbbell(args, program, folder):
    seconds = 30
    pairs = "[" + ", ".join(f"[l{i}, r{i}]" for i in range(32)) + "]"
    ours_s, ours = run_weir(args, folder, DUMBBELL.format(seconds=seconds, pairs=pairs))
    theirs_s, said = timed([program, 32, seconds, 5], folder)
    theirs = json.loads(said)
    goodput = ours["classes"][0]["goodput_bps"]
    return (ours_s, ours["packet_hops"]), (theirs_s, theirs["hops"]), [("goodput", goodput, theirs["goodput_bps"], 0.02),
                                                                      ("hops", ours["packet_hops"], theirs["hops"], 0.1)]


def phold(each):
    us = 128 // each  # an event takes 2 us: 4.2 million of them

    def work(args, program, folder):
        ours_s, ours = run_weir(args, folder, PHOLD.format(us=us, each=each))
        theirs_s, said = timed([program, "--synch=1", "--nlp=65536", f"--start-events={each}", "--remote=0.5", "--lookahead=1", "--mean=2",
                                f"--end={us}"], folder)
        events = next(float(line.split()[-1]) for line in said.splitlines() if "Net Events Processed" in line)
        return (ours_s, ours["events"]), (theirs_s, events), [("events", ours["events"], events, 0.01)]
    return work


def matrix_of(folder, n, size):
    """A permutation of n hosts as a connection matrix."""
    hosts = list(range(n))
    to = hosts[:]
    draw = random.Random(1)
    while any(a == b for a, b in zip(hosts, to)):
        draw.shuffle(to)
    (folder / "perm.cm").write_text(f"Nodes {n}\nConnections {n}\n" + "".join(
        f"{a}->{b} id {a + 1} start 0 size {size}\n" for a, b in zip(hosts, to)))


def permutation(args, program, folder):
    size = 40_000_000
    matrix_of(folder, 128, size)
    ours_s, ours = run_weir(args, folder, PERMUTATION.format(matrix="perm.cm"))
    theirs_s, said = timed([program, "-nodes", 128, "-tm", "perm.cm", "-strat", "perm", "-q", 8, "-cwnd", 15, "-mtu", 9000, "-end", 50000,
                            "-linkspeed", 100000, "-hop_latency", 1, "-o", "log"], folder)
    ends = [float(line.split(" finished at ")[1].split()[0]) * 1e-6 for line in said.splitlines() if " finished at " in line]
    done = ours["classes"][0]
    agree = [("transfers", done["completed"], len(ends), 0), ("last end", done["makespan_s"], max(ends, default=0), 0.1)]
    return (ours_s, size * 128), (theirs_s, size * 128), agree


def sprayed(args, program, folder):
    matrix_of(folder, 8192, 1_000_000)
    ours_s, ours = run_weir(args, folder, SPRAYED.format(matrix="perm.cm"))
    theirs_s, said = timed([program, "-tm", "perm.cm", "-sender_cc_only", "-end", 1000, "-o", "log"], folder)
    ends = [float(line.split(" finished at ")[1].split()[0]) * 1e-6 for line in said.splitlines() if " finished at " in line]
    counts = next(line.split() for line in said.splitlines() if line.startswith("New: "))
    done, packets = ours["classes"][0], int(counts[1]) + int(counts[3])
    agree = [("transfers", done["completed"], len(ends), 0), ("packets", done["packets_sent"], packets, 0.01),
             ("last end", done["makespan_s"], max(ends, default=0), 0.1)]
    return (ours_s, done["packets_sent"]), (theirs_s, packets), agree


ROWS = [
    ("ns-3", "dumbbell, 100 Mb/s, 32 NewReno flows, 30 s", "hops", ns3, dumbbell),
    ("ROSS", "PHOLD, 65,536 LPs of 1 event, sequential", "events", ross, phold(1)),
    ("ROSS", "PHOLD, 65,536 LPs of 16 events, sequential", "events", ross, phold(16)),
    ("htsim", "NDP, permutation of 128 hosts, 40 MB each", "bytes", htsim, permutation),
    ("uet-htsim", "NSCC, permutation of 8,192 hosts, 1 MB each", "packets", uet, sprayed),
]


def row(args, name, what, unit, program, work):
    """Turns of one row, and its line; True where both did the same work."""
    ours, theirs, ratios = [], [], []
    with tempfile.TemporaryDirectory(prefix="weir-peers-") as folder:
        for _ in range(args.turns):
            (a_s, a), (b_s, b), agree = work(args, program, Path(folder))
            for figure, x, y, tolerance in agree:
                if not abs(x - y) <= tolerance * abs(y):
                    print(f"{name}: {what}: not the same work: {figure} is {x:g} in weir and {y:g} there", file=sys.stderr)
                    return False
            ours.append(a / a_s), theirs.append(b / b_s), ratios.append(a / a_s * b_s / b)
    low, middle, high = statistics.quantiles(ratios, n=4, method="inclusive") if len(ratios) > 1 else ratios * 3
    print(f"| {name} | {what} | {statistics.median(ours) / 1e6:.3g} | {statistics.median(theirs) / 1e6:.3g} M {unit}/s | {middle:.3g} | "
          f"{low:.3g} to {high:.3g} | {PEAKS[str(args.weir)] / 1e6:.0f}, {PEAKS[str(program)] / 1e6:.0f} MB | {len(ratios)} |", flush=True)
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weir", default=shutil.which("weir"), type=Path)
    parser.add_argument("--ns3", type=Path)
    parser.add_argument("--peers", type=Path)
    parser.add_argument("--build", type=Path, default=Path("build/peers"))
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    args.weir, args.build = args.weir.resolve(), args.build.resolve()
    args.ns3, args.peers = args.ns3 and args.ns3.resolve(), args.peers and args.peers.resolve()
    args.build.mkdir(parents=True, exist_ok=True)
    programs, run, good = {}, 0, True
    print("| beside | work | weir | the other | ratio, median | quartiles | memory | turns |\n| --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    for name, what, unit, peer, work in ROWS:
        if args.only.lower() not in f"{name} {what}".lower():
            continue
        if name not in programs:
            why, programs[name] = peer(args)
            if why:
                print(f"skipped: {why}", file=sys.stderr)
        program = programs[name]
        if not program:
            continue
        good &= row(args, name, what, unit, program, work)
        run += 1
    return 77 if run == 0 else 0 if good else 1


sys.exit(main())
