// The network: nodes at their places, links coloured by what their ports carried, over the run or at a time.
import { h, newId, note, replace, section, select } from "./dom.js";
import { css, ink, isDark, onTheme, rgb, scale } from "./colours.js";
import { cell, quantity } from "./format.js";
import { savesCanvas } from "./save.js";

const OVERALL = [["utilisation", "load", "utilisation"], ["dropped", "drops", "dropped_packets"], ["queue_max_bytes", "largest queue", "queue_max_bytes"], ["queue_mean_bytes", "mean queue", "queue_mean_bytes"], ["rate_bps", "rate", "rate_bps"], ["down_s", "time that it had failed", "down_s"]];
const FRAMED = { utilisation: "utilisation", dropped: "drops", queue_max_bytes: "queue" };

class Map2d {
  constructor(run) {
    this.run = run;
    this.net = run.network;
    this.frames = run.frames;
    this.metric = "utilisation";
    this.frame = -1; // the whole run
    this.view = { scale: 1, x: 0, y: 0 };
    this.series = new Map((this.frames?.names ?? []).map((name, i) => [name, i]));
    this.canvas = h("canvas", { tabindex: 0, role: "img", "aria-label": "Network map. Arrow keys move it, plus and minus zoom, 0 shows all. The table of ports has the same figures.",
      onkeydown: (e) => this.key(e), onpointerdown: (e) => this.press(e), onpointermove: (e) => this.move(e), onpointerleave: () => this.point(null) });
    this.canvas.addEventListener("wheel", (e) => { if (e.ctrlKey || document.activeElement === this.canvas) { e.preventDefault(); this.zoom(e.deltaY < 0 ? 1.25 : 0.8, e.offsetX, e.offsetY); } }, { passive: false });
    this.told = h("p", { class: "told", role: "status" }, "Point at a link or node.");
    this.box = h("div", { class: "map" }, this.canvas);
    this.legend = h("p", { class: "legend" });
    new ResizeObserver(() => this.draw()).observe(this.box);
    onTheme(() => this.draw());
  }
  values() {
    const framed = FRAMED[this.metric];
    if (this.frame < 0 || !framed) return this.net.values[this.metric];
    const at = this.frames[framed][this.frame];
    return this.net.ports.map((name) => (this.series.has(name) ? at[this.series.get(name)] : null));
  }
  // The end of the colour scale: shares end at 1, everything else at its largest value in all of the run.
  top() {
    if (this.metric === "utilisation") return 1;
    const framed = FRAMED[this.metric];
    const all = this.frame < 0 || !framed ? this.net.values[this.metric] : this.frames[framed].flat();
    return all.reduce((a, b) => Math.max(a, b ?? 0), 0);
  }
  place(i) {
    const { width, height } = this.size;
    const span = Math.min(width - 70, height - 50) / 1000;
    const { x, y } = this.net;
    this.fit ??= { w: Math.max(...x, 1), h: Math.max(...y, 1) };
    const grow = Math.min((width - 110) / this.fit.w, (height - 60) / this.fit.h) || span;
    return [(x[i] - this.fit.w / 2) * grow * this.view.scale + width / 2 + this.view.x, (y[i] - this.fit.h / 2) * grow * this.view.scale + height / 2 + this.view.y];
  }
  draw() {
    const width = this.box.clientWidth, height = Math.min(560, Math.max(300, width * 0.6)), ratio = window.devicePixelRatio || 1;
    if (width < 50) return;
    this.size = { width, height };
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    const c = this.canvas.getContext("2d");
    c.scale(ratio, ratio);
    c.clearRect(0, 0, width, height);
    const { from, to } = this.net, values = this.values(), top = this.top();
    const n = this.net.names.length, thin = n > 400;
    this.at = Array.from({ length: n }, (_, i) => this.place(i));
    const order = from.map((_, e) => e).sort((a, b) => (values[a] ?? -1) - (values[b] ?? -1));
    this.lines = [];
    for (const e of order) {
      const line = this.line(this.at[from[e]], this.at[to[e]], thin ? 1 : 3);
      this.lines.push([e, line]);
      const value = values[e];
      c.lineCap = "round";
      c.setLineDash(value === null ? [3, 4] : []);
      const bright = value === null ? null : scale(top ? value / top : 0).map((v) => (isDark() ? Math.round(v + (255 - v) * 0.18) : Math.round(v * 0.92)));
      c.strokeStyle = bright ? rgb(bright) : css("--grid");
      c.lineWidth = (value === null ? 1 : thin ? 1 + 2 * (value / (top || 1)) : 2 + 4 * (value / (top || 1))) * (e === this.hot ? 1.8 : 1);
      c.beginPath();
      c.moveTo(...line[0]);
      c.lineTo(...line[1]);
      c.stroke();
    }
    c.setLineDash([]);
    this.crosses(c);
    const radius = thin ? 1.5 : 5;
    for (let i = 0; i < n; i++) {
      c.beginPath();
      if (this.net.hosts[i]) c.rect(this.at[i][0] - radius * 0.8, this.at[i][1] - radius * 0.8, radius * 1.6, radius * 1.6);
      else c.arc(...this.at[i], radius, 0, 7);
      c.fillStyle = css("--ink");
      c.fill();
    }
    if (n <= 60 || this.view.scale > 4) this.labels(c, radius);
    const label = OVERALL.find(([m]) => m === this.metric);
    replace(this.legend, `0 `, h("span", { class: "ramp" }), ` ${cell(top, label[2])}: ${label[1]}${this.frame < 0 ? " over the run" : ""}. Of a link's two directions, each stands at the right of its way. `, values.includes(null) && "Dashed: no figure. ", this.net.values.down_s?.some((v) => v > 0) && "Crossed: failed for a time.");
  }
  // A direction is drawn to the right of the way, so that both can be seen.
  line(a, b, off) {
    const dx = b[0] - a[0], dy = b[1] - a[1], length = Math.hypot(dx, dy) || 1;
    const ox = (-dy / length) * off, oy = (dx / length) * off;
    return [[a[0] + ox, a[1] + oy], [b[0] + ox, b[1] + oy]];
  }
  labels(c, radius) {
    c.font = "12px system-ui, sans-serif";
    c.fillStyle = css("--ink");
    c.strokeStyle = css("--card");
    c.lineWidth = 3;
    const taken = [];
    this.at.forEach(([x, y], i) => {
      const name = this.net.names[i].replace(/[\u0000-\u001f\u202a-\u202e\u2066-\u2069]/g, " ").slice(0, 40), w = c.measureText(name).width;
      const left = x + radius + 3 + w > this.size.width ? Math.max(0, x - radius - 3 - w) : x + radius + 3; // within the picture
      const box = [left, y - 7, left + w, y + 7];
      if (taken.some((t) => box[0] < t[2] && t[0] < box[2] && box[1] < t[3] && t[1] < box[3])) return;
      taken.push(box);
      c.strokeText(name, box[0], y + 4);
      c.fillText(name, box[0], y + 4);
    });
  }
  // Links that had failed for a time: a cross in the middle.
  crosses(c) {
    const { from, to, values } = this.net;
    c.strokeStyle = css("--fail");
    c.lineWidth = 2;
    for (let e = 0; e < from.length; e++) {
      if (!(values.down_s?.[e] > 0)) continue;
      const [a, b] = [this.at[from[e]], this.at[to[e]]], x = (a[0] + b[0]) / 2, y = (a[1] + b[1]) / 2;
      c.beginPath();
      for (const [dx, dy] of [[5, 5], [5, -5]]) { c.moveTo(x - dx, y - dy); c.lineTo(x + dx, y + dy); }
      c.stroke();
    }
  }
  point(event) {
    if (!event || !this.at) { this.hot = null; return; }
    const { offsetX: x, offsetY: y } = event;
    const node = this.at.findIndex(([a, b]) => Math.hypot(a - x, b - y) < 8);
    let best = 7, edge = null;
    if (node < 0)
      for (const [e, [a, b]] of this.lines) {
        const d = distance(x, y, a, b);
        if (d <= best) { best = d; edge = e; }
      }
    this.told.textContent = node >= 0 ? `${this.net.names[node]} (${this.net.hosts[node] ? "host" : "router"})` : edge === null ? "Point at a link or node." : this.describe(edge);
    if (edge !== this.hot) { this.hot = edge; this.draw(); }
  }
  describe(e) {
    const now = this.frame >= 0 && FRAMED[this.metric] ? `; at this time ${cell(this.values()[e], OVERALL.find(([m]) => m === this.metric)[2])}` : "";
    const figures = OVERALL.map(([m, name, column]) => `${name} ${cell(this.net.values[m][e], column) || "–"}`).join(", ");
    return `${this.net.names[this.net.from[e]]} → ${this.net.names[this.net.to[e]]}: ${figures}${now}`;
  }
  press(event) {
    this.canvas.focus();
    this.canvas.setPointerCapture(event.pointerId);
    this.grip = [event.offsetX - this.view.x, event.offsetY - this.view.y];
    this.canvas.addEventListener("pointerup", () => (this.grip = null), { once: true });
  }
  move(event) {
    if (!this.grip) return this.point(event);
    this.view.x = event.offsetX - this.grip[0];
    this.view.y = event.offsetY - this.grip[1];
    this.draw();
  }
  zoom(by, x = this.size.width / 2, y = this.size.height / 2) {
    const v = this.view, to = Math.min(40, Math.max(0.5, v.scale * by)), k = to / v.scale;
    v.x = (v.x + this.size.width / 2 - x) * k + x - this.size.width / 2;
    v.y = (v.y + this.size.height / 2 - y) * k + y - this.size.height / 2;
    v.scale = to;
    this.draw();
  }
  key(event) {
    const step = { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] }[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (step) { this.view.x += step[0]; this.view.y += step[1]; this.draw(); }
    else if (event.key === "+" || event.key === "=") this.zoom(1.25);
    else if (event.key === "-") this.zoom(0.8);
    else if (event.key === "0") { this.view = { scale: 1, x: 0, y: 0 }; this.draw(); }
    else return;
    event.preventDefault();
  }
}

