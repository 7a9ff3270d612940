#!/usr/bin/python3
"""Pictures of one run, or of several in the same axes: queues, throughput, windows, completion times.

    tools/plot_run.py results/abilene
    tools/plot_run.py results/red results/droptail --labels RED,drop-tail --what queue -o pictures

Reads series.h5 and flows.csv of each results folder and writes queue.png, throughput.png, cwnd.png and completion.png,
and series.png for models besides the packet network (those for which there is data) into the folder given by -o, by default the first results folder. Needs python3-matplotlib
and python3-h5py. docs/results.md describes the files.
"""
import argparse
import csv
import math
import os
import sys

import matplotlib

matplotlib.use("Agg")
import h5py
import matplotlib.pyplot as plt
import numpy as np

COLOURS = ["#0b5fa5", "#d1495b", "#2a9d6f", "#e0a100", "#7a4fa3", "#5c6b73", "#b5651d", "#00a0b0"]
STYLE = {
    "figure.dpi": 110,
    "font.size": 9,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.prop_cycle": plt.cycler(color=COLOURS),
    "legend.frameon": False,
    "svg.hashsalt": "weir",
}


class Run:
    """What one results folder holds, read as it is needed."""

    def __init__(self, folder, label):
        self.folder, self.label = folder, label

    def table(self, name):
        """A table of series.h5 as (names of rows, times in s, {column: array [time][row]}); None where there is none."""
        path = os.path.join(self.folder, "series.h5")
        if not os.path.exists(path):
            return None
        with h5py.File(path, "r") as f:
            if name not in f:
                return None
            group = f[name]
            rows = [r.decode() for r in group["name"][:]]
            columns = {k: v[:] for k, v in group.items() if k not in ("name", "time_s")}
            return rows, group["time_s"][:], columns

    def flows(self):
        """Rows of flows.csv; none where the run has none (models besides the packet network)."""
        path = os.path.join(self.folder, "flows.csv")
        if not os.path.exists(path):
            return []
        with open(path, newline="", encoding="utf-8") as f:
            return list(csv.DictReader(f))


def curve_label(run, runs, row, rows):
    parts = [run.label] if len(runs) > 1 else []
    if len(rows) > 1 or len(runs) == 1:
        parts.append(row.replace("->", " → "))
    return ", ".join(parts)


def window(times, span):
    return (times >= span[0]) & (times <= span[1])


def smooth(values, n):
    """Mean over the last n samples."""
    if n <= 1:
        return values
    total = np.cumsum(np.concatenate(([0.0], values)))
    first = np.maximum(np.arange(len(values)) + 1 - n, 0)
    return (total[1:] - total[first]) / (np.arange(len(values)) + 1 - first)


def plot_ports(runs, options, column, scale, ylabel):
    """One curve for each sampled port of each run."""
    figure, axes = plt.subplots(figsize=(options.width, options.height))
    drawn = 0
    for run in runs:
        table = run.table("ports")
        if table is None:
            continue
        rows, times, columns = table
        wanted = [i for i, r in enumerate(rows) if not options.port or r in options.port]
        inside = window(times, options.span)
        for i in wanted:
            values = smooth(columns[column][:, i] * scale, options.smooth)
            axes.plot(times[inside], values[inside], linewidth=0.9,
                      label=curve_label(run, runs, rows[i], wanted))
            drawn += 1
    if not drawn:
        plt.close(figure)
        return None
    axes.set_xlabel("simulated time (s)")
    axes.set_ylabel(ylabel)
    axes.set_ylim(bottom=0)
    axes.margins(x=0.01)
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=3, borderaxespad=0.2)
    return figure


def plot_queue(runs, options):
    return plot_ports(runs, options, "queue_bytes", 1e-3, "queue (kB)")


def plot_throughput(runs, options):
    return plot_ports(runs, options, "throughput_bps", 1e-6, "throughput (Mb/s)")


def plot_cwnd(runs, options):
    """Windows of a few flows: the first of each class and destination come first."""
    figure, all_axes = plt.subplots(len(runs), 1, figsize=(options.width, options.height * (0.5 + 0.5 * len(runs))),
                                    sharex=True, squeeze=False)
    drawn = 0
    for run, axes in zip(runs, all_axes[:, 0]):
        table = run.table("flows")
        if table is None:
            continue
        rows, times, columns = table
        inside = window(times, options.span)
        seen, first, rest = set(), [], []
        for i, row in enumerate(rows):
            kind = row.split(" ", 1)[1]
            (rest if kind in seen else first).append(i)
            seen.add(kind)
        for i in (first + rest)[: options.flows]:
            number, name = rows[i].split(" ", 1)
            axes.plot(times[inside], columns["cwnd_bytes"][inside, i] * 1e-3, linewidth=0.9,
                      label=f"flow {number}: {name.replace('->', ' → ')}")
            drawn += 1
        axes.set_ylabel("cwnd (kB)")
        axes.set_ylim(bottom=0)
        axes.margins(x=0.01)
        if len(runs) > 1:
            axes.text(0.995, 0.97, run.label, transform=axes.transAxes, ha="right", va="top", fontsize=9)
        if axes is all_axes[0, 0]:
            axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=2, borderaxespad=0.2)
    all_axes[-1, 0].set_xlabel("simulated time (s)")
    if not drawn:
        plt.close(figure)
        return None
    return figure


