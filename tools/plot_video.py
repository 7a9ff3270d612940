#!/usr/bin/python3
"""Players of adaptive video over time: bitrate, buffer, and where the picture stands still; several runs below each other.

    tools/plot_video.py results/buffer results/throughput --labels 'by the buffer,by the throughput' -o pictures/video.png

Reads segments.csv and players.csv of each folder, player 0. Needs python3-matplotlib.
"""
import argparse
import csv
import os

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from plot_style import STYLE


def rows(folder, name):
    with open(os.path.join(folder, name), newline="", encoding="utf-8") as f:
        return [{k: float(v) for k, v in r.items() if k not in ("class", "client", "server") and v}
                for r in csv.DictReader(f) if r["player"] == "0"]


def buffer_of(segments, startup_s):
    """The buffer between arrivals, where it falls by a second a second; and the stalls as (from, to)."""
    at, level, stalls = [], [], []
    for before, now in zip(segments, segments[1:]):
        left = before["buffer_s"]
        dry = max(before["end_s"], startup_s) + left
        at += [before["end_s"], min(dry, now["end_s"]), now["end_s"]]
        level += [left, max(0.0, left - (now["end_s"] - before["end_s"])), max(0.0, left - (now["end_s"] - before["end_s"]))]
        if now["rebuffer_s"] > before["rebuffer_s"]:
            stalls.append((now["end_s"] - (now["rebuffer_s"] - before["rebuffer_s"]), now["end_s"]))
    return at, level, stalls


def draw(axes, folder, label):
    segments, player = rows(folder, "segments.csv"), rows(folder, "players.csv")[0]
    axes.step([s["end_s"] for s in segments], [1e-6 * s["bitrate_bps"] for s in segments], where="pre", label="bitrate")
    axes.plot([s["end_s"] for s in segments], [1e-6 * s["throughput_bps"] for s in segments], ".", color="0.6", markersize=3,
              label="throughput of a segment")
    top = max(s["bitrate_bps"] for s in segments)
    axes.set(ylabel="Mb/s", title=label, ylim=(0, 1.4e-6 * top))
    at, level, stalls = buffer_of(segments, player["startup_s"])
    second = axes.twinx()
    second.plot(at, level, color="tab:orange", linewidth=0.8, label="buffer")
    second.set(ylabel="buffer in s", ylim=(0, None))
    second.grid(False)
    for begin, end in stalls:
        axes.axvspan(begin, end, color="tab:red", alpha=0.35, linewidth=0)
    handles = [h for a in (axes, second) for h in a.get_legend_handles_labels()[0]]
    axes.legend(handles=handles, loc="upper right", ncols=3)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+")
    parser.add_argument("--labels", required=True, help="one for each folder, with commas between them")
    parser.add_argument("-o", "--output", required=True)
    args = parser.parse_args()
    labels = args.labels.split(",")
    if len(labels) != len(args.results):
        parser.error(f"{len(labels)} labels for {len(args.results)} folders")
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(len(labels), 1, figsize=(8, 2.6 * len(labels)), sharex=True, squeeze=False)
        for axis, folder, label in zip(axes[:, 0], args.results, labels):
            draw(axis, folder, label)
        axes[-1, 0].set_xlabel("time in s")
        figure.tight_layout()
        figure.savefig(args.output)


if __name__ == "__main__":
    main()
