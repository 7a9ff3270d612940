// Figures as files: a chart as SVG, whatever is SVG or a canvas as PNG.
import { h } from "./dom.js";
import { css } from "./colours.js";

const FONT = "12px sans-serif", ROW = 16;
const escaped = (text) => String(text).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`).replace(/[\u0000-\u001f\ufffe\uffff]/g, "?");
const one = (v) => v.toFixed(1);
const text = (x, y, anchor, words, more = "") => `<text x="${one(x)}" y="${one(y)}" text-anchor="${anchor}" ${more}>${escaped(words)}</text>`;

// The corners of a curve between the gaps of its data.
function path(u, k, style, x0, y0) {
  let d = "", last = null;
  u.data[0].forEach((v, i) => {
    const value = u.data[k][i];
    if (value === null || value === undefined || v < u.scales.x.min || v > u.scales.x.max) { if (style === "step") last = null; return; }
    const x = x0 + u.valToPos(v, "x"), y = y0 + u.valToPos(value, "y");
    d += last === null ? `M${one(x)} ${one(y)}` : style === "step" ? `H${one(x)}V${one(y)}` : `L${one(x)} ${one(y)}`;
    last = y;
  });
  return d;
}

function dots(u, k, colour, x0, y0) {
  return u.data[0].map((v, i) => (u.data[k][i] === null || u.data[k][i] === undefined ? "" : `<circle cx="${one(x0 + u.valToPos(v, "x"))}" cy="${one(y0 + u.valToPos(u.data[k][i], "y"))}" r="3" fill="${colour}"/>`)).join("");
}

function bars(u, intervals, k, colour, x0, y0) {
  if (!intervals) return "";
  const [low, high] = intervals[k];
  return u.data[0].map((v, i) => {
    if (low[i] === null || high[i] === null || low[i] === undefined) return "";
    const x = x0 + u.valToPos(v, "x"), a = y0 + u.valToPos(low[i], "y"), b = y0 + u.valToPos(high[i], "y");
    return `<path stroke="${colour}" d="M${one(x - 4)} ${one(a)}h8M${one(x)} ${one(a)}V${one(b)}M${one(x - 4)} ${one(b)}h8"/>`;
  }).join("");
}

// A Chart as it is zoomed now, on white, in the colours that it has.
export function chartSvg({ plot: u, spec }) {
  const ratio = u.pxRatio ?? window.devicePixelRatio ?? 1, { figure, series, intervals } = spec;
  const x0 = u.bbox.left / ratio, y0 = u.bbox.top / ratio + 24, w = u.bbox.width / ratio, tall = u.bbox.height / ratio, below = y0 + tall;
  const shown = series.map((s, i) => [s, i + 1]).filter(([, k]) => u.series[k].show);
  const width = u.width, height = below + 50 + ROW * shown.length;
  const [across, up] = u.axes, ticks = (axis, f) => (axis._splits ?? []).map((v, i) => (v === null ? "" : f(v, axis._values?.[i] ?? ""))).join("");
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${Math.ceil(height)}" font-family="sans-serif" style="font:${FONT}"><rect width="100%" height="100%" fill="${css("--card")}"/><g fill="${css("--ink")}">${
    text(x0, 16, "start", `${figure.title}${spec.subtitle ? `: ${spec.subtitle}` : ""}`, 'font-weight="bold"')}${
    ticks(across, (v, label) => { const x = x0 + u.valToPos(v, "x"); return x < x0 - 1 || x > x0 + w + 1 ? "" : `<path stroke="${css("--grid")}" d="M${one(x)} ${one(y0)}V${one(below)}"/>${text(x, below + 16, "middle", label)}`; })}${
    ticks(up, (v, label) => { const y = y0 + u.valToPos(v, "y"); return y < y0 - 1 || y > below + 1 ? "" : `<path stroke="${css("--grid")}" d="M${one(x0)} ${one(y)}H${one(x0 + w)}"/>${text(x0 - 6, y + 4, "end", label)}`; })}${
    text(x0 + w / 2, below + 34, "middle", figure.x.label)}${
    shown.map(([s], row) => text(x0 + 34, below + 54 + ROW * row, "start", s.label)).join("")}</g><g fill="none" stroke-width="1.5">${
    shown.map(([s, k], row) => {
      const colour = s.stroke(), look = `stroke="${colour}"${s.dash?.length ? ` stroke-dasharray="${s.dash.join(" ")}"` : ""}`;
      return `${figure.style === "points" ? "" : `<path ${look} d="${path(u, k, figure.style, x0, y0)}"/>`}${figure.style === "dots" || figure.style === "points" ? dots(u, k, colour, x0, y0) : ""}${bars(u, intervals, k - 1, colour, x0, y0)}<path ${look} d="M${one(x0)} ${one(below + 50 + ROW * row)}h26"/>`;
    }).join("")}</g></svg>`;
}

// An SVG element of the page, whose colours are the page's variables.
export function elementSvg(svg) {
  const copy = svg.cloneNode(true), [, , width, height] = svg.getAttribute("viewBox").split(" ");
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  return new XMLSerializer().serializeToString(copy).replace(/var\((--[a-z-]+)\)/g, (_, name) => css(name));
}

function hand(blob, name) {
  const url = URL.createObjectURL(blob), link = h("a", { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

async function png(svg, name) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = 2 * image.width;
  canvas.height = 2 * image.height;
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => hand(blob, `${name}.png`));
}

const file = (title) => title.replace(/[^\w.-]+/g, "-").replace(/^-+|-+$/g, "") || "figure";
const button = (what, title, onclick) => h("button", { type: "button", "aria-label": `${title} as ${what}`, onclick }, what);

// Buttons that save a figure; `make` gives its SVG.
export const saves = (title, make) => h("span", { class: "save" },
  button("SVG", title, () => hand(new Blob([make()], { type: "image/svg+xml" }), `${file(title)}.svg`)),
  button("PNG", title, () => png(make(), file(title))));
export const savesCanvas = (title, canvas) => h("span", { class: "save" }, button("PNG", title, () => canvas.toBlob((blob) => hand(blob, `${file(title)}.png`))));
