// Time series: a chart a column, zoomed and read together; rows are chosen from a list.
import uPlot from "uplot";
import { h, newId, note, section, select } from "./dom.js";
import { Chart, Group } from "./chart.js";
import { colour, DASHES } from "./colours.js";
import { decisions, stretches } from "./surrogate.js";

const AT_FIRST = 6;

// The tables of one name of all runs: rows [{run, row, label}], columns by name.
function gather(runs, name) {
  const rows = [], columns = new Map();
  const notes = new Set();
  runs.forEach((run, i) => {
    const table = (run.series ?? []).find((t) => t.name === name);
    if (!table) return;
    table.names.forEach((label, r) => rows.push({ run: i, table, r, label: (runs.length > 1 ? `${run.label}: ` : "") + (label || name) }));
    table.columns.forEach((c) => columns.set(c.name, c.units));
    [table.how, table.left_out].forEach((t) => t && notes.add(t));
  });
  return { rows, columns, notes: [...notes] };
}

const valuesOf = (row, column) => {
  const at = row.table.columns.findIndex((c) => c.name === column);
  return at < 0 ? row.table.time.map(() => null) : row.table.values[at][row.r];
};

function dataOf(rows, column) {
  const same = rows.every((r) => r.table.time === rows[0].table.time);
  if (same) return [rows[0].table.time, ...rows.map((r) => valuesOf(r, column))];
  return uPlot.join(rows.map((r) => [r.table.time, valuesOf(r, column)]));
}

function block(runs, name, group) {
  const { rows, columns, notes } = gather(runs, name);
  const isFlat = (column) => rows.every((r) => valuesOf(r, column).every((v) => v === null || v === 0));
  const flat = [...columns.keys()].filter(isFlat);
  const chosen = new Set(rows.slice(0, AT_FIRST));
  const grid = h("div", { class: "grid" });
  const shades = runs.flatMap(stretches);
  let charts = [];
  const draw = () => {
    charts.forEach((c) => c.remove());
    charts = [];
    const some = rows.filter((r) => chosen.has(r));
    if (!some.length) return;
    for (const [column, units] of columns) {
      if (flat.includes(column)) continue;
      const chart = new Chart({
        title: column.replaceAll("_", " ").replace(/ (bps|bytes|s|Bps|per s)$/, ""), subtitle: name, xLabel: "time", xUnit: "s",
        yUnit: { bytes: "B" }[units] ?? units, data: dataOf(some, column), spanGaps: true, shades,
        series: some.map((r) => ({ label: r.label, stroke: () => colour(rows.indexOf(r)), dash: DASHES[Math.floor(rows.indexOf(r) / 8) % 4] })),
      }, group);
      charts.push(chart);
      grid.append(chart.element);
    }
    requestAnimationFrame(() => group.reset());
  };
  const boxes = rows.map((r) => {
    const id = newId("row");
    return h("span", { class: "choice" }, h("input", { type: "checkbox", id, checked: chosen.has(r), onchange: (e) => { e.target.checked ? chosen.add(r) : chosen.delete(r); draw(); } }), h("label", { for: id }, r.label));
  });
  draw();
  return h("div", { class: "block" }, h("h3", {}, name), notes.map(note),
    flat.length > 0 && note(`Without a value, or zero throughout: ${flat.join(", ")}.`),
    rows.length > 1 && h("details", { open: rows.length <= 12 }, h("summary", {}, `Rows: ${rows.length}`), h("div", { class: "choices" }, boxes)), grid);
}

export function series(runs) {
  const names = [...new Set(runs.flatMap((r) => (r.series ?? []).map((t) => t.name)))];
  if (!names.length) return null;
  const group = new Group();
  return section("Time series",
    h("div", { class: "bar" }, h("button", { type: "button", onclick: () => group.reset() }, "Show all of the time"),
      h("button", { type: "button", onclick: () => group.by(0.5, 0) }, "Zoom in"), h("button", { type: "button", onclick: () => group.by(2, 0) }, "Zoom out"),
      h("span", { class: "hint" }, "Drag over a chart to zoom all of them; a double click shows all.")),
    decisions(runs), names.map((name) => block(runs, name, group)));
}
