#!/usr/bin/env python3
"""slowdown_by_size.py RESULTS WARMUP_S END_S: slowdown.csv and the classes of summary.json against the flows of flows.csv, sorted.

Rows and counts are exact, means to rounding, quantiles to the 0.4 % that docs/results.md states.
"""

import csv
import json
import math
import sys

SHARES = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "p99.9": 0.999}


def table(name):
    with open(f"{sys.argv[1]}/{name}", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def near(what, got, want, tolerance):
    if not math.isclose(float(got), want, rel_tol=tolerance):
        sys.exit(f"{what}: {got}, want {want}")


def figures(what, got, slowdowns):
    """`got(NAME)` is what weir says."""
    if not slowdowns:
        if any(got(name) not in ("", None) for name in ("mean", *SHARES)):
            sys.exit(f"{what}: a slowdown of no flow")
        return
    slowdowns = sorted(slowdowns)
    near(f"{what} mean", got("mean"), math.fsum(slowdowns) / len(slowdowns), 1e-9)
    for name, share in SHARES.items():
        near(f"{what} {name}", got(name), slowdowns[math.ceil(share * len(slowdowns)) - 1], 0.004)


def main():
    with open(f"{sys.argv[1]}/summary.json", encoding="utf-8") as file:
        summary = json.load(file)
    warmup, end = float(sys.argv[2]), float(sys.argv[3])
    flows = [f for f in table("flows.csv") if warmup <= float(f["start_s"]) <= end and f["size_bytes"]]
    rows, seen = table("slowdown.csv"), 0
    for c in summary["classes"]:
        mine = [f for f in flows if f["class"] == c["name"]]
        done = [float(f["slowdown"]) for f in mine if f["end_s"]]
        counts = c["completed"], c["unfinished"]
        if counts != (len(done), len(mine) - len(done)):
            sys.exit(f"{c['name']}: {counts} completed and unfinished, want {len(done)} of {len(mine)}")
        figures(c["name"], lambda name, c=c: c["slowdown"][name], done)
        of_size = 0
        for row in (r for r in rows if r["class"] == c["name"]):
            over, to = int(row["size_over_bytes"]), int(row["size_to_bytes"] or 2**63)
            inside = [f for f in mine if over < int(f["size_bytes"]) <= to]
            done = [float(f["slowdown"]) for f in inside if f["end_s"]]
            what = f"{c['name']}, sizes over {over}"
            if (int(row["flows"]), int(row["unfinished"])) != (len(done), len(inside) - len(done)):
                sys.exit(f"{what}: {row['flows']} and {row['unfinished']}, want {len(done)} of {len(inside)}")
            everything = over == 0 and not row["size_to_bytes"]
            if row["rejected"] != (str(c.get("rejected", 0)) if everything else ""):
                sys.exit(f"{what}: {row['rejected']} rejected")
            of_size += 0 if everything else len(inside)
            seen += 1
            figures(what, lambda name, row=row: row[f"slowdown_{name}"], done)
            if done:
                near(what, row["slowdown_max"], max(done), 1e-9)
        if of_size != len(mine):
            sys.exit(f"{c['name']}: {of_size} flows in rows of sizes, want {len(mine)}")
    print(f"{seen} rows of {len(flows)} flows agree")


if __name__ == "__main__":
    main()
