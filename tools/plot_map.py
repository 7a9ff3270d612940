#!/usr/bin/python3
"""A map of a run: the topology's links, each direction coloured by its utilisation, and below it the queues sampled.

    tools/plot_map.py examples/abilene/abilene.graphml results/abilene -o abilene.png

The topology is a GraphML file whose nodes have Latitude and Longitude (or x and y). Utilisation comes from ports.csv, since
the end of the warm-up; the queues from series.h5, where the run sampled any. Needs python3-matplotlib and python3-h5py.
"""
import argparse
import csv
import math
import os
import sys
import xml.etree.ElementTree as xml

import matplotlib

matplotlib.use("Agg")
import h5py
import matplotlib.pyplot as plt

GRAPHML = "{http://graphml.graphdrawing.org/xmlns}"
COLOURS = ["#0b5fa5", "#d1495b", "#2a9d6f", "#e0a100", "#7a4fa3", "#5c6b73"]


def read_places(path):
    """Positions of the nodes by their names: degrees made roughly true to distance, or plane coordinates as they are."""
    root = xml.parse(path).getroot()
    field = {k.get("id"): k.get("attr.name") for k in root.iter(GRAPHML + "key")}
    places, degrees = {}, False
    for node in root.iter(GRAPHML + "node"):
        value = {field.get(d.get("key")): d.text for d in node.iter(GRAPHML + "data")}
        if "Longitude" in value and "Latitude" in value:
            x, y, degrees = float(value["Longitude"]), float(value["Latitude"]), True
        elif "x" in value and "y" in value:
            x, y = float(value["x"]), float(value["y"])
        else:
            continue
        places[value.get("label", node.get("id"))] = (x, y)
    if degrees and places:
        shrink = math.cos(math.radians(sum(y for _, y in places.values()) / len(places)))
        places = {name: (x * shrink, y) for name, (x, y) in places.items()}
    return places


def read_ports(results):
    with open(os.path.join(results, "ports.csv"), newline="", encoding="utf-8") as f:
        return [row for row in csv.DictReader(f)]


def links_of(places, ports):
    """Ports between two places, as (from, to, rate in bit/s, utilisation); the busiest last, so that it is drawn on top."""
    links = []
    for port in ports:
        ends = port["port"].split("->")
        if len(ends) == 2 and ends[0] in places and ends[1] in places:
            links.append((*ends, float(port["rate_bps"]), float(port["utilisation"])))
    return sorted(links, key=lambda link: link[3])


def draw_links(axes, places, links, colour):
    """An arrow a direction, on the right hand of who drives along it."""
    size = max(max(p[i] for p in places.values()) - min(p[i] for p in places.values()) for i in (0, 1))
    gap, fastest = 0.0045 * size, max(link[2] for link in links)
    for source, target, rate, load in links:
        (x0, y0), (x1, y1) = places[source], places[target]
        length = math.hypot(x1 - x0, y1 - y0) or 1.0
        dx, dy = (x1 - x0) / length, (y1 - y0) / length
        trim = min(0.012 * size, 0.2 * length)
        start = (x0 + dx * trim + dy * gap, y0 + dy * trim - dx * gap)
        end = (x1 - dx * trim + dy * gap, y1 - dy * trim - dx * gap)
        axes.annotate("", end, start,
                      arrowprops={"arrowstyle": "-|>,head_length=0.35,head_width=0.2", "color": colour(load),
                                  "linewidth": 1.0 + 1.2 * rate / fastest, "shrinkA": 0, "shrinkB": 0})


def free_side(name, places, links):
    """Of eight sides of a place, the one farthest from the directions of its links, outward where there is a choice."""
    x, y = places[name]
    taken = [math.atan2(places[b][1] - y, places[b][0] - x) for a, b, *_ in links if a == name]
    sides = {math.radians(45 * k): side for k, side in enumerate(
        [(9, -3, "left"), (6, 5, "left"), (0, 8, "center"), (-6, 5, "right"), (-9, -3, "right"), (-6, -12, "right"),
         (0, -16, "center"), (6, -12, "left")])}

    middle = [sum(p[i] for p in places.values()) / len(places) for i in (0, 1)]
    outward = math.atan2(y - middle[1], x - middle[0])

    def room(angle):
        free = min((abs(math.remainder(angle - t, 2 * math.pi)) for t in taken), default=math.pi)
        return free + 0.3 * math.cos(angle - outward)

    return sides[max(sides, key=room)]


def draw_map(axes, places, ports, figure):
    norm = matplotlib.colors.Normalize(0, 1)
    palette = matplotlib.colors.LinearSegmentedColormap.from_list("load", ["#c9d6df", "#5b9bd5", "#e0a100", "#c1121f"])
    links = links_of(places, ports)
    if not links:
        sys.exit("plot_map.py: ports.csv holds no link between nodes of the topology")
    draw_links(axes, places, links, lambda load: palette(norm(load)))
    for name, (x, y) in places.items():
        dx, dy, align = free_side(name, places, links)
        axes.plot(x, y, "o", markersize=6, color="white", markeredgecolor="#333333", zorder=5)
        axes.annotate(name, (x, y), xytext=(dx, dy), textcoords="offset points", ha=align, fontsize=9, zorder=6,
                      bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 0.6})
    axes.set_aspect("equal")
    axes.margins(0.08)
    axes.axis("off")
    bar = figure.colorbar(matplotlib.cm.ScalarMappable(norm, palette), ax=axes, shrink=0.75, pad=0.02,
                          format=matplotlib.ticker.PercentFormatter(1.0))
    bar.set_label("utilisation of each direction")
    bar.outline.set_visible(False)


def draw_queues(axes, results):
    with h5py.File(os.path.join(results, "series.h5"), "r") as f:
        group, names = f["ports"], [n.decode() for n in f["ports/name"][:]]
        for i, name in enumerate(names):
            axes.plot(group["time_s"][:], group["queue_bytes"][:, i] * 1e-3, linewidth=0.9, color=COLOURS[i % len(COLOURS)],
                      label=name.replace("->", " → "))
    axes.set_xlabel("simulated time (s)")
    axes.set_ylabel("queue (kB)")
    axes.set_ylim(bottom=0)
    axes.margins(x=0.01)
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=3, borderaxespad=0.2, frameon=False)


def has_queues(results):
    path = os.path.join(results, "series.h5")
    if not os.path.exists(path):
        return False
    with h5py.File(path, "r") as f:
        return "ports" in f


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("topology", help="GraphML file")
    parser.add_argument("results", help="results folder")
    parser.add_argument("-o", "--output", default="map.png", metavar="FILE", help="picture (default: %(default)s)")
    options = parser.parse_args()
    places = read_places(options.topology)
    if len(places) < 2:
        sys.exit(f"plot_map.py: {options.topology} holds no nodes with coordinates")
    plt.rcParams.update({"font.size": 9, "figure.dpi": 100, "svg.hashsalt": "weir"})
    queues = has_queues(options.results)
    figure, axes = plt.subplots(2 if queues else 1, 1, figsize=(8, 6.0 if queues else 4.0), squeeze=False,
                                height_ratios=[2.4, 1] if queues else [1], layout="constrained")
    draw_map(axes[0, 0], places, read_ports(options.results), figure)
    if queues:
        draw_queues(axes[1, 0], options.results)
    figure.savefig(options.output, metadata={"Date": None} if options.output.endswith(".svg") else None)
    print(options.output)


if __name__ == "__main__":
    main()
