// Line charts: uPlot with our colours, a table-like legend, keyboard, and zooms that move together in a group.
import uPlot from "uplot";
import { h, newId } from "./dom.js";
import { css, onTheme } from "./colours.js";
import { cell, quantity, SHARES } from "./format.js";
import { chartSvg, saves } from "./save.js";

const charts = new Set();
// Room for the longest tick, and no less than the others of its column have.
const room = (_, ticks) => Math.max(78, 20 + 7 * Math.max(0, ...(ticks ?? []).map((t) => String(t).length)));
const shown = (of) => SHARES.has(of.label) || /share$/.test(of.label);
// A share that stays what it is stands between none and all.
const around = (_, low, high) => (low === high && low >= 0 && high <= 1 ? [0, 1] : uPlot.rangeNum(low, high, 0.1, true));
onTheme(() => charts.forEach((c) => c.redraw()));
const resized = new ResizeObserver((entries) => entries.forEach((e) => e.target.chart?.resize()));

// Charts of a group share their x axis: cursor and zoom.
export class Group {
  constructor() {
    this.members = new Set();
    this.key = newId("sync");
    this.moving = false;
  }
  zoom(min, max) {
    if (this.moving) return;
    this.moving = true;
    this.members.forEach((c) => c.plot?.setScale("x", { min, max }));
    this.moving = false;
  }
  reset() {
    const extents = [...this.members].filter((c) => c.plot).map((c) => c.extent());
    if (extents.length) this.zoom(Math.min(...extents.map((e) => e[0])), Math.max(...extents.map((e) => e[1])));
  }
  by(factor, shift) {
    const first = [...this.members].find((c) => c.plot);
    if (!first) return;
    const { min, max } = first.plot.scales.x;
    const middle = (min + max) / 2 + shift * (max - min);
    const half = ((max - min) / 2) * factor;
    this.zoom(middle - half, middle + half);
  }
}

// Stretches of the x axis, behind the curves: [{from, to}]; `to` null: to the end.
function shade(u, shades) {
  if (!shades?.length) return;
  u.ctx.save();
  u.ctx.globalAlpha = 0.16;
  u.ctx.fillStyle = css("--accent");
  for (const s of shades) {
    const from = Math.max(u.bbox.left, u.valToPos(s.from, "x", true));
    const to = Math.min(u.bbox.left + u.bbox.width, s.to === null ? Infinity : u.valToPos(s.to, "x", true));
    if (to > from) u.ctx.fillRect(from, u.bbox.top, to - from, u.bbox.height);
  }
  u.ctx.restore();
}

// Intervals as bars through the points.
function bars(u, { intervals, series }) {
  u.ctx.save();
  intervals?.forEach(([lows, highs], k) => {
    u.ctx.strokeStyle = series[k].stroke();
    u.ctx.lineWidth = window.devicePixelRatio || 1;
    u.data[0].forEach((v, i) => {
      if (lows[i] === null || highs[i] === null || !u.series[k + 1].show) return;
      const px = u.valToPos(v, "x", true), a = u.valToPos(lows[i], "y", true), b = u.valToPos(highs[i], "y", true), w = 4 * u.ctx.lineWidth;
      u.ctx.beginPath();
      for (const [x0, y0, x1, y1] of [[px, a, px, b], [px - w, a, px + w, a], [px - w, b, px + w, b]]) { u.ctx.moveTo(x0, y0); u.ctx.lineTo(x1, y1); }
      u.ctx.stroke();
    });
  });
  u.ctx.restore();
}

