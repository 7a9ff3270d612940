#!/usr/bin/python3
"""Pictures of Kademlia runs, of analyses of parallelism, and of latency over load, several in the same axes.

    tools/plot_models.py lookups results/stay results/churn --labels 'peers stay,a third away' -o pictures/lookups.png
    tools/plot_models.py parallelism results/small results/large --labels '16384 peers,131072 peers' -o pictures/p.png
    tools/plot_models.py loads results/dragonfly examples/dragonfly/booksim.csv --labels weir,BookSim -o pictures/d.svg

`lookups` reads hops.csv and latency.csv of each folder, `parallelism` parallelism.csv. `loads` reads a study's runs.csv by pattern, routing
and load, or a table of another simulator's points, which it draws as crosses. Needs python3-matplotlib.
"""
import argparse
import csv
import os

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from plot_style import STYLE


def columns(folder, name):
    """A CSV file as {column: [numbers]}."""
    with open(os.path.join(folder, name), newline="", encoding="utf-8") as f:
        rows = list(csv.DictReader(f))
    return {key: [float(row[key]) for row in rows] for key in rows[0]}


def lookups(axes, folder, label, at, of):
    hops = columns(folder, "hops.csv")
    total = sum(hops["lookups"])
    places = [h + (at - (of - 1) / 2) * 0.8 / of for h in hops["hops"]]
    axes[0].bar(places, [n / total for n in hops["lookups"]], width=0.8 / of, label=label)
    axes[0].set(xlabel="hops", ylabel="share of lookups")
    latency = columns(folder, "latency.csv")
    axes[1].plot(latency["to_s"], latency["cumulative_share"], label=label)
    axes[1].set(xlabel="duration of a lookup in s", ylabel="share that is over", xscale="log")


def parallelism(axes, folder, label, _at, _of):
    table = columns(folder, "parallelism.csv")
    axes[0].plot(table["lps"], table["parallelism"], marker=".", label=label)
    axes[0].set(xlabel="LPs", ylabel="events a round", xscale="log", yscale="log")
    axes[1].plot(table["lps"], table["utilisation"], marker=".", label=label)
    axes[1].set(xlabel="LPs", ylabel="events a round and LP", xscale="log")


CYCLE_S = 1e-9


def rows_of_loads(path):
    """(pattern, routing): [(load, latency in cycles, throughput)], where more waits than is under way the latency left out."""
    if os.path.isdir(path):
        path = os.path.join(path, "runs.csv")
    with open(path, newline="", encoding="utf-8") as f:
        rows = list(csv.DictReader(line for line in f if not line.startswith("#")))
    table = {}
    for row in rows:
        load = float(row["load"].rstrip("%")) / (100 if row["load"].endswith("%") else 1)
        if "latency_cycles" in row:
            latency, full = float(row["latency_cycles"]), row["unstable"] == "1"
        else:
            latency = (float(row["latency"]) + float(row["waited"])) / CYCLE_S
            full = float(row["waited"]) > float(row["latency"])
        table.setdefault((row["pattern"], row["routing"]), []).append(
            (load, float("nan") if full else latency, float(row["throughput"])))
    return {key: sorted(points) for key, points in table.items()}


def loads(axes, path, label, at, _of):
    """The first in lines, others as crosses."""
    style = {"marker": "."} if at == 0 else {"marker": "x", "ls": ""}
    for k, (key, points) in enumerate(sorted(rows_of_loads(path).items())):
        load, latency, throughput = zip(*points)
        axes[0].plot(load, latency, color=f"C{k}", label=f"{label}: {', '.join(key)}", **style)
        axes[1].plot(load, throughput, color=f"C{k}", **style)
    axes[0].set(xlabel="load", ylabel="latency in cycles", ylim=(0, 600))
    axes[1].set(xlabel="load", ylabel="throughput")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["lookups", "parallelism", "loads"])
    parser.add_argument("results", nargs="+")
    parser.add_argument("--labels", help="one for each folder, with commas between them")
    parser.add_argument("-o", "--output", required=True)
    args = parser.parse_args()
    labels = args.labels.split(",") if args.labels else [os.path.basename(f.rstrip("/")) for f in args.results]
    if len(labels) != len(args.results):
        parser.error(f"{len(labels)} labels for {len(args.results)} folders")
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(1, 2, figsize=(8, 3.2))
        draw = {"lookups": lookups, "parallelism": parallelism, "loads": loads}[args.what]
        for i, (folder, label) in enumerate(zip(args.results, labels)):
            draw(axes, folder, label, i, len(labels))
        axes[0].legend(fontsize="small")
        figure.tight_layout()
        figure.savefig(args.output, metadata={"Date": None} if args.output.endswith(".svg") else {"Software": None})


if __name__ == "__main__":
    main()
