// Studies: a metric over one parameter, a curve for each value of another, with intervals; over two, as a grid of colours.
import { h, note, replace, section, select } from "./dom.js";
import { Chart } from "./chart.js";
import { colour, ink, rgb, scale } from "./colours.js";
import { parse, quantity, unitOf } from "./format.js";
import { dataTable } from "./table.js";

const rowsOf = (table) => {
  const names = table.columns.map((c) => c.name);
  return Array.from({ length: table.data[0]?.length ?? 0 }, (_, r) => Object.fromEntries(names.map((n, i) => [n, table.data[i][r]])));
};

// The unit of a row's metric: its own column, which studies of earlier versions have not.
const unitIs = (row) => (row.unit === "1/s" ? "/s" : row.unit || unitOf(row.metric));

// Parameters stand between the point's number and the metric's name.
function parametersOf(table) {
  const names = table.columns.map((c) => c.name);
  return names.slice(names.indexOf("point") + 1, names.indexOf("metric"));
}

// The values of a parameter in order: by size where they are numbers, else as they come.
function valuesOf(rows, parameter) {
  const values = [...new Set(rows.map((r) => String(r[parameter])))];
  const numbers = new Map(values.map((v) => [v, parse(v)]));
  return [...numbers.values()].every((n) => n !== null) ? { values: values.sort((a, b) => numbers.get(a) - numbers.get(b)), numbers } : { values, numbers: null };
}

// Whether parameters say what another one is: `max` is 3 * min.
function follows(rows, parameter, others) {
  const seen = new Map();
  return rows.every((r) => {
    const key = others.map((p) => String(r[p])).join("\u0001"), value = String(r[parameter]);
    if (!seen.has(key)) seen.set(key, value);
    return seen.get(key) === value;
  });
}

// The parameters that tell a row from others: those that take several values, and do not follow from those before.
function tellers(rows, parameters) {
  const out = [];
  for (const p of parameters)
    if (new Set(rows.map((r) => String(r[p]))).size > 1 && !follows(rows, p, out)) out.push(p);
  return out;
}

// What stands out of a study: where each metric is least and most, what failed, and how sure it is.
export function studied(item) {
  const table = item.tables.find((t) => t.name === "aggregate"), title = `Study ${item.label}`;
  const rows = table ? rowsOf(table) : [], out = [];
  if (!rows.length) return out;
  const by = tellers(rows, parametersOf(table)), at = (r) => by.map((p) => `${p} = ${r[p]}`).join(", ");
  const metrics = [...new Set(rows.map((r) => r.metric))];
  for (const metric of metrics.slice(0, 6)) {
    const some = rows.filter((r) => r.metric === metric && r.mean !== null).sort((a, b) => a.mean - b.mean);
    const least = some[0], most = some.at(-1), told = (r) => quantity(r.mean, unitIs(r));
    if (some.length === 1 || (some.length && least.mean === most.mean)) out.push([`${metric}: ${told(least)}${some.length > 1 ? " everywhere" : ""}.`, title]);
    else if (some.length) out.push([`${metric}: from ${told(least)} (${at(least)}) to ${told(most)} (${at(most)}).`, title]);
  }
  const failed = rows.filter((r) => r.metric === metrics[0]).reduce((n, r) => n + (r.failed ?? 0), 0);
  if (failed > 0) out.push([`${failed.toLocaleString("en-GB")} ${failed === 1 ? "run has" : "runs have"} failed, and ${failed === 1 ? "is" : "are"} in no mean.`, title]);
  const known = rows.filter((r) => r.n > 1 && r.low !== null && r.high !== null), wide = known.filter((r) => r.high - r.low > 0.2 * Math.abs(r.mean));
  if (!known.length) out.push(["One run of each parameter set: there are no intervals.", title]);
  else if (known.every((r) => r.high === r.low)) out.push(["All replications are the same: nothing in the scenario is random, and intervals say nothing.", title]);
  else if (wide.length) out.push([`${wide.length} of ${known.length} intervals ${wide.length === 1 ? "is" : "are"} wider than 10 % of the mean either way: more replications narrow them.`, title]);
  return out;
}

function curve(rows, metric, x, by, showPoint) {
  const { values, numbers } = valuesOf(rows, x);
  const groups = by ? valuesOf(rows, by).values : [""];
  const at = values.map((v, i) => (numbers ? numbers.get(v) : i));
  const data = [at], series = [], intervals = [], points = [];
  groups.forEach((g, k) => {
    const of = values.map((v) => rows.filter((r) => String(r[x]) === v && (!by || String(r[by]) === g)));
    const mean = (key) => of.map((rs) => { const some = rs.map((r) => r[key]).filter((n) => n !== null); return some.length ? some.reduce((a, b) => a + b, 0) / some.length : null; });
    data.push(mean("mean"));
    intervals.push([of.map((rs) => (rs.length === 1 ? rs[0].low : null)), of.map((rs) => (rs.length === 1 ? rs[0].high : null))]);
    points.push(of.map((rs) => rs[0]?.point ?? null));
    series.push({ label: by ? `${by} = ${g}` : metric, stroke: () => colour(k) });
  });
  const ends = intervals.flat(2).concat(data.slice(1).flat()).filter((v) => v !== null && v !== undefined);
  const low = Math.min(...ends), high = Math.max(...ends), room = (high - low || Math.abs(high) || 1) * 0.06;
  const words = numbers ? null : (_, ticks) => ticks.map((t) => (Number.isInteger(t) ? values[t] ?? "" : ""));
  const chart = new Chart({
    figure: { title: metric, style: numbers ? "dots" : "points", x: { label: x, unit: numbers ? unitIn(values[0]) : "" }, y: { unit: rows[0] ? unitIs(rows[0]) : "" } },
    subtitle: `over ${x}`, data, series, intervals, height: 340, yRange: [low - room, high + room], xValues: words,
    hooks: { ready: [(u) => u.over.addEventListener("click", () => {
      const { idx } = u.cursor;
      if (idx === null || idx === undefined) return;
      const near = points.map((p, k) => [p[idx], Math.abs(u.valToPos(data[k + 1][idx] ?? NaN, "y") - u.cursor.top)]).filter(([p, d]) => p !== null && d < 30).sort((a, b) => a[1] - b[1])[0];
      if (near) showPoint(near[0]);
    })] },
  });
  return chart;
}

