import { h, section } from "./dom.js";
import { setTheme } from "./colours.js";
import { overview, sources } from "./overview.js";
import { network } from "./network.js";
import { series } from "./series.js";
import { distributions } from "./distributions.js";
import { dataTable } from "./table.js";
import { study } from "./study.js";
import { gantt } from "./gantt.js";
import { heat } from "./heat.js";
import { findings } from "./findings.js";

// A run is called after the last part of its folder, with more of it where two are called alike.
function label(items) {
  const parts = items.map((i) => i.folder.replace(/\/+$/, "").split("/"));
  for (let depth = 1; ; depth++) {
    const names = parts.map((p) => p.slice(-depth).join("/"));
    if (new Set(names).size === names.length || parts.every((p) => p.length <= depth)) {
      items.forEach((item, i) => (item.label = names[i] || "/"));
      return;
    }
  }
}

function tables(runs) {
  const blocks = runs.flatMap((run) => run.tables.filter((t) => t.data[0]?.length).map((t) => {
    const name = runs.length > 1 ? `${run.label}: ${t.name}` : t.name;
    return h("details", { open: t.name === "flows" || t.name === "jobs" }, h("summary", {}, `${name} (${t.rows.toLocaleString("en-GB")} rows)`), dataTable(t, { caption: name }).element);
  }));
  return blocks.length ? section("Tables", h("p", { class: "note" }, "Filter by words, or by numbers: goodput_bps > 1e6."), blocks) : null;
}

function main() {
  const data = JSON.parse(document.getElementById("data").textContent);
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  setTheme(dark.matches ? "dark" : "light");
  dark.addEventListener("change", () => setTheme(dark.matches ? "dark" : "light"));
  label(data.items);
  const runs = data.items.filter((i) => i.kind === "run"), studies = data.items.filter((i) => i.kind === "study");
  const name = data.items.map((i) => i.label).join(", ");
  document.title = `${name} – weir report`;
  const sections = [
    runs.length && overview(runs), ...studies.map(study), runs.length && network(runs), runs.length && series(runs),
    runs.length && heat(runs), runs.length && gantt(runs), runs.length && distributions(runs), runs.length && tables(runs), sources(data.items),
  ].filter(Boolean);
  const first = findings(data.items, Object.fromEntries(sections.map((s) => [s.firstChild.textContent, s.id])));
  if (first) sections.unshift(first);
  const theme = h("button", { type: "button", onclick: () => setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark") }, "Light / dark");
  document.getElementById("app").append(
    h("a", { class: "skip", href: `#${sections[0].id}` }, "Skip to the results"),
    h("header", {}, h("h1", {}, name), h("p", {}, `weir ${data.weir} report`), theme),
    h("nav", { "aria-label": "Contents" }, h("ul", {}, sections.map((s) => h("li", {}, h("a", { href: `#${s.id}` }, s.firstChild.textContent))))),
    h("main", {}, sections));
  document.documentElement.dataset.ready = "yes";
}

main();
