#!/usr/bin/env python3
"""TCP against ns-3, case by case: the same networks, flows and start times in both, means over seeds, ratios.

  judge.py [--weir PROGRAM] [--ns3 PROGRAM] [--seeds N] [--jobs N] [--only TEXT] [--keep FILE] [--quick] [--json] [--markdown]

A line a figure: mean in weir and in ns-3, ratio, and whether it is within 5 % (=), differs by less than the 95 % interval of
the seeds' differences (~), or more (*). --quick judges a few cases with two seeds and exits with 1 if the main figure of one is
further than 10 % off, or off a ratio that is known and explained: the CTest test ns3.judge. --keep is for repeating: all else is weir. docs/validation.md has the results, and why what differs does.
"""

import argparse
import concurrent.futures
import json
import math
import os
import random
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import judge_cases  # noqa: E402
import judge_sides  # noqa: E402

T95 = {1: float("inf"), 2: 12.71, 3: 4.30, 4: 3.18, 5: 2.78, 6: 2.57, 7: 2.45, 8: 2.36, 9: 2.31, 10: 2.26}
SKIP = 77
WITHIN, QUICK_WITHIN = 0.05, 0.10


def one_run(args, case, seed, folder, kept):
    """Figures of weir and of ns-3, or None where ns-3 crashed."""
    links, flows = case.draw(random.Random(f"{case.name} {seed}"))
    ns3 = judge_sides.run_ns3(args.ns3, case, links, flows, seed, kept)
    if ns3 is None:
        return None
    return judge_sides.run_weir(args.weir, case, links, flows, seed, f"{folder}/{abs(hash(case.name))}-{seed}"), ns3


def all_runs(args, pool, case, n, folder, kept):
    """n runs with seeds from 1 on; a seed on which ns-3 crashes gives way to the next."""
    good, crashed, seed = [], [], 1
    while len(good) < n:
        if len(crashed) > 3 * n:
            raise RuntimeError(f"{case.name}: ns-3 crashes on seeds {crashed}")
        seeds = range(seed, seed + n - len(good))
        for s, runs in zip(seeds, pool.map(lambda s: one_run(args, case, s, folder, kept), seeds)):
            good.append(runs) if runs else crashed.append(s)
        seed = seeds.stop
    if crashed:
        print(f"{case.name}: ns-3 crashed on seeds {crashed}", file=sys.stderr)
    return good


def compare(weir, ns3):
    """Figures of one case: {name: {weir, ns3, ratio, verdict}} from the runs of all seeds."""
    out = {}
    for name in weir[0]:
        ours, theirs = [r[name] for r in weir], [r[name] for r in ns3]
        n, a, b = len(ours), sum(ours) / len(ours), sum(theirs) / len(theirs)
        if a == 0 and b == 0:
            continue
        differences = [x - y for x, y in zip(ours, theirs)]
        mean = a - b
        spread = math.sqrt(sum((d - mean) ** 2 for d in differences) / (n - 1) / n) * T95.get(n, 2.1) if n > 1 else math.inf
        ratio = a / b if b else math.inf
        verdict = "=" if abs(ratio - 1) <= WITHIN else "~" if abs(mean) <= spread else "*"
        out[name] = {"weir": a, "ns3": b, "ratio": ratio, "half": spread, "verdict": verdict, "weir_runs": ours,
                     "ns3_runs": theirs}
    return out


def main_figure(of):
    return "completion, s" if "completion, s" in of else "goodput, Mb/s"


def print_case(case, of, markdown):
    for i, (name, f) in enumerate(of.items()):
        ratio = "-" if math.isinf(f["ratio"]) else f"{f['ratio']:.3f}"
        cells = (f"{case.family}: {case.name}" if i == 0 else "", name, f"{f['weir']:.4g}", f"{f['ns3']:.4g}", ratio,
                 f["verdict"])
        if markdown:
            print("| " + " | ".join(c.replace("*", "differs") for c in cells) + " |")
        else:
            print("{:<45} {:<28} {:>9} {:>9} {:>7} {}".format(*cells))
    sys.stdout.flush()


def print_row(case, of):
    """A case as one row of the table in docs/validation.md: weir / ns-3, and the ratio."""

    def cell(name):
        if name not in of:
            return ""
        f = of[name]
        ratio = "" if math.isinf(f["ratio"]) else f" ({f['ratio']:.2f})"
        return f"{f['weir']:.4g} / {f['ns3']:.4g}{ratio}"

    main = main_figure(of)
    verdict = {"=": "yes", "~": "by chance", "*": "no"}[of[main]["verdict"]]
    print(f"| {case.family}: {case.name} | {cell(main)} | {cell('retransmissions')} | {cell('timeouts')} | {cell('drops')} "
          f"| {cell('marks') or cell('queue, kB')} | {verdict} |")
    sys.stdout.flush()


def arguments():
    here = os.path.dirname(os.path.abspath(__file__))
    build = os.path.join(here, "../../build/release")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weir", default=os.path.join(build, "src/cli/weir"))
    parser.add_argument("--ns3", default=os.path.join(build, "bench/ns3/ns3_judge"))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="cases whose family or name holds this")
    parser.add_argument("--keep", help="a file of what ns-3 said: read, and completed, so that ns-3 runs once")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", action="store_true", help="all figures of all runs, on standard output")
    parser.add_argument("--markdown", action="store_true", help="a row a case, as docs/validation.md has them")
    parser.add_argument("--tcp", default="recovery: sack", metavar="KEYS",
                        help="more keys of weir's tcp section where SACK is on (default: '%(default)s', as ns-3's recovery is that of "
                             "RFC 6675; weir's own default is 'recovery: rack')")
    return parser.parse_args()


def main():
    args = arguments()
    if not os.access(args.ns3, os.X_OK):
        print(f"SKIPPED: {args.ns3} is not there: this build has no ns-3 (libns3-dev, g++)")
        return SKIP
    cases = judge_cases.quick_cases() if args.quick else judge_cases.all_cases()
    cases = [c for c in cases if args.only.lower() in f"{c.family}: {c.name}".lower()]
    if not cases:
        sys.exit(f"judge.py: no case holds '{args.only}'")
    for case in cases:
        case.tcp = {**case.tcp, "weir": f", {args.tcp}" if args.tcp and case.tcp.get("sack", 1) else ""}
    folder = tempfile.mkdtemp(prefix="weir-judge-")
    kept = json.load(open(args.keep)) if args.keep and os.path.exists(args.keep) else {}
    results, off = [], []
    try:
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            for case in cases:
                runs = all_runs(args, pool, case, 2 if args.quick else args.seeds, folder, kept)
                if args.keep:
                    with open(args.keep, "w") as f:
                        json.dump(kept, f)
                of = compare([r[0] for r in runs], [r[1] for r in runs])
                results.append({"family": case.family, "case": case.name, "figures": of})
                known = judge_cases.KNOWN.get(case.name, 1) if args.quick else 1
                if not abs(of[main_figure(of)]["ratio"] / known - 1) <= (QUICK_WITHIN if args.quick else WITHIN):
                    off.append(f"{case.family}: {case.name}")
                if args.markdown:
                    print_row(case, of)
                elif not args.json:
                    print_case(case, of, False)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if args.json:
        json.dump(results, sys.stdout, indent=1)
    else:
        within = QUICK_WITHIN if args.quick else WITHIN
        print(f"\n{len(cases) - len(off)} of {len(cases)} cases have completion time or goodput within {100 * within:g} %"
              + (": not " + "; ".join(off) if off else ""))
    return 1 if args.quick and off else 0


if __name__ == "__main__":
    sys.exit(main())
