#!/usr/bin/python3
"""Jain's index of each control alone, without loss, out of the table of docs/fairness.md that has it: tools/plot_fairness.py [FILE].

Writes docs/img/fairness.svg unless a file is given. Needs python3-matplotlib.
"""
import sys
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

matplotlib.rcParams.update({"svg.hashsalt": "weir", "svg.fonttype": "none", "font.size": 8})
ROOT = Path(__file__).resolve().parent.parent


def indices():
    """{paths: {control: [index with 2, 8 and 64 flows]}}, of receivers that acknowledge each segment."""
    text = (ROOT / "docs/fairness.md").read_text()
    found = {"equal": {}, "unequal": {}}
    for row in text[text.index("| control | paths | loss | ACK after"):].split("\n\n")[0].split("\n")[2:]:
        control, paths, loss, after, *cells = [c.strip(" `") for c in row.strip("|").split("|")]
        if loss == "0" and after == "1":
            found[paths][control] = [float(c.split(",")[0]) for c in cells]
    return found


def main():
    found = indices()
    figure, axes = plt.subplots(1, 2, figsize=(7, 3.6), sharey=True, layout="constrained")
    for axis, (paths, of) in zip(axes, found.items()):
        controls = list(of)[::-1]
        for flows, colour, mark, values in zip((2, 8, 64), ("#0b5fa5", "#d55e00", "#009e73"), "os^", zip(*(of[c] for c in controls))):
            axis.plot(values, range(len(controls)), mark, markersize=4, color=colour, label=f"{flows} flows")
        axis.set_yticks(range(len(controls)), controls)
        axis.set(xlabel="Jain's index", title=f"{paths} paths", xlim=(0, 1.03))
        axis.grid(color="#eeeeee")
    axes[0].legend(frameon=False, loc="lower left")
    figure.savefig(sys.argv[1] if len(sys.argv) > 1 else ROOT / "docs/img/fairness.svg", metadata={"Date": None})


main()
