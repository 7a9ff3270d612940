#!/usr/bin/python3
"""Pictures of Kademlia runs and of analyses of parallelism, several in the same axes.

    tools/plot_models.py lookups results/stay results/churn --labels 'peers stay,a third away' -o pictures/lookups.png
    tools/plot_models.py parallelism results/small results/large --labels '16384 peers,131072 peers' -o pictures/p.png

`lookups` reads hops.csv and latency.csv of each folder, `parallelism` parallelism.csv. Needs python3-matplotlib.
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["lookups", "parallelism"])
    parser.add_argument("results", nargs="+")
    parser.add_argument("--labels", help="one for each folder, with commas between them")
    parser.add_argument("-o", "--output", required=True)
    args = parser.parse_args()
    labels = args.labels.split(",") if args.labels else [os.path.basename(f.rstrip("/")) for f in args.results]
    if len(labels) != len(args.results):
        parser.error(f"{len(labels)} labels for {len(args.results)} folders")
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(1, 2, figsize=(8, 3.2))
        draw = lookups if args.what == "lookups" else parallelism
        for i, (folder, label) in enumerate(zip(args.results, labels)):
            draw(axes, folder, label, i, len(labels))
        axes[0].legend()
        figure.tight_layout()
        figure.savefig(args.output, metadata={"Software": None})


if __name__ == "__main__":
    main()
