#!/usr/bin/python3
"""Figure 5 and tables 1 and 2 of Andelfinger and Hartenstein 2014 from what Kademlia's benchmarks have measured.

    build/release/bench/bench_kademlia 3 0 host.csv
    build/cuda/bench/bench_gpu_kademlia all device.csv
    tools/plot_kademlia_bench.py host.csv device.csv -o pictures

Writes kademlia-figure5.png (events/s against peers, a panel for each d_max), kademlia-table1.png (shares of time by step) and
kademlia-table2.png (events/s by LP size, fixed and adaptive) into the folder, those for which there are measurements, and
prints tables 1 and 2 as Markdown. Where two files measured the same, the later one counts; where one file did so several times
(`bench_gpu_kademlia figure5 runs.csv`), their mean, with 95 % confidence intervals in figure 5. Needs python3-matplotlib.
"""
import argparse
import csv
import os
import statistics

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from plot_style import STYLE

STEPS = ["select", "handle", "insert", "grow", "wait"]
VARIANTS = ["sequential", "host-driven", "persistent"]


# 97.5 % quantiles of Student's t, by degrees of freedom; the last for more.
STUDENT = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.0]


def joined(rows):
    """The mean of some measurements of one cell; "half" is half the 95 % interval of its events/s."""
    row = {k: v if k == "variant" else statistics.fmean(r[k] for r in rows) for k, v in rows[0].items()}
    rates = [r["events_per_s"] for r in rows]
    quantile = STUDENT[min(len(rates) - 2, len(STUDENT) - 1)]
    row["half"] = quantile * statistics.stdev(rates) / len(rates) ** 0.5 if len(rates) > 1 else 0.0
    return row


def cells(paths):
    """All measurements: {(d_max in s, peers, variant, LP size, adaptive): row}; an adaptive run's size is left out of its key."""
    table = {}
    for path in paths:
        of_file = {}
        with open(path, newline="", encoding="utf-8") as f:
            for line in csv.DictReader(f):
                row = {k: v if k == "variant" else float(v) for k, v in line.items()}
                adaptive = row["adaptive"] > 0
                key = (row["d_max_s"], int(row["peers"]), row["variant"], 0 if adaptive else int(row["lp_size"]), adaptive)
                of_file.setdefault(key, []).append(row)
        table.update((key, joined(rows)) for key, rows in of_file.items())
    return table


def values_of(table, place):
    return sorted({key[place] for key in table})


def whole(table, d_max, peers, variant):
    """What stands for a variant: its adaptive run, or what the host does; None where there is neither."""
    return table.get((d_max, peers, variant, 0, variant != "sequential"))


def save(figure, folder, name):
    figure.tight_layout()
    figure.savefig(os.path.join(folder, name), metadata={"Software": None})
    plt.close(figure)


def figure5(table, folder):
    panels = values_of(table, 0)[::-1]
    figure, axes = plt.subplots(1, len(panels), figsize=(3.2 * len(panels), 3.2), sharey=True, squeeze=False)
    for axis, d_max in zip(axes[0], panels):
        for variant in VARIANTS:
            points = [(n, whole(table, d_max, n, variant)) for n in values_of(table, 1)]
            points = [(n, row["events_per_s"], row["half"]) for n, row in points if row]
            if points:
                peers, rates, halves = zip(*points)
                axis.errorbar(peers, rates, yerr=halves, marker=".", capsize=2, label=variant)
        axis.set(title=f"d_max = {d_max:g} s", xlabel="peers", xscale="log", yscale="log")
        axis.set_xscale("log", base=2)
    axes[0][0].set_ylabel("events/s")
    axes[0][0].legend()
    save(figure, folder, "kademlia-figure5.png")


def table1(table, folder):
    """Shares of time at the smallest d_max, where steps were timed."""
    d_max = min(values_of(table, 0))
    rows = [(n, whole(table, d_max, n, v), v) for v in VARIANTS for n in values_of(table, 1)]
    rows = [(n, row, v) for n, row, v in rows if row and sum(row[s + "_percent"] for s in STEPS) > 0]
    if not rows:
        return
    figure, axis = plt.subplots(figsize=(6, 0.6 + 0.4 * len(rows)))
    left = [0.0] * len(rows)
    names = [f"{v}, {n} peers" for n, _, v in rows]
    for step in STEPS:
        shares = [row[step + "_percent"] for _, row, _ in rows]
        axis.barh(names, shares, left=left, label=step)
        left = [a + b for a, b in zip(left, shares)]
    axis.set(xlabel=f"share of time in %, d_max = {d_max:g} s")
    axis.legend(ncols=len(STEPS), loc="lower center", bbox_to_anchor=(0.4, 1.0))
    save(figure, folder, "kademlia-table1.png")
    print("| | " + " | ".join(STEPS) + " |\n| --- |" + " --- |" * len(STEPS))
    for name, (_, row, _) in zip(names, rows):
        print(f"| {name} | " + " | ".join(f"{row[s + '_percent']:.1f}" for s in STEPS) + " |")
    print()


def table2(table, folder):
    sizes = sorted({key[3] for key in table if key[2] == "persistent" and not key[4]})
    if not sizes:
        return
    wanted = [(d, n) for n in values_of(table, 1) for d in values_of(table, 0) if (d, n, "persistent", sizes[0], False) in table]
    figure, axis = plt.subplots(figsize=(7.5, 3.6))
    colours = {n: f"C{i}" for i, n in enumerate(values_of(table, 1))}
    lines = dict(zip(values_of(table, 0), ["-", "--", ":", "-."]))
    print("| peers, d_max | " + " | ".join(f"LP size {s}" for s in sizes) + " | adaptive | of the best |")
    print("| --- |" + " --- |" * (len(sizes) + 2))
    for d_max, peers in wanted:
        fixed = [table.get((d_max, peers, "persistent", s, False)) for s in sizes]
        rates = [row["events_per_s"] / 1e6 if row else float("nan") for row in fixed]
        adaptive = table.get((d_max, peers, "persistent", 0, True))
        style = {"color": colours[peers], "linestyle": lines.get(d_max, "-")}
        axis.plot(sizes, rates, marker=".", label=f"{peers} peers, {d_max:g} s", **style)
        text = "| |"
        if adaptive:
            rate, best = adaptive["events_per_s"] / 1e6, max(r for r in rates if r == r)
            axis.plot(adaptive["lp_size"], rate, marker="*", markersize=10, color=colours[peers])
            text = f"| {rate:.1f} ({adaptive['lp_size']:.0f}) | {100 * rate / best:.1f} % |"
        print(f"| {peers}, {d_max:g} s | " + " | ".join(f"{r:.1f}" for r in rates) + f" {text}")
    axis.set(xlabel="peers of an LP; a star: what adaptation chose", ylabel="million events/s", yscale="log")
    axis.set_xscale("log", base=2)
    axis.legend(fontsize=7, loc="center left", bbox_to_anchor=(1.0, 0.5))
    save(figure, folder, "kademlia-table2.png")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="+", metavar="CSV")
    parser.add_argument("-o", "--output", default=".", help="folder for the pictures (default: this one)")
    args = parser.parse_args()
    table = cells(args.tables)
    if not table:
        parser.error("no measurements in " + ", ".join(args.tables))
    os.makedirs(args.output, exist_ok=True)
    with plt.rc_context(STYLE):
        figure5(table, args.output)
        table1(table, args.output)
        table2(table, args.output)


if __name__ == "__main__":
    main()
