"""Figures by matplotlib: the curves are those of the tables and series."""
import numpy as np
import pytest

import weir

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("agg")
import matplotlib.pyplot as plt


@pytest.fixture
def run(small):
    yield weir.run(small)
    plt.close("all")


def test_queues_are_the_series(run):
    ax = run.plot.queue(["left->right"])
    series = run.series()
    assert len(ax.lines) == 1 and ax.lines[0].get_label() == "left->right"
    assert np.allclose(ax.lines[0].get_xdata(), series.time_s)
    assert np.allclose(ax.lines[0].get_ydata(), series["queue_bytes"][:, 0])
    assert ax.get_xlabel() == "time" and ax.get_ylabel() == "queue" and ax.get_ylim()[0] == 0
    assert len(run.plot.queue("left->right").lines) == 1
    with pytest.raises(KeyError, match="left->right"):
        run.plot.queue(["right"])


def test_names_and_axes_of_ones_own(run):
    assert {"series-ports-queue_bytes", "series-flows-cwnd_bytes", "cdf-flows-goodput_bps"} <= set(run.plot.names)
    figure, axes = plt.subplots(1, 2)
    assert run.plot.cwnd(ax=axes[0]) is axes[0] and len(axes[0].lines) == 2
    assert run.plot("cdf-flows-goodput_bps", ax=axes[1]) is axes[1]
    with pytest.raises(KeyError, match="cdf-flows-goodput_bps"):
        run.plot("cdf-flows-goodput")


def test_what_is_no_folder(small):
    with pytest.raises(FileNotFoundError):
        weir.run(small, output=False).plot