def plot_completion(runs, options):
    """Distribution of completion times and slowdowns, a curve for each class with sized flows."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(options.width, options.height), sharey=True)
    drawn = 0
    for run in runs:
        done = {}
        for flow in run.flows():
            if flow["completion_s"]:
                done.setdefault(flow["class"], []).append(flow)
        for name, flows in done.items():
            share = np.arange(1, len(flows) + 1) / len(flows)
            label = ", ".join(([run.label] if len(runs) > 1 else []) + [f"{name} ({len(flows)} flows)"])
            left.step(np.sort([float(f["completion_s"]) for f in flows]), share, where="post", label=label)
            right.step(np.sort([float(f["slowdown"]) for f in flows]), share, where="post")
            drawn += 1
    if not drawn:
        plt.close(figure)
        return None
    left.set_xlabel("completion time (s)")
    right.set_xlabel("slowdown (1: as on an empty network)")
    left.set_ylabel("share of flows")
    for axes in (left, right):
        axes.set_xscale("log")
    left.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=2, borderaxespad=0.2)
    left.set_ylim(0, 1.01)
    return figure


def plot_series(runs, options):
    """Every column of the one-row tables that models besides the packet network write, one above the other."""
    found = [(run, name, table) for run in runs for name in ("events", "network") if (table := run.table(name))]
    columns = list(dict.fromkeys(column for _, _, (_, _, values) in found for column in values))
    if not columns:
        return None
    figure, axes = plt.subplots(len(columns), 1, sharex=True, squeeze=False,
                                figsize=(options.width, 0.6 + 1.3 * len(columns)))
    for run, _, (_, times, values) in found:
        inside = window(times, options.span)
        for place, column in zip(axes[:, 0], columns):
            if column in values:
                place.plot(times[inside], values[column][inside, 0], linewidth=0.9, label=run.label)
            place.set_ylabel(column.replace("_", " "), fontsize=7)
    axes[-1, 0].set_xlabel("simulated time (s)")
    if len(runs) > 1:
        axes[0, 0].legend()
    return figure


PLOTS = {"queue": plot_queue, "throughput": plot_throughput, "cwnd": plot_cwnd, "completion": plot_completion,
         "series": plot_series}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+", help="results folders")
    parser.add_argument("-o", "--output", metavar="DIR", help="where pictures go; default: the first results folder")
    parser.add_argument("--what", default=",".join(PLOTS), help="which pictures (default: %(default)s)")
    parser.add_argument("--labels", help="names of the runs, separated by commas; default: the folders' names")
    parser.add_argument("--port", action="append", help="only this port (may be given several times)")
    parser.add_argument("--flows", type=int, default=4, help="windows of so many flows (default: %(default)s)")
    parser.add_argument("--from", dest="begin", type=float, default=-math.inf, metavar="S", help="first second shown")
    parser.add_argument("--to", dest="end", type=float, default=math.inf, metavar="S", help="last second shown")
    parser.add_argument("--smooth", type=int, default=1, metavar="N", help="mean over N samples, of ports")
    parser.add_argument("--format", default="png", choices=["png", "svg", "pdf"])
    parser.add_argument("--prefix", default="", help="begins the pictures' names")
    parser.add_argument("--width", type=float, default=8.0, help="inches")
    parser.add_argument("--height", type=float, default=3.0, help="inches")
    options = parser.parse_args()
    options.span = (options.begin, options.end)
    return options


def main():
    options = arguments()
    labels = options.labels.split(",") if options.labels else [os.path.basename(os.path.normpath(r)) for r in options.results]
    if len(labels) != len(options.results):
        sys.exit(f"plot_run.py: {len(labels)} labels for {len(options.results)} results folders")
    for folder in options.results:
        if not os.path.exists(os.path.join(folder, "summary.json")):
            sys.exit(f"plot_run.py: {folder} is no results folder: it holds no summary.json")
    runs = [Run(folder, label) for folder, label in zip(options.results, labels)]
    output = options.output or options.results[0]
    os.makedirs(output, exist_ok=True)
    plt.rcParams.update(STYLE)
    for what in options.what.split(","):
        if what not in PLOTS:
            sys.exit(f"plot_run.py: no picture '{what}'; want some of {', '.join(PLOTS)}")
        figure = PLOTS[what](runs, options)
        path = os.path.join(output, f"{options.prefix}{what}.{options.format}")
        if figure is None:
            print(f"{path}: nothing to draw")
            continue
        figure.savefig(path, bbox_inches="tight", metadata={"Date": None} if options.format == "svg" else None)
        plt.close(figure)
        print(path)


if __name__ == "__main__":
    main()
