#!/usr/bin/python3
"""Goodput against queuing delay of examples/aqm/aqm.yaml, an ellipse a queue discipline, as RFC 7928, section 2.7, has it.

    weir study examples/aqm/aqm.yaml -o results/aqm
    tools/plot_aqm.py results/aqm [PICTURE.svg]     draws the figure and prints its table

An ellipse holds one standard deviation of the replications, with their covariance. The axis of delay runs from right to left, so that better
is up and to the right. Queuing delay is the median one-way delay less that of the empty path.
"""
import csv
import math
import re
import sys
from collections import defaultdict
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.patches import Ellipse

EMPTY_S = 0.0512 + 3 * 1500 * 8 / 1e9  # 50 ms of links, a packet at 10 Mb/s, two at 1 Gb/s
LEAST = 0.004  # of an axis: an ellipse that is smaller could not be seen


def read(folder):
    """{(control, flows): {queue: [(delay_ms, goodput_mbps, p95_ms, loss)]}}"""
    panels = defaultdict(lambda: defaultdict(list))
    for row in csv.DictReader(open(Path(folder) / "runs.csv")):
        queue = re.search(r"type: (\w+)", row["queue"]).group(1)
        panels[row["control"], int(row["flows"])][queue].append(
            (1e3 * (float(row["delay_p50"]) - EMPTY_S), 1e-6 * float(row["goodput"]),
             1e3 * (float(row["delay_p95"]) - EMPTY_S), float(row["loss"])))
    return panels


def mean(values):
    return sum(values) / len(values)


def ellipse(points):
    """Middle, full widths and angle of the points' ellipse of one standard deviation."""
    x, y = [p[0] for p in points], [p[1] for p in points]
    mx, my, n = mean(x), mean(y), max(len(points) - 1, 1)
    xx = sum((a - mx) ** 2 for a in x) / n
    yy = sum((b - my) ** 2 for b in y) / n
    xy = sum((a - mx) * (b - my) for a, b in zip(x, y)) / n
    half, root = (xx + yy) / 2, math.hypot((xx - yy) / 2, xy)
    angle = math.degrees(math.atan2(2 * xy, xx - yy) / 2)
    return mx, my, 2 * math.sqrt(half + root), 2 * math.sqrt(max(half - root, 0)), angle


def draw(panels, path):
    flows = sorted({f for _, f in panels})
    figure, axes = plt.subplots(2, len(flows), figsize=(10, 6), sharex="row", sharey=True)
    for row, control in zip(axes, ("newreno", "cubic")):
        for ax, n in zip(row, flows):
            for k, (queue, points) in enumerate(panels[control, n].items()):
                mx, my, width, height, angle = ellipse(points)
                ax.add_patch(Ellipse((mx, my), max(width, 100 * LEAST), max(height, 2 * LEAST), angle=angle, color=f"C{k}", alpha=0.5))
                ax.plot(mx, my, "o", color=f"C{k}", ms=3, label=queue)
            ax.set_title(f"{control}, {n} flows", fontsize=9)
            ax.grid(alpha=0.3)
        row[0].set_ylabel("goodput, Mb/s")
    for row in axes:
        row[0].invert_xaxis()
    for ax in axes[1]:
        ax.set_xlabel("median queuing delay, ms")
    axes[0][0].legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None} if str(path).endswith(".svg") else None)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    panels = read(sys.argv[1])
    for (control, n), queues in sorted(panels.items()):
        for queue, points in queues.items():
            delay, goodput, late, loss = (mean([p[i] for p in points]) for i in range(4))
            print(f"{control:8} {n:3} {queue:9} {goodput:6.2f} Mb/s {delay:7.1f} ms median {late:7.1f} ms p95 {100 * loss:6.2f} % lost")
    draw(panels, sys.argv[2] if len(sys.argv) > 2 else Path(sys.argv[1]) / "goodput-delay.svg")


main()