const unitIn = (text) => (/[kMGTi]?B$/.test(text) ? "B" : /(ps|ns|us|µs|ms|s|min|h)$/.test(text) ? "s" : "");

function grid(rows, metric, x, y, showPoint) {
  const across = valuesOf(rows, x).values, down = valuesOf(rows, y).values;
  const means = rows.map((r) => r.mean).filter((v) => v !== null);
  const low = Math.min(...means), high = Math.max(...means);
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `${metric} over ${x} and ${y}` }, h("table", { class: "heat" },
    h("caption", {}, `${metric}: mean, over ${x} (across) and ${y} (down)`),
    h("thead", {}, h("tr", {}, h("td", {}), across.map((v) => h("th", { scope: "col" }, v)))),
    h("tbody", {}, down.map((w) => h("tr", {}, h("th", { scope: "row" }, w), across.map((v) => {
      const r = rows.find((one) => String(one[x]) === v && String(one[y]) === w);
      if (!r || r.mean === null) return h("td", {}, "–");
      const back = scale(high > low ? (r.mean - low) / (high - low) : 0.5);
      const text = quantity(r.mean, unitIs(r));
      return h("td", {}, h("button", { type: "button", style: `background:${rgb(back)};color:${ink(back)}`, onclick: () => showPoint(r.point), title: `${quantity(r.low, unitIs(r))} to ${quantity(r.high, unitIs(r))}, ${r.n} runs` }, text));
    }))))));
}

export function study(item) {
  const table = item.tables.find((t) => t.name === "aggregate");
  const runs = item.tables.find((t) => t.name === "runs");
  if (!table || !runs) return section(`Study ${item.label}`, note("It has no aggregate.csv: nothing has finished yet."));
  const rows = rowsOf(table), parameters = parametersOf(table), metrics = [...new Set(rows.map((r) => r.metric))];
  const varied = parameters.filter((p) => new Set(rows.map((r) => String(r[p]))).size > 1);
  const state = { metric: metrics[0], x: varied.find((p) => valuesOf(rows, p).numbers) ?? varied[0] ?? parameters[0], by: "", fixed: {} };
  state.by = varied.find((p) => p !== state.x && !follows(rows, p, [state.x])) ?? "";
  const runTable = dataTable(runs, { caption: "runs", label: `runs of ${item.label}`, units: Object.fromEntries(rows.map((r) => [r.metric, unitIs(r)])) });
  const chosen = h("p", { class: "note", role: "status" }, "Click a point, or a cell of the grid, for its runs.");
  const showPoint = (point) => {
    const row = rows.find((r) => r.point === point);
    runTable.filter(`point = ${point}`);
    chosen.textContent = `Runs of the parameter set ${point}: ${parameters.map((p) => `${p} = ${row[p]}`).join(", ")}. They stand in the table below.`;
    runTable.element.scrollIntoView({ behavior: "smooth", block: "nearest" });
  };
  const holder = h("div"), controls = h("div", { class: "bar" });
  let chart = null;
  const draw = () => {
    chart?.remove();
    const others = [];
    for (const p of varied) if (![state.x, state.by].includes(p) && !follows(rows, p, [state.x, state.by, ...others].filter(Boolean))) others.push(p);
    for (const p of others) state.fixed[p] ??= valuesOf(rows, p).values[0];
    const some = rows.filter((r) => r.metric === state.metric && others.every((p) => String(r[p]) === state.fixed[p]));
    const set = (key) => (v) => { state[key] = v; if (key === "x" && state.by === v) state.by = ""; draw(); };
    replace(controls, select("Metric", metrics.map((m) => [m, m]), state.metric, set("metric")),
      parameters.length > 0 && select("Over", parameters.map((p) => [p, p]), state.x, set("x")),
      varied.length > 1 && select("A curve each", [["", "none"], ...varied.filter((p) => p !== state.x).map((p) => [p, p])], state.by, set("by")),
      others.map((p) => select(p, valuesOf(rows, p).values.map((v) => [v, v]), state.fixed[p], (v) => { state.fixed[p] = v; draw(); })));
    chart = curve(some, state.metric, state.x, state.by, showPoint);
    replace(holder, chart.element, state.by && grid(some, state.metric, state.x, state.by, showPoint));
  };
  draw();
  const rest = item.tables.filter((t) => t.name !== "runs").map((t) => h("details", {}, h("summary", {}, `${t.name} (${t.rows.toLocaleString("en-GB")} rows)`), dataTable(t, { label: `${t.name} of ${item.label}` }).element));
  return section(`Study ${item.label}`, controls, note("Means with their confidence intervals (docs/studies.md)."), holder, chosen, runTable.element, rest);
}
