// Gantt charts of jobs: a row a rank, a bar an operation, from actions.csv.
import { h, note, s, section } from "./dom.js";
import { colour, onTheme } from "./colours.js";
import { quantity, roundTicks } from "./format.js";
import { elementSvg, saves } from "./save.js";

const ROWS = 64, ROW = 14, LEFT = 70, WIDTH = 1180, TOP = 20;
// The rows of actions.csv that have begun and ended, by job.
function bars(run) {
  const table = run.tables.find((t) => t.name === "actions");
  if (!table) return null;
  const at = Object.fromEntries(table.columns.map((c, i) => [c.name, table.data[i]]));
  const jobs = new Map();
  at.rank.forEach((rank, i) => {
    if (at.start_s[i] === null || at.end_s[i] === null || rank >= ROWS) return;
    if (!jobs.has(at.job[i])) jobs.set(at.job[i], []);
    jobs.get(at.job[i]).push({ rank, kind: at.kind[i], name: at.name[i], from: at.start_s[i], to: at.end_s[i] });
  });
  return { jobs, missing: table.rows - table.data[0].length };
}

function chart(title, list) {
  const kinds = [...new Set(list.map((b) => b.kind))].sort((a, b) => (a === "compute" ? -1 : b === "compute" ? 1 : a < b ? -1 : 1));
  const from = list.reduce((t, b) => Math.min(t, b.from), Infinity), to = list.reduce((t, b) => Math.max(t, b.to), 0);
  const ranks = 1 + list.reduce((n, b) => Math.max(n, b.rank), 0), height = TOP + ranks * ROW + 4;
  const x = (t) => LEFT + ((t - from) / (to - from || 1)) * (WIDTH - LEFT - 50);
  const ticks = roundTicks(from, to);
  const svg = s("svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": `${title}: ${ranks} ranks, ${list.length} operations, ${kinds.join(", ")}`, style: "min-width: 640px; width: 100%; font: 11px system-ui, sans-serif" },
    ...ticks.flatMap((t) => [s("line", { x1: x(t), x2: x(t), y1: TOP - 4, y2: height, stroke: "var(--grid)" }),
      s("text", { x: x(t), y: 11, fill: "var(--soft)", "text-anchor": "middle" }, quantity(t, "s"))]),
    ...Array.from({ length: ranks }, (_, r) => r).filter((r) => ranks <= 32 || r % 4 === 0)
      .map((r) => s("text", { x: LEFT - 6, y: TOP + r * ROW + 10, fill: "var(--soft)", "text-anchor": "end" }, `rank ${r}`)),
    // Communication first, lower and behind: what goes on beside a computation is seen below it.
    ...[...list].sort((a, b) => (a.kind === "compute") - (b.kind === "compute")).map((b) => s("rect", {
      x: x(b.from), width: Math.max(0.6, x(b.to) - x(b.from)), y: TOP + b.rank * ROW + (b.kind === "compute" ? 1 : 4),
      height: b.kind === "compute" ? 6 : ROW - 5, "data-kind": kinds.indexOf(b.kind),
    }, s("title", {}, `rank ${b.rank}: ${b.kind}${b.name ? ` ${b.name}` : ""}, ${quantity(b.from, "s")} to ${quantity(b.to, "s")}`))));
  const swatches = kinds.map((kind, i) => h("span", { class: "field" }, h("span", { "data-kind": i, style: "display: inline-block; width: 12px; height: 12px" }), kind));
  const element = h("figure", { class: "chart" }, h("figcaption", {}, title, saves(`job ${title}`, () => elementSvg(svg))), h("div", { class: "legend" }, swatches), h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": `Chart of ${title}` }, svg));
  const paint = () => element.querySelectorAll("[data-kind]").forEach((e) => {
    e.style.fill = e.style.background = colour(Number(e.dataset.kind));
  });
  paint();
  onTheme(paint);
  return element;
}

export function gantt(runs) {
  const charts = runs.flatMap((run) => {
    const found = bars(run);
    return found ? [...found.jobs].map(([job, list]) => [chart(runs.length > 1 ? `${run.label}: ${job}` : job, list),
      found.missing > 0 && note(`${found.missing.toLocaleString("en-GB")} operations of actions.csv are not drawn.`)]) : [];
  });
  return charts.length ? section("Jobs", note(`What each rank did, up to rank ${ROWS - 1}: computations above, communication below.`), charts) : null;
}
