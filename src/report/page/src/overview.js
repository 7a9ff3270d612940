// What ran, beside each other: figures of summary.json, warnings, digests.
import { h, section } from "./dom.js";
import { cell, quantity } from "./format.js";

const RESULTS = [
  ["Simulated", (s) => (s.done || s.reached_s === s.duration_s ? quantity(s.reached_s, "s") : `${quantity(s.reached_s, "s")} of ${quantity(s.duration_s, "s")}`)],
  ["Warm-up left out", (s) => quantity(s.warmup_s, "s")],
  ["Network", (s) => s.topology && `${quantity(s.topology.nodes, "")} nodes, ${quantity(s.topology.links, "")} links, ${quantity(s.topology.ports, "")} ports`],
];
const HOW = [
  ["Scenario", (s) => s.name], ["Model", (s) => s.model], ["Seed, replication", (s) => `${s.seed}, ${s.run}`],
  ["Engine", (s) => `${s.engine} on ${s.device}${s.engine_because ? `: ${s.engine_because}` : ""}`],
  ["Moved", (s) => s.engine_moves?.map((m) => `after ${quantity(m.wall_s, "s")} to ${m.to.engine}, ${quantity(m.to.events_per_s, "/s")} for ${quantity(m.from.events_per_s, "/s")}`).join("; ")],
  ["Wall time", (s) => `${quantity(s.wall_s, "s")}, and ${quantity(s.setup_wall_s, "s")} of setting up`],
  ["Events", (s) => `${quantity(s.events, "")}, ${quantity(s.events_per_s, "/s")}`],
  ["Packet hops", (s) => s.packet_hops !== undefined && `${quantity(s.packet_hops, "")}, ${quantity(s.packet_hops_per_s, "/s")}`],
  ["Digest of events", (s) => s.event_digest, "code"], ["Digest of state", (s) => s.state_digest, "code"],
  ["weir", (s) => s.weir], ["Command", (s) => s.command, "code"],
];

function warnings(run) {
  const s = run.summary, t = s.topology ?? {};
  return [
    s.partial && `Stopped at ${quantity(s.reached_s, "s")} of ${quantity(s.duration_s, "s")}: all figures are of that part.`,
    s.stopped_in_warmup && "Stopped in the warm-up: totals hold all of it.",
    t.links_with_default_rate > 0 && `${t.links_with_default_rate} of ${t.links} links took a default rate.`,
    t.links_with_default_delay > 0 && `${t.links_with_default_delay} of ${t.links} links took a default delay.`,
    ...(s.fluid?.warnings ?? []).map((w) => (typeof w === "string" ? w : w.text ?? "")),
  ].filter(Boolean);
}

// Other objects of the summary, flat: of models such as kademlia and interconnect.
function flat(value, path, out) {
  for (const [key, v] of Object.entries(value ?? {})) {
    const at = path ? `${path}.${key}` : key;
    if (v && typeof v === "object" && !Array.isArray(v)) flat(v, at, out);
    else if (typeof v === "number" || typeof v === "string" || typeof v === "boolean") out.set(at, v);
  }
  return out;
}
const PLAIN = new Set(["name", "weir", "command", "model", "seed", "run", "engine", "engine_because", "engine_moves", "device", "duration_s", "reached_s", "done", "warmup_s", "partial", "stopped_in_warmup", "event_digest", "state_digest", "events", "packet_hops", "setup_wall_s", "wall_s", "events_per_s", "packet_hops_per_s", "topology", "classes", "memory", "inputs"]);

// "kademlia.lookup_p50_s" as words: without the unit, which stands with the value.
const ofTheory = /_s(?=\.(mean|ci95|theory)$)/; // sojourn_s.mean: the part before has the unit
const columnOf = (key) => key.split(".").at(ofTheory.test(key) ? -2 : -1);
const words = (key) => key.replace(/\.per_s$/, "").replace(/(?<!_per_simulated)_(s|bps|Bps|bytes|packets|per_s)$/, "").replace(ofTheory, "").replaceAll("_", " ").replaceAll(".", ": ");
const heading = ([a, b]) => words(b ? `${a} ${b}` : a);
const kindOf = (c) => [c.protocol, c.fidelity === "packet" ? "" : c.fidelity].filter(Boolean).join(", ");
const classes = (run) => (Array.isArray(run.summary.classes) ? run.summary.classes.map((c) => ({ ...c, kind: kindOf(c) })) : []);
const CLASS = [["kind"], ["flows"], ["arrivals"], ["completed"], ["unfinished"], ["rejected"], ["goodput_bps"], ["loss"], ["rtt_mean_s"], ["completion", "p50_s"], ["completion", "p99_s"], ["delay", "p50_s"], ["delay", "p99_s"], ["retransmissions"], ["timeouts"]];