// {figure, data: [x, ...y], series: [{label, stroke(), dash}], intervals: [[low, high] a series], subtitle, height, yRange, xValues, shades, hooks}: a figure as
// report/figures.h has it, with data for these curves instead of its own series.
export class Chart {
  constructor(spec, group = null) {
    this.spec = spec;
    this.group = group;
    this.plot = null;
    this.box = h("div", {
      class: "plot", tabindex: 0, role: "group", "aria-label": `${spec.figure.title}. Arrow keys move, plus and minus zoom, 0 shows all.`,
      onkeydown: (e) => this.key(e),
    });
    this.box.chart = this;
    this.element = h("figure", { class: "chart" }, h("figcaption", {}, h("span", {}, spec.figure.title, spec.subtitle && h("small", {}, ` ${spec.subtitle}`)), saves([spec.subtitle, spec.figure.title].filter(Boolean).join(" "), () => chartSvg(this))), this.box);
    charts.add(this);
    group?.members.add(this);
    resized.observe(this.box);
  }
  remove() {
    this.plot?.destroy();
    charts.delete(this);
    this.group?.members.delete(this);
    resized.unobserve(this.box);
    this.element.remove();
  }
  extent() {
    const x = this.spec.data[0];
    return [x[0], x[x.length - 1]];
  }
  resize() {
    const width = Math.floor(this.box.clientWidth);
    if (width < 50) return;
    if (!this.plot) this.draw(width);
    else if (Math.abs(this.plot.width - width) > 1) this.plot.setSize({ width, height: this.spec.height ?? 240 });
  }
  redraw() {
    if (!this.plot) return;
    const { min, max } = this.plot.scales.x;
    this.plot.destroy();
    this.draw(Math.floor(this.box.clientWidth));
    this.plot.setScale("x", { min, max });
  }
  draw(width) {
    const s = this.spec, { title, style, x, y } = s.figure;
    const axis = { stroke: css("--ink"), grid: { stroke: css("--grid"), width: 1 }, ticks: { stroke: css("--grid"), width: 1 }, font: "12px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif" };
    const told = (v, of) => (shown(of) ? cell(v, "utilisation") : quantity(v, of.unit));
    const values = (of) => (_, ticks) => ticks.map((v) => (v === null || v === undefined ? "" : told(v, of)));
    const options = {
      width, height: s.height ?? 240,
      scales: { x: { time: false, distr: x.log ? 3 : 1 }, y: { distr: y.log ? 3 : 1, range: s.yRange ?? (shown(y) && !y.log ? around : undefined) } },
      axes: [{ ...axis, label: x.label, labelSize: 20, values: s.xValues ?? values(x), space: 70 }, { ...axis, size: room, values: values(y) }],
      series: [{ label: x.label, value: (_, v) => told(v, x) }, ...s.series.map((one) => ({
        label: one.label, stroke: one.stroke, dash: one.dash, width: 1.5, spanGaps: style !== "step",
        points: { show: style === "dots" || style === "points", size: style === "points" ? 9 : 6 }, paths: style === "step" ? uPlot.paths.stepped({ align: 1 }) : style === "points" ? () => null : undefined,
        value: (_, v) => told(v, y),
      }))],
      cursor: { sync: this.group ? { key: this.group.key } : undefined, drag: { x: true, y: false } },
      legend: { live: true },
      hooks: {
        setScale: [(_, key) => key === "x" && this.plot && this.group?.zoom(this.plot.scales.x.min, this.plot.scales.x.max)],
        drawClear: [(u) => shade(u, s.shades)],
        draw: [(u) => bars(u, s)],
        ready: [(u) => u.over.addEventListener("dblclick", () => this.group?.reset())],
        ...s.hooks,
      },
    };
    this.plot = new uPlot(options, s.data, this.box);
    const legend = this.plot.root.querySelector(".u-legend"); // it scrolls where there are many curves
    legend.tabIndex = 0;
    legend.setAttribute("aria-label", `Curves of ${title}`);
    this.plot.ctx.canvas.setAttribute("role", "img");
    this.plot.ctx.canvas.setAttribute("aria-label", `${title}: ${s.series.map((x) => x.label).slice(0, 8).join(", ")}`);
  }
  key(event) {
    const moves = { ArrowLeft: [1, -0.2], ArrowRight: [1, 0.2], "+": [0.5, 0], "=": [0.5, 0], "-": [2, 0] };
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = this.group ?? Object.assign(new Group(), { members: new Set([this]) });
    if (event.key === "0") target.reset();
    else if (moves[event.key]) target.by(...moves[event.key]);
    else return;
    event.preventDefault();
  }
}
