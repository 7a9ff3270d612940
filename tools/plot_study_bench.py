#!/usr/bin/python3
"""Figures 6 to 12 of Kunz, Schemmel, Gross and Wehrle 2012 from what bench_gpu_lcg has measured.

    build/cuda/bench/bench_gpu_lcg lcg.csv
    tools/plot_study_bench.py lcg.csv -o pictures      (or several, of parts of the cells)

Writes study-divergence.png (figures 6 to 9: events/s against simulations, a column for each mapping and a row for each design; dashed:
not divergent, figure 6), study-overhead.png (figures 10 and 12: seconds against simulations and against bytes of state)
and study-mapping.png (figure 11) into the folder, and prints their main figures as Markdown. Where cells have repetitions, bars are 99 % intervals.
Needs python3-matplotlib.
"""
import argparse
import csv
import os
from statistics import NormalDist, mean, stdev

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from plot_style import STYLE

DESIGNS = {"staged": "staged, one thread", "threads": "staged, a thread a core", "resident": "resident"}
MODULES = [1, 2, 5, 10]
TITLES = {6: "6: not divergent", 7: "7: as they come", 8: "8: sorted", 9: "9: sorted and padded"}
MAPPINGS = {"none": "-", "sort": "--", "pad": ":"}


def read(path):
    with open(path, newline="", encoding="utf-8") as f:
        return [{k: v if k in ("design", "mapping") else float(v) for k, v in line.items()} for line in csv.DictReader(f)]


def cells(paths):
    """{(figure, design, mapping, simulations, modules, bytes): row}, with the mean time of its repetitions, and `part`, the half
    width of its 99 % interval over it."""
    rows = [row for path in paths for row in read(path)]
    keys = ("figure", "design", "mapping", "simulations", "modules", "state_bytes")
    table = {}
    for r in rows:
        table.setdefault(tuple(r[k] if isinstance(r[k], str) else int(r[k]) for k in keys), []).append(r)
    for key, of in table.items():
        times = [r["wall_s"] for r in of]
        part = half_width(times) / mean(times) if len(of) > 1 else 0.0
        table[key] = {**of[0], "wall_s": mean(times), "part": part, "repetitions": len(of)}
    parts = sorted(row["part"] for row in table.values())
    least = min(row["repetitions"] for row in table.values()) if table else 0
    if parts and parts[-1] > 0:
        print(f"{least} repetitions of a cell at least; 99 % intervals of the mean: at most {100 * parts[-1]:.2g} % of it either "
              f"way, {100 * parts[len(parts) // 2]:.2g} % in the median\n")
    return table


def half_width(values):
    """Of the 99 % interval of the mean: Student's t, by its expansion about the normal quantile (Abramowitz and Stegun, 26.7.5)."""
    z, v = NormalDist().inv_cdf(0.995), len(values) - 1
    t = z + (z**3 + z) / (4 * v) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * v**2)
    return t * stdev(values) / len(values) ** 0.5


def line(table, figure, design, modules, across, of, mapping=None):
    """Points of a line: `across` is the place of the key that is the abscissa."""
    points = [(key[across], of(row), of(row) * row["part"]) for key, row in table.items()
              if key[0] == figure and key[1] == design and key[4] == modules and mapping in (None, key[2])]
    return zip(*sorted(points)) if points else ((), (), ())


def rate(row):
    return row["events"] / row["wall_s"]


def seconds(row):
    return row["wall_s"]


def finish(figure, folder, name):
    figure.tight_layout()
    figure.savefig(os.path.join(folder, name), metadata={"Software": None})
    plt.close(figure)


def log_axes(axis, **labels):
    axis.set(yscale="log", **labels)
    axis.set_xscale("log", base=2)


def divergence(table, folder):
    figure, axes = plt.subplots(len(DESIGNS), len(TITLES), figsize=(10, 0.9 + 2.1 * len(DESIGNS)), sharex=True, sharey="row", squeeze=False)
    for axis, title in zip(axes[0], TITLES.values()):
        axis.set_title(title)
    for row, (design, name) in zip(axes, DESIGNS.items()):
        for axis, number in zip(row, TITLES):
            for i, modules in enumerate(MODULES):
                axis.errorbar(*line(table, number, design, modules, 3, rate), marker=".", color=f"C{i}", label=f"{modules} module" + "s" * (modules > 1))
                if number > 6:
                    axis.errorbar(*line(table, 6, design, modules, 3, rate), color=f"C{i}", linestyle="--", linewidth=0.8)
            log_axes(axis)
        row[0].set_ylabel(f"{name}\nevents/s")
    for axis in axes[-1]:
        axis.set_xlabel("simulations")
    axes[0][0].legend(fontsize=7)
    finish(figure, folder, "study-divergence.png")


