// When a surrogate stood in for an interconnect's network: stretches of time, and what decided each switch.
import { h } from "./dom.js";
import { quantity } from "./format.js";

const UNITS = { latency_old_s: "s", latency_new_s: "s", buffered_old_bytes: "B", buffered_new_bytes: "B", packets_per_s: "packets/s" };

// The rows of switches.csv as objects.
function switches(run) {
  const table = (run.tables ?? []).find((t) => t.name === "switches");
  if (!table) return [];
  const names = table.columns.map((c) => c.name);
  return table.data[0].map((_, row) => Object.fromEntries(names.map((name, i) => [name, table.data[i][row]])));
}

// [{from, to}] in seconds; to null: until the end of the run.
export function stretches(run) {
  const out = [];
  for (const s of switches(run)) {
    if (s.to === "surrogate") out.push({ from: Number(s.time_s), to: null });
    else if (out.length && out[out.length - 1].to === null) out[out.length - 1].to = Number(s.time_s);
  }
  return out;
}

const figures = (s) => Object.keys(UNITS).filter((k) => s[k] !== null && s[k] !== undefined && s[k] !== "")
  .map((k) => `${k.replace(/_(s|bytes|per_s)$/, "").replaceAll("_", " ")} ${quantity(Number(s[k]), UNITS[k])}`).join(", ");

// A line for each switch, with its reason and its figures; null where there are none.
export function decisions(runs) {
  const all = runs.flatMap((run) => switches(run).map((s) => ({ s, where: runs.length > 1 ? `${run.label}: ` : "" })));
  if (!all.length) return null;
  return h("details", { class: "decisions", open: all.length <= 12 },
    h("summary", {}, `Shaded: the surrogate stood in for the network (${all.length} switches)`),
    h("ul", {}, all.map(({ s, where }) => h("li", {}, `${where}${quantity(Number(s.time_s), "s")}: to the ${s.to}, ${s.reason}${figures(s) && `; ${figures(s)}`}`))));
}
