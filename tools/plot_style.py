"""How the pictures of tools/plot_*.py look."""
import matplotlib.pyplot as plt

COLOURS = ["#0b5fa5", "#d1495b", "#2a9d6f", "#e0a100", "#7a4fa3", "#5c6b73", "#b5651d", "#00a0b0"]
STYLE = {
    "figure.dpi": 110,
    "font.size": 9,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.prop_cycle": plt.cycler(color=COLOURS),
    "legend.frameon": False,
    "svg.hashsalt": "weir",
}