def overhead(table, folder):
    figure, axes = plt.subplots(2, len(DESIGNS), figsize=(2.2 + 2.6 * len(DESIGNS), 5.5), sharey="row", squeeze=False)
    for column, (design, name) in enumerate(DESIGNS.items()):
        for i, modules in enumerate(MODULES):
            style = {"marker": ".", "color": f"C{i}", "label": f"{modules} module" + "s" * (modules > 1)}
            axes[0][column].errorbar(*line(table, 10, design, modules, 3, seconds), **style)
            axes[1][column].errorbar(*line(table, 12, design, modules, 5, seconds), **style)
        log_axes(axes[0][column], title=name, xlabel="simulations")
        axes[1][column].set(yscale="log", xlabel="bytes of state, 512 simulations")
    axes[0][0].set_ylabel("10: s for 65,536 events")
    axes[1][0].set_ylabel("12: s for 65,536 events")
    axes[0][0].legend(fontsize=7)
    finish(figure, folder, "study-overhead.png")


def mapping(table, folder):
    figure, axis = plt.subplots(figsize=(5.5, 3.4))
    for i, (design, name) in enumerate(DESIGNS.items()):
        for kind, style in MAPPINGS.items():
            axis.errorbar(*line(table, 11, design, 1, 3, seconds, kind), color=f"C{i}", linestyle=style, label=f"{name}, {kind}")
    log_axes(axis, xlabel="simulations", ylabel="11: s for 65,536 events")
    axis.legend(fontsize=6)
    finish(figure, folder, "study-mapping.png")


def peaks(table):
    print("| | " + " | ".join(TITLES.values()) + " |\n| --- |" + " --- |" * len(TITLES))
    for design, name in DESIGNS.items():
        best = []
        for number in TITLES:
            rows = [(rate(row), key) for key, row in table.items() if key[0] == number and key[1] == design]
            top = max(rows, default=(float("nan"), None))
            best.append(f"{top[0] / 1e6:.2f}" + (f" ({top[1][3]} × {top[1][4]})" if top[1] else ""))
        print(f"| {name} | " + " | ".join(best) + " |")
    print("\nmillion events/s at best (simulations × modules)\n")


def shares(table):
    """Events/s of figures 7 to 9 over figure 6's, with the 99 % interval by the relative errors of both."""
    simulations = sorted({key[3] for key in table if key[0] == 6})
    for design, name in DESIGNS.items():
        for modules in MODULES:
            rows = []
            for number in (7, 8, 9):
                row = []
                for n in simulations:
                    a, b = (next((r for k, r in table.items() if (k[0], k[1], k[3], k[4]) == (f, design, n, modules)), None)
                            for f in (number, 6))
                    share = 100 * rate(a) / rate(b) if a and b else float("nan")
                    part = (a["part"]**2 + b["part"]**2)**0.5 if a and b else 0.0
                    row.append(f"{share:.0f} ± {share * part:.1f}" if a and b else "-")
                rows.append(row)
            if any(x != "-" for row in rows for x in row):
                print(f"{name}, {modules} modules, % of figure 6\n\n| simulations | " + " | ".join(map(str, simulations)) + " |\n| --- |" +
                      " --- |" * len(simulations))
                for number, row in zip((7, 8, 9), rows):
                    print(f"| figure {number} | " + " | ".join(row) + " |")
                print()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", metavar="CSV", nargs="+")
    parser.add_argument("-o", "--output", default=".", help="folder for the pictures (default: this one)")
    args = parser.parse_args()
    table = cells(args.table)
    if not table:
        parser.error("no measurements in " + ", ".join(args.table))
    for design in DESIGNS.keys() - {key[1] for key in table}:
        del DESIGNS[design]
    os.makedirs(args.output, exist_ok=True)
    with plt.rc_context(STYLE):
        there = {key[0] for key in table}  # of a part, a figure's cells may be missing
        for draw, needs in ((divergence, {6}), (overhead, {10, 12}), (mapping, {11})):
            if needs <= there:
                draw(table, args.output)
    peaks(table)
    shares(table)


if __name__ == "__main__":
    main()
