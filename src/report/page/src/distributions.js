// Cumulative distributions of what flows and ports came to, and slowdowns by size: one curve a series and run.
import uPlot from "uplot";
import { h, note, section, select } from "./dom.js";
import { Chart } from "./chart.js";
import { colour, DASHES } from "./colours.js";

// Curves given by quantiles, as one table over all of their values.
function join(curves) {
  const x = [...new Set(curves.flatMap((c) => c.x))].sort((a, b) => a - b);
  return [x, ...curves.map((c) => {
    let at = 0;
    let share = 0;
    return x.map((v) => {
      if (v < c.x[0]) return 0;
      while (at < c.x.length && c.x[at] <= v) share = c.y[at++];
      return at >= c.x.length && v > c.x[c.x.length - 1] ? 1 : share;
    });
  })];
}

const positive = (c) => ({ ...c, y: c.y.filter((_, k) => c.x[k] > 0), x: c.x.filter((v) => v > 0) });

function chart(runs, group, figures, logarithmic) {
  const figure = figures[0].figure, steps = figure.style === "step", log = steps ? logarithmic : figure.x.log;
  const curves = figures.flatMap(({ figure: f, run }) => f.series.map((s) => ({ ...(log ? positive(s) : s), run }))).filter((c) => c.x.length > 1);
  if (!curves.length || new Set(curves.flatMap((c) => [c.x[0], c.x.at(-1)])).size < 2) return null; // all the same: nothing to draw
  const names = [...new Set(curves.map((c) => c.name))];
  return new Chart({
    figure: { ...figure, title: group === figure.title ? group : `${group}: ${figure.title}`, x: { ...figure.x, log } }, height: 230, yRange: steps ? [0, 1] : undefined,
    data: steps ? join(curves) : uPlot.join(curves.map((c) => [c.x, c.y])),
    series: curves.map((c) => ({
      label: [runs.length > 1 ? runs[c.run].label : "", c.name || (runs.length > 1 ? "" : "all"), c.n ? `(${c.n.toLocaleString("en-GB")})` : ""].filter(Boolean).join(" "),
      stroke: () => colour(names.length > 1 ? names.indexOf(c.name) : c.run), dash: names.length > 1 ? DASHES[c.run % 4] : [],
    })),
  });
}

export function distributions(runs) {
  const all = new Map();
  runs.forEach((run, i) => run.figures.filter((g) => !g.at).forEach((group) => group.figures.forEach((figure) => {
    if (!all.has(figure.name)) all.set(figure.name, { group: group.name, figures: [] });
    all.get(figure.name).figures.push({ figure, run: i });
  })));
  if (all.size === 0) return null;
  const grid = h("div", { class: "grid" });
  let charts = [];
  const draw = (logarithmic) => {
    charts.forEach((c) => c.remove());
    charts = [...all.values()].map(({ group, figures }) => chart(runs, group, figures, logarithmic)).filter(Boolean);
    grid.append(...charts.map((c) => c.element));
  };
  draw(false);
  return section("Distributions", h("div", { class: "bar" }, select("Scale", [["linear", "linear"], ["log", "logarithmic"]], "linear", (v) => draw(v === "log"))),
    note("Share of flows or ports at or below a value, of all rows; of more than 400 rows, 370 quantiles."), grid);
}
