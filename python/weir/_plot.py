"""Figures of a run as matplotlib has them: those that `weir report` and `weir plot` draw, from the same description."""
from __future__ import annotations

import ctypes
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, Sequence

from ._abi import c_void_p, lib, libc
from ._errors import Diag

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Okabe and Ito's, which most eyes tell apart; weir's blue first.
COLOURS = ["#1f5fa8", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a7f00", "#555555"]
CURVES = 8


def _groups(path: Path) -> list[dict[str, Any]]:
    text, diag = c_void_p(), Diag()
    diag.check(lib.weir_report_figures(diag.handle, os.fsencode(path), ctypes.byref(text)))
    found = json.loads(ctypes.string_at(text.value or 0))
    libc.free(text)
    return found


class Plots:
    """`run.plot(name)` draws a figure and gives its `matplotlib.axes.Axes`, for whatever else a paper wants.

    `run.plot.names` lists the figures that the run has data for; queue, throughput, utilisation, cwnd, completion and slowdown
    are calls of their own. Axes: seconds, bytes, bits per second, shares from 0 to 1.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._figures: Optional[dict[str, tuple[dict[str, Any], dict[str, Any]]]] = None

    def _all(self) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
        if self._figures is None:
            self._figures = {figure["name"]: (figure, group) for group in _groups(self._path) for figure in group["figures"]}
        return self._figures

    @property
    def names(self) -> list[str]:
        """Names of the figures, as `weir plot` has them: "series-ports-queue_bytes", "cdf-flows-completion_s", ..."""
        return list(self._all())

    def __call__(self, name: str, rows: Optional[Sequence[str]] = None, ax: "Optional[Axes]" = None) -> "Axes":
        """Draw the figure `name` into `ax`, or a figure of its own.

        rows    the curves that are wanted, by their names or the ends of these (a flow's is "3 bulk a->b"), or the name of one;
                without them the eight that have most in them.
        """
        try:
            import matplotlib.pyplot as plt
            from matplotlib.ticker import EngFormatter
        except ImportError:
            raise ImportError("a figure needs matplotlib: install python3-matplotlib or `pip install matplotlib`") from None
        if name not in self._all():
            raise KeyError(f"{self._path} has no figure {name!r}; it has {', '.join(self._all()) or 'none'}")
        figure, group = self._all()[name]
        if ax is None:
            ax = plt.subplots(layout="constrained")[1]
        for i, series in enumerate(_chosen(figure["series"], rows)):
            x, y = series.get("x", group.get("at")), series["y"]
            y = [float("nan") if v is None else v for v in y]
            draw = {"drawstyle": "steps-post"} if figure["style"] == "step" else {"marker": "o"} if figure["style"] == "dots" else {}
            ax.plot(x, y, label=series["name"] or None, color=COLOURS[i % len(COLOURS)], linewidth=1.2, **draw)
        for axis, set_label, about in ((ax.xaxis, ax.set_xlabel, figure["x"]), (ax.yaxis, ax.set_ylabel, figure["y"])):
            if about["log"]:
                axis.axes.set_xscale("log") if axis is ax.xaxis else axis.axes.set_yscale("log")
            if about["unit"] in ("s", "B", "bit/s", "B/s", "/s", "packets"):
                axis.set_major_formatter(EngFormatter("" if about["unit"] == "packets" else about["unit"]))
            set_label(about["label"])
        if not figure["y"]["log"]:
            ax.set_ylim(bottom=0)
        if any(series["name"] for series in figure["series"]):
            ax.legend(frameon=False, fontsize="small")
        return ax

    def queue(self, ports: Optional[Sequence[str]] = None, ax: "Optional[Axes]" = None) -> "Axes":
        """What stands in ports' queues, in bytes, over time in seconds (`output.ports`)."""
        return self("series-ports-queue_bytes", ports, ax)

    def throughput(self, ports: Optional[Sequence[str]] = None, ax: "Optional[Axes]" = None) -> "Axes":
        """What ports sent, in bits per second, over time in seconds (`output.ports`)."""
        return self("series-ports-throughput_bps", ports, ax)

    def utilisation(self, ports: Optional[Sequence[str]] = None, ax: "Optional[Axes]" = None) -> "Axes":
        """The share of the links' rate that ports sent, over time in seconds (`output.ports`)."""
        return self("series-ports-utilisation", ports, ax)

    def cwnd(self, flows: Optional[Sequence[str]] = None, ax: "Optional[Axes]" = None) -> "Axes":
        """Congestion windows, in bytes, over time in seconds (`output.cwnd`)."""
        return self("series-flows-cwnd_bytes", flows, ax)

    def completion(self, classes: Optional[Sequence[str]] = None, ax: "Optional[Axes]" = None) -> "Axes":
        """The share of flows that took at most so many seconds, a curve a class."""
        return self("cdf-flows-completion_s", classes, ax)

    def slowdown(self, curves: Optional[Sequence[str]] = None, ax: "Optional[Axes]" = None) -> "Axes":
        """Slowdown over the size of flows in bytes: p50, p95 and p99 of each class."""
        return self("slowdown", curves, ax)


def _chosen(series: list[dict[str, Any]], rows: Optional[Sequence[str]]) -> list[dict[str, Any]]:
    if rows is not None:
        rows = [rows] if isinstance(rows, str) else rows
        found = [one for row in rows for one in series if one["name"] == row or one["name"].endswith(" " + row)]
        missing = [row for row in rows if not any(one["name"] == row or one["name"].endswith(" " + row) for one in series)]
        if missing:
            raise KeyError(f"no curve {missing[0]!r}; there are {', '.join(one['name'] for one in series)}")
        return found
    most = sorted(series, key=lambda one: -sum(abs(v) for v in one["y"] if v is not None))[:CURVES]
    return [one for one in series if any(one is other for other in most)]
