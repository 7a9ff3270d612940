// Queues over ports and time: a row a port, those with the longest queues; a cell the largest queue of a stretch.
import { h, note, s, section, select, replace } from "./dom.js";
import { rgb, scale } from "./colours.js";
import { cell, quantity, roundTicks } from "./format.js";
import { elementSvg, saves } from "./save.js";

const ROWS = 40, ROW = 15, LEFT = 190, WIDTH = 1180, TOP = 20;
const KINDS = [["queue", "largest queue", "queue_max_bytes"], ["utilisation", "load", "utilisation"], ["drops", "drops", "dropped_packets"]];

function chart(run, kind, title, column) {
  const { time, names } = run.frames, frames = run.frames[kind];
  const most = names.map((_, p) => frames.reduce((m, f) => Math.max(m, f[p] ?? 0), 0)), top = Math.max(...most);
  const sum = names.map((_, p) => frames.reduce((a, f) => a + (f[p] ?? 0), 0));
  const rows = names.map((_, p) => p).filter((p) => most[p] > 0).sort((a, b) => most[b] - most[a] || sum[b] - sum[a]).slice(0, ROWS);
  if (!rows.length) return note(`No ${title} anywhere.`);
  const end = time[time.length - 1], height = TOP + rows.length * ROW + 4, x = (t) => LEFT + (t / end) * (WIDTH - LEFT - 40);
  const short = (name) => (name.length > 26 ? `${name.slice(0, 25)}…` : name);
  const svg = s("svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": `${title} of ${rows.length} ports over time, at most ${cell(top, column)}`, style: "min-width: 640px; width: 100%; font: 11px system-ui, sans-serif" },
    ...roundTicks(0, end).map((t) => s("text", { x: x(t), y: 11, fill: "var(--soft)", "text-anchor": "middle" }, quantity(t, "s"))),
    ...rows.flatMap((p, r) => [s("text", { x: LEFT - 6, y: TOP + r * ROW + 11, fill: "var(--soft)", "text-anchor": "end" }, short(names[p])),
      ...frames.map((f, i) => (f[p] > 0 ? s("rect", { x: x(i ? time[i - 1] : 0).toFixed(1), width: (x(time[i]) - x(i ? time[i - 1] : 0) + 0.3).toFixed(1), y: TOP + r * ROW, height: ROW - 1, fill: rgb(scale(f[p] / top)) },
        s("title", {}, `${names[p]}, until ${quantity(time[i], "s")}: ${cell(f[p], column)}`)) : null)).filter(Boolean)]));
  return h("figure", { class: "chart" }, h("figcaption", {}, h("span", {}, `${title} over ports and time`, h("small", {}, rows.length === ROWS ? ` the ${ROWS} ports with most` : "")), saves(`${title} over time`, () => elementSvg(svg))),
    h("div", { class: "legend" }, "0 ", h("span", { class: "ramp" }), ` ${cell(top, column)}`),
    h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": `Heat map of ${title}` }, svg));
}

export function heat(runs) {
  const framed = runs.filter((r) => r.frames && r.frames.names.length > 3 && r.frames.time.length > 1);
  if (!framed.length) return null;
  return section("Ports over time", framed.map((run) => {
    const holder = h("div"), show = (kind) => replace(holder, chart(run, ...KINDS.find(([k]) => k === kind)));
    show("queue");
    return [framed.length > 1 && h("h3", {}, run.label), h("div", { class: "bar" }, select("Shows", KINDS.map(([k, t]) => [k, t]), "queue", show)), holder];
  }));
}
