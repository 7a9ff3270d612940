#!/usr/bin/python3
"""Figures 8 and 9 of Liu et al. 2014 from what bench_hybrid has measured.

    build/cuda/bench/bench_hybrid figures cuda 2 9 hybrid.csv 4 8 16
    tools/plot_hybrid_bench.py hybrid.csv -o pictures

Writes hybrid-figure8.png (wall time over simulated time by number of campuses, with the fluid on the CPU and on the device, at one
share of packets) and hybrid-figure9.png (how many times faster the device is than the CPU at the same share of packets), and prints
figure 9's numbers as Markdown. Needs python3-matplotlib.
"""
import argparse
import csv
import os

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from plot_style import STYLE


def measurements(path):
    """{(campuses, share in %, where the fluid is, threads): wall time over simulated time}, and what a run was."""
    with open(path, newline="", encoding="utf-8") as f:
        rows = list(csv.DictReader(f))
    table = {
        (int(r["campuses"]), float(r["packet_percent"]), r["fluid_on"], int(r["threads"])): float(r["wall_s_per_s"]) for r in rows
    }
    setting = f"steps of {rows[0]['step_us']} us, tau = {rows[0]['tau_steps']}, B = {rows[0]['batch']}" if rows else ""
    return table, setting


def values_of(table, place):
    return sorted({key[place] for key in table})


def save(figure, folder, name):
    figure.tight_layout()
    figure.savefig(os.path.join(folder, name), metadata={"Software": None})
    plt.close(figure)


def figure8(table, setting, share, folder):
    figure, axis = plt.subplots(figsize=(5, 3.4))
    for place in values_of(table, 2):
        for threads in values_of(table, 3):
            points = [(c, table.get((c, share, place, threads))) for c in values_of(table, 0)]
            points = [point for point in points if point[1]]
            if points:
                axis.plot(*zip(*points), marker=".", label=f"fluid on {place}, packets on {threads}")
    axis.set(xlabel="campuses", ylabel="wall time / simulated time", yscale="log", title=f"{share:g} % packets; {setting}")
    axis.legend(fontsize=7)
    save(figure, folder, "hybrid-figure8.png")


def figure9(table, setting, folder):
    devices = [d for d in values_of(table, 2) if d not in ("cpu", "none")]
    figure, axis = plt.subplots(figsize=(5, 3.4))
    print("| campuses, threads | share of packets, %: times faster than with the fluid on the CPU |\n| --- | --- |")
    for device in devices:
        for campuses in values_of(table, 0):
            for threads in values_of(table, 3):
                points = [
                    (share, table[campuses, share, "cpu", threads] / table[campuses, share, device, threads])
                    for share in values_of(table, 1)
                    if (campuses, share, "cpu", threads) in table and (campuses, share, device, threads) in table
                ]
                if points:
                    axis.plot(*zip(*points), marker=".", label=f"{campuses} campuses, {threads} threads")
                    print(f"| {campuses}, {threads} | " + ", ".join(f"{s:g}: {x:.2f}" for s, x in points) + " |")
    axis.set(xlabel="share of packet flows, %", ylabel="times faster than the CPU", title=setting)
    axis.set_xscale("symlog", linthresh=0.5)
    if devices:
        axis.legend(fontsize=7)
    save(figure, folder, "hybrid-figure9.png")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", metavar="CSV")
    parser.add_argument("--share", type=float, default=1.0, help="figure 8's share of packet flows in %% (default: 1)")
    parser.add_argument("-o", "--output", default=".", help="folder for the pictures (default: this one)")
    args = parser.parse_args()
    table, setting = measurements(args.table)
    if not table:
        parser.error("no measurements in " + args.table)
    os.makedirs(args.output, exist_ok=True)
    with plt.rc_context(STYLE):
        figure8(table, setting, args.share, args.output)
        figure9(table, setting, args.output)


if __name__ == "__main__":
    main()