// A table with a row a figure, a column a run: [label, [value a run], tag].
const facts = (caption, runs, rows) => h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption }, h("table", { class: "facts" },
  h("caption", {}, caption),
  runs.length > 1 && h("thead", {}, h("tr", {}, h("td", {}), runs.map((r) => h("th", { scope: "col" }, r.label)))),
  h("tbody", {}, rows.map(([label, values, tag]) => h("tr", {}, h("th", { scope: "row" }, label), values.map((v) => h("td", {}, tag ? h(tag, {}, v ?? "") : v ?? "")))))));
const told = (v) => v !== undefined && v !== false && v !== null;
const rowsOf = (list, runs) => list.map(([label, f, tag]) => [label, runs.map((r) => f(r.summary)), tag]).filter(([, values]) => values.some(told));

// A row a figure and a column a class where these are few, so that no figure is out of sight; else a row a class.
function classTable(runs) {
  const all = runs.flatMap((r) => classes(r).map((c) => ({ ...c, run: r.label })));
  const used = CLASS.filter(([a, b]) => all.some((c) => told(b ? c[a]?.[b] : c[a]) && (a !== "rejected" || c[a] > 0)));
  const figure = (c, [a, b]) => h("td", { class: "number" }, cell((b ? c[a]?.[b] : c[a]) ?? null, b ?? a));
  const name = (c, scope) => h("th", { scope, class: scope === "col" ? "number" : "" }, runs.length > 1 ? `${c.run}: ${c.name}` : c.name);
  const head = (k, scope) => h("th", { scope, class: scope === "col" ? "number" : "" }, heading(k));
  const few = all.length <= 5;
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "classes of traffic" }, h("table", { class: "classes" }, h("caption", {}, "classes of traffic"),
    h("thead", {}, h("tr", {}, few ? [h("td", {}), all.map((c) => name(c, "col"))] : [h("th", { scope: "col" }, "class"), used.map((k) => head(k, "col"))])),
    h("tbody", {}, few ? used.map((k) => h("tr", {}, head(k, "row"), all.map((c) => figure(c, k)))) : all.map((c) => h("tr", {}, name(c, "row"), used.map((k) => figure(c, k)))))));
}

export function overview(runs) {
  const more = runs.map((r) => flat(Object.fromEntries(Object.entries(r.summary).filter(([k]) => !PLAIN.has(k))), "", new Map()));
  const keys = [...new Set(more.flatMap((m) => [...m.keys()]))];
  const warned = runs.flatMap((r) => warnings(r).map((w) => (runs.length > 1 ? `${r.label}: ${w}` : w)));
  const same = runs.length > 1 && runs.every((r) => r.summary.event_digest === runs[0].summary.event_digest);
  return section("Overview",
    warned.length > 0 && h("ul", { class: "warnings", "aria-label": "Warnings" }, warned.map((w) => h("li", {}, w))),
    same && h("p", { class: "note" }, "These runs handled the same events: their digests are equal."),
    runs.some((r) => classes(r).length) && classTable(runs),
    facts(runs.length > 1 ? "results of the runs" : "results", runs, [...rowsOf(RESULTS, runs),
      ...keys.map((k) => [words(k), more.map((m) => (m.has(k) ? cell(m.get(k), columnOf(k)) : ""))])]));
}

// How it was made: the scenario, its files, the engine, the digests.
export function sources(items) {
  const runs = items.filter((i) => i.kind === "run");
  return section("Scenario", items.map((item) => h("details", { open: items.length === 1 },
    h("summary", {}, `${item.label}: ${item.kind === "study" ? "study.yaml" : "the resolved scenario"}`),
    (item.summary?.inputs ?? []).length > 0 && h("ul", {}, item.summary.inputs.map((i) => h("li", {}, `${i.file ?? ""} `, h("code", {}, i.sha256 ?? "")))),
    h("pre", { tabindex: 0, role: "region", "aria-label": `scenario of ${item.label}` }, item.scenario ?? ""))),
    runs.length > 0 && facts(runs.length > 1 ? "how the runs were made" : "how the run was made", runs, rowsOf(HOW, runs)));
}
