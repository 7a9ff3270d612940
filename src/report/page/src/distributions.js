// Cumulative distributions of what flows and ports came to: one curve a class and run.
import { h, section, select } from "./dom.js";
import { Chart } from "./chart.js";
import { colour, DASHES } from "./colours.js";
import { title, unitOf } from "./format.js";

// Curves given by quantiles, as one table over all of their values.
function join(curves) {
  const x = [...new Set(curves.flatMap((c) => c.x))].sort((a, b) => a - b);
  return [x, ...curves.map((c) => {
    let at = 0;
    let share = 0;
    return x.map((v) => {
      if (v < c.x[0]) return 0;
      while (at < c.x.length && c.x[at] <= v) share = c.q[at++];
      return at >= c.x.length && v > c.x[c.x.length - 1] ? 1 : share;
    });
  })];
}

// Tables that are distributions themselves: latency.csv, hops.csv, requests.csv.
function counted(table) {
  const names = table.columns.map((c) => c.name);
  const share = names.indexOf("cumulative_share");
  if (share < 0) return null;
  const at = names.includes("to_s") ? names.indexOf("to_s") : 0;
  const x = [], q = [];
  table.data[share].forEach((s, r) => { if (s !== null) { x.push(table.data[at][r]); q.push(s); } });
  return { column: names[at] === "to_s" ? `${table.name}_s` : names[at], group: "", n: null, x, q };
}

export function distributions(runs) {
  const all = new Map();
  runs.forEach((run, i) => run.tables.forEach((table) => {
    const own = counted(table);
    for (const one of own ? [own] : table.cdf ?? []) {
      const key = `${table.name}: ${title(one.column)}`;
      if (!all.has(key)) all.set(key, { column: one.column, curves: [] });
      all.get(key).curves.push({ ...one, run: i });
    }
  }));
  if (all.size === 0) return null;
  let logarithmic = false;
  const grid = h("div", { class: "grid" });
  let charts = [];
  const draw = () => {
    charts.forEach((c) => c.remove());
    charts = [];
    for (const [name, { column, curves }] of all) {
      const kept = curves.map((c) => (logarithmic ? { ...c, q: c.q.filter((_, k) => c.x[k] > 0), x: c.x.filter((v) => v > 0) } : c)).filter((c) => c.x.length > 1);
      if (!kept.length) continue;
      const groups = [...new Set(kept.map((c) => c.group))];
      const chart = new Chart({
        title: name, xLabel: title(column), xUnit: unitOf(column), yUnit: "", log: logarithmic, height: 230, yRange: [0, 1],
        data: join(kept), series: kept.map((c) => ({
          label: [runs.length > 1 ? runs[c.run].label : "", c.group, c.n ? `(${c.n.toLocaleString("en-GB")})` : ""].filter(Boolean).join(" ") || "share",
          stroke: () => colour(groups.length > 1 ? groups.indexOf(c.group) : c.run), dash: groups.length > 1 ? DASHES[c.run % 4] : [], steps: true,
        })),
      });
      charts.push(chart);
      grid.append(chart.element);
    }
  };
  draw();
  return section("Distributions", h("div", { class: "bar" }, select("Scale", [["linear", "linear"], ["log", "logarithmic"]], "linear", (v) => { logarithmic = v === "log"; draw(); })),
    h("p", { class: "note" }, "Share of flows or ports at or below a value, of all rows; of more than 400 rows, 370 quantiles."), grid);
}
