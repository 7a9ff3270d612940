#!/usr/bin/python3
"""What going round an interconnect's network costs in accuracy, and saves in time: figures 2 and 3 and table 1 of paper 004.

    tools/plot_surrogate.py results/none results/hybrid-lite results/hybrid -o pictures

The first folder is the run in full detail, the others went round the network (docs/surrogate.md). Reads series.h5, switches.csv and
summary.json of each and writes occupancy.png (chunks in all buffers over time), latency.png and total-latency.png (mean latency over time, from
a packet's injection and from when it was due, with a tenth of its standard deviation, as figure 3 has it) and prints the table: throughput, its
discrepancy, run time, the greatest possible speed-up and what was reached, mean squared errors of both mean latencies over intervals after the
last switch back. Needs python3-matplotlib and python3-h5py.
"""
import argparse
import csv
import json
import os

import matplotlib

matplotlib.use("Agg")
import h5py
import matplotlib.pyplot as plt
import numpy as np

COLOURS = ["#5c6b73", "#d1495b", "#0b5fa5", "#2a9d6f"]


class Run:
    """One results folder."""

    def __init__(self, folder):
        self.label = os.path.basename(os.path.normpath(folder))
        with open(os.path.join(folder, "summary.json")) as f:
            self.summary = json.load(f)
        with h5py.File(os.path.join(folder, "series.h5"), "r") as f:
            self.time = f["network/time_s"][:]
            self.latency = f["network/latency_mean_s"][:, 0]
            self.total = f["network/total_latency_mean_s"][:, 0]
            self.latency_sd = np.sqrt(f["network/latency_variance_s2"][:, 0])
            self.total_sd = np.sqrt(f["network/total_latency_variance_s2"][:, 0])
            self.buffered = f["routers/buffered_bytes"][:].sum(axis=1)
        self.switches = []
        path = os.path.join(folder, "switches.csv")
        if os.path.exists(path):
            with open(path) as f:
                self.switches = [(float(r["time_s"]), r["to"]) for r in csv.DictReader(f)]

    def round_s(self):
        """Simulated time round the network."""
        total, since = 0.0, None
        for at, to in self.switches:
            if to == "surrogate":
                since = at
            elif since is not None:
                total, since = total + at - since, None
        return total + (self.time[-1] - since if since is not None else 0.0)

    def back_s(self):
        """When it came back for the last time; None: it did not go."""
        back = [at for at, to in self.switches if to == "network"]
        return back[-1] if back else None


def picture(runs, what, label, scale, path):
    fig, axes = plt.subplots(figsize=(7, 3.2), dpi=110)
    for run, colour in zip(runs, COLOURS):
        x, y = 1e3 * run.time, scale * getattr(run, what)
        axes.plot(x, y, label=run.label, color=colour, linewidth=1)
        if hasattr(run, what + "_sd"):
            bar = 0.1 * scale * getattr(run, what + "_sd")
            axes.fill_between(x, y - bar, y + bar, color=colour, alpha=0.2, linewidth=0)
    for at, _ in runs[-1].switches:
        axes.axvline(1e3 * at, color="#999999", linewidth=0.7, linestyle="--")
    axes.set_xlabel("simulated time, ms")
    axes.set_ylabel(label)
    axes.set_ylim(bottom=0)
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.legend(frameon=False)
    fig.tight_layout()
    fig.savefig(path)
    print(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", help="results folders, full detail first")
    parser.add_argument("-o", "--output", help="folder for the pictures; default: the first results folder")
    args = parser.parse_args()
    runs = [Run(f) for f in args.folders]
    out = args.output or args.folders[0]
    os.makedirs(out, exist_ok=True)
    picture(runs, "buffered", "chunks in buffers, MB", 1e-6, os.path.join(out, "occupancy.png"))
    picture(runs, "latency", "mean packet latency, us", 1e6, os.path.join(out, "latency.png"))
    picture(runs, "total", "mean latency from when due, us", 1e6, os.path.join(out, "total-latency.png"))
    full = runs[0]
    wall = full.summary["wall_s"]
    print(f"{'mode':14} {'GB/s':>8} {'discrepancy':>12} {'run time':>10} {'speed-up':>9} {'possible':>9} {'MSE, us^2':>11} {'from due':>11}")
    for run in runs:
        throughput = run.summary["interconnect"]["throughput_Bps"]
        off = throughput / full.summary["interconnect"]["throughput_Bps"] - 1
        took = run.summary["wall_s"]
        line = f"{run.label:14} {1e-9 * throughput:8.1f} {100 * off:11.2f}% {took:8.1f} s"
        back = run.back_s()
        if back is not None:
            possible = full.time[-1] / (full.time[-1] - run.round_s())
            after = full.time > back + 1e-9
            line += f" {wall / took:8.2f}x {possible:8.2f}x"
            for what in ("latency", "total"):
                line += f" {np.mean((1e6 * (getattr(run, what)[after] - getattr(full, what)[after])) ** 2):11.1f}"
        print(line)


if __name__ == "__main__":
    main()
