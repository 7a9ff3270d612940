#!/usr/bin/python3
"""The ratios of TCP in weir and in ns-3, case by case, out of the first table of docs/validation.md that has them: tools/plot_ns3.py [FILE].

Writes docs/img/ns3-ratios.svg unless a file is given. Needs python3-matplotlib.
"""
import re
import sys
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

matplotlib.rcParams.update({"svg.hashsalt": "weir", "svg.fonttype": "none", "font.size": 8})
ROOT = Path(__file__).resolve().parent.parent


def cases():
    text = (ROOT / "docs/validation.md").read_text()
    rows = text[text.index("| case | completion (s) or goodput"):].split("\n\n")[0].split("\n")[2:]
    for row in rows:
        cells = [c.strip(" *") for c in row.strip("|").split("|")]
        yield cells[0], float(re.search(r"\((\d+\.\d+)\)", cells[1]).group(1))


def main():
    found = list(cases())[::-1]
    figure, axis = plt.subplots(figsize=(7, 6.5), layout="constrained")
    axis.axvspan(0.95, 1.05, color="#dfe9f3", label="within 5 %")
    axis.axvline(1, color="#888888", linewidth=0.8)
    axis.plot([r for _, r in found], range(len(found)), "o", markersize=4, color="#0b5fa5")
    axis.set_yticks(range(len(found)), [c for c, _ in found])
    axis.set(xlabel="completion time or goodput, weir / ns-3", ylim=(-1, len(found)))
    axis.grid(axis="y", color="#eeeeee")
    axis.legend(frameon=False, loc="lower right")
    figure.savefig(sys.argv[1] if len(sys.argv) > 1 else ROOT / "docs/img/ns3-ratios.svg", metadata={"Date": None})


main()
