// Time series: a chart a figure, zoomed and read together; rows are chosen from a list.
import uPlot from "uplot";
import { h, newId, note, section } from "./dom.js";
import { Chart, Group } from "./chart.js";
import { colour, DASHES } from "./colours.js";
import { decisions, stretches } from "./surrogate.js";

const AT_FIRST = 6;

// The groups of one name of all runs: rows [{group, r, label}], figures by name.
function gather(runs, name) {
  const rows = [], figures = new Map(), notes = new Set(), flat = new Set();
  for (const run of runs) {
    const group = run.figures.find((g) => g.at && g.name === name);
    if (!group) continue;
    group.figures.forEach((f) => figures.has(f.name) || figures.set(f.name, f));
    (group.figures[0]?.series ?? []).forEach((s, r) => rows.push({ group, r, label: (runs.length > 1 ? `${run.label}: ` : "") + (s.name || name) }));
    group.notes.forEach((n) => notes.add(n));
    group.flat.forEach((f) => flat.add(f));
  }
  return { rows, figures: [...figures.values()], notes: [...notes], flat: [...flat] };
}

const valuesOf = (row, name) => row.group.figures.find((f) => f.name === name)?.series[row.r].y ?? row.group.at.map(() => null);

function dataOf(rows, name) {
  if (rows.every((r) => r.group === rows[0].group)) return [rows[0].group.at, ...rows.map((r) => valuesOf(r, name))];
  return uPlot.join(rows.map((r) => [r.group.at, valuesOf(r, name)]));
}

function block(runs, name, group) {
  const { rows, figures, notes, flat } = gather(runs, name);
  // Those with most in them, by the first figure: the queue of a port, the window of a flow.
  const most = new Map(rows.map((r) => [r, figures.length ? valuesOf(r, figures[0].name).reduce((a, v) => a + Math.abs(v ?? 0), 0) : 0]));
  const chosen = new Set([...rows].sort((a, b) => most.get(b) - most.get(a)).slice(0, AT_FIRST));
  const grid = h("div", { class: "grid" });
  const shades = runs.flatMap(stretches);
  let charts = [];
  const draw = () => {
    charts.forEach((c) => c.remove());
    const some = rows.filter((r) => chosen.has(r));
    charts = (some.length ? figures : []).map((figure) => new Chart({
      figure, subtitle: name, data: dataOf(some, figure.name), shades,
      series: some.map((r, i) => ({ label: r.label, stroke: () => colour(i), dash: DASHES[Math.floor(i / 8) % 4] })),
    }, group));
    grid.append(...charts.map((c) => c.element));
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
  const names = [...new Set(runs.flatMap((r) => r.figures.filter((g) => g.at).map((g) => g.name)))];
  if (!names.length) return null;
  const group = new Group();
  return section("Time series",
    h("div", { class: "bar" }, h("button", { type: "button", onclick: () => group.reset() }, "Show all of the time"),
      h("button", { type: "button", onclick: () => group.by(0.5, 0) }, "Zoom in"), h("button", { type: "button", onclick: () => group.by(2, 0) }, "Zoom out"),
      h("span", { class: "hint" }, "Drag over a chart to zoom all of them; a double click shows all.")),
    decisions(runs), names.map((name) => block(runs, name, group)));
}