function distance(x, y, [ax, ay], [bx, by]) {
  const dx = bx - ax, dy = by - ay;
  const t = Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(x - ax - t * dx, y - ay - t * dy);
}

function slider(map) {
  const times = map.frames.time, id = newId("time");
  const told = h("output", { for: id }, "whole run");
  const input = h("input", { id, type: "range", min: -1, max: times.length - 1, value: -1, step: 1, "aria-valuetext": "whole run" });
  const show = () => {
    map.frame = Number(input.value);
    const text = map.frame < 0 ? "whole run" : `${quantity(map.frame ? times[map.frame - 1] : 0, "s")} to ${quantity(times[map.frame], "s")}`;
    told.textContent = text;
    input.setAttribute("aria-valuetext", text);
    map.draw();
  };
  input.addEventListener("input", show);
  let timer = null;
  const play = h("button", { type: "button", onclick: () => {
    if (timer) { clearInterval(timer); timer = null; play.textContent = "Play"; return; }
    play.textContent = "Stop";
    timer = setInterval(() => { input.value = Number(input.value) + 1 >= times.length ? 0 : Number(input.value) + 1; show(); }, 150);
  } }, "Play");
  return h("span", { class: "field grow" }, h("label", { for: id }, "Time"), input, told, play);
}

export function network(runs) {
  const mapped = runs.filter((r) => r.network);
  const why = runs.map((r) => r.no_network).filter(Boolean);
  if (!mapped.length) return why.length ? section("Network", note(why[0])) : null;
  const holder = h("div");
  const show = (i) => {
    const run = mapped[i], map = new Map2d(run);
    const metrics = OVERALL.filter(([m]) => run.network.values[m].some((v) => v > 0 || (v !== null && m === "utilisation")));
    const sampled = run.frames ? run.network.ports.filter((p) => map.series.has(p)).length : 0;
    replace(holder, h("div", { class: "bar" },
      select("Colour", metrics.map(([m, name]) => [m, name]), "utilisation", (m) => { map.metric = m; map.draw(); }), sampled > 0 && slider(map), savesCanvas(`network ${run.label}`, map.canvas)),
      map.box, map.legend, map.told, note(run.network.how),
      note({ forces: "Places are those of a force-directed layout: distances mean nothing.", tiers: "Hosts stand in the lowest row, switches in tiers above.", groups: "Groups of routers stand on a circle, hosts outside of their router.", geographic: "Places are geographic.", plane: "Places are those of the topology." }[run.network.layout]),
      run.frames && sampled < run.network.ports.length && note(`Over time: the ${sampled} of ${run.network.ports.length} ports that output.ports names; the others have figures of the whole run.`));
  };
  show(0);
  return section("Network", mapped.length > 1 && h("div", { class: "bar" }, select("Run", mapped.map((r, i) => [String(i), r.label]), "0", (v) => show(Number(v)))), holder);
}
