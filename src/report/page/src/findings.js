// What stands out, in sentences: each with its number, and a link to the figure that shows it.
import { h, section } from "./dom.js";
import { cell, quantity } from "./format.js";
import { studied } from "./study.js";

const count = (n, word) => `${n.toLocaleString("en-GB")} ${word}${n === 1 ? "" : "s"}`;
const share = (part, whole) => (whole > 0 ? cell(part / whole, "loss") : "");

// A table's rows as objects; none where the run has no such table.
function rowsOf(run, name) {
  const table = run.tables.find((t) => t.name === name);
  if (!table) return [];
  return Array.from({ length: table.data[0]?.length ?? 0 }, (_, r) => Object.fromEntries(table.columns.map((c, i) => [c.name, table.data[i][r]])));
}

const largest = (rows, column, n) => [...rows].filter((r) => r[column] > 0).sort((a, b) => b[column] - a[column]).slice(0, n);

function busiest(ports) {
  const list = largest(ports, "utilisation", 3);
  return list.length > 0 && [`Busiest ${list.length > 1 ? "links" : "link"}: ${list.map((p) => `${p.port} ${cell(p.utilisation, "utilisation")}`).join(", ")}.`, "Network"];
}

const WHY = [["dropped_limit", "their queue was full"], ["dropped_early", "the queue's discipline dropped them early"], ["dropped_loss", "the link lost them"], ["dropped_ttl", "they had travelled too far"]];
// What queues and links lost of fluid, which has no packets.
function fluidLost(ports) {
  const lost = (p) => (p.fluid_lost_bytes ?? 0) + (p.fluid_link_lost_bytes ?? 0), all = ports.reduce((s, p) => s + lost(p), 0);
  const worst = ports.reduce((w, p) => (!w || lost(p) > lost(w) ? p : w), null);
  return all > 0 && [`${quantity(all, "B")} of fluid lost, ${lost(worst) === all ? "all" : `${quantity(lost(worst), "B")} of it`} at ${worst.port}.`, "Tables"];
}

function losses(ports) {
  const sum = (column) => ports.reduce((s, p) => s + (p[column] ?? 0), 0);
  const why = WHY.map(([column, text]) => [sum(column), text, largest(ports, column, 1)[0], column]).filter(([n]) => n > 0).sort((a, b) => b[0] - a[0]);
  const all = why.reduce((s, [n]) => s + n, 0), sent = sum("packets");
  if (!ports.length || sent === 0) return null;
  if (all === 0) return ["No packet was lost.", "Tables"];
  if (why.length === 1) {
    const [, text, worst, column] = why[0];
    return [`${count(all, "packet")} lost because ${text}, ${worst[column] === all ? "all" : `${worst[column].toLocaleString("en-GB")} of them`} at ${worst.port}.`, "Tables"];
  }
  return [`${count(all, "packet")} lost: ${why.map(([n, text, worst, column]) => `${n.toLocaleString("en-GB")} because ${text} (most at ${worst.port}: ${worst[column].toLocaleString("en-GB")})`).join("; ")}.`, "Tables"];
}

function queues(ports) {
  const [worst] = largest(ports, "queue_max_bytes", 1);
  const [slow] = largest(ports, "wait_mean_s", 1);
  return worst && [`Longest queue: ${quantity(worst.queue_max_bytes, "B")} at ${worst.port}${slow ? `; packets waited longest at ${slow.port}, ${quantity(slow.wait_mean_s, "s")} on average` : ""}.`, "Distributions"];
}

function failed(ports, failures) {
  const gone = failures ? [[failures.packets_lost_on_links, "lost with it"], [failures.packets_without_route, "had no way"]].filter(([n]) => n > 0).map(([n, what]) => `${count(n, "packet")} ${what}`) : [];
  const list = largest(ports, "down_s", 2);
  return list.length > 0 && [`Failed for a time: ${list.map((p) => `${p.port}, ${quantity(p.down_s, "s")}`).join("; ")}${ports.filter((p) => p.down_s > 0).length > 2 ? " and others" : ""}${gone.length ? `. ${gone.join(", ")}` : ""}.`, "Network"];
}

// Of classes with completion times: who waited longest, and who did not end.
function transfers(classes) {
  const out = [], done = classes.filter((c) => c.completion?.p99_s > 0);
  const slow = [...done].sort((a, b) => b.completion.p99_s - a.completion.p99_s)[0];
  if (slow)
    out.push([`${done.length > 1 ? `Slowest class: ${slow.name}, ` : `${slow.name}: `}half of its transfers took up to ${quantity(slow.completion.p50_s, "s")}, 99 % up to ${quantity(slow.completion.p99_s, "s")}${slow.slowdown?.p99 ? ` (slowdown ${cell(slow.slowdown.p50, "")} and ${cell(slow.slowdown.p99, "")})` : ""}.`, "Distributions"]);
  for (const c of classes) {
    const left = [c.rejected > 0 && `${c.rejected.toLocaleString("en-GB")} turned away`, c.unfinished > 0 && `${c.unfinished.toLocaleString("en-GB")} not finished at the end`].filter(Boolean);
    const all = (c.completed ?? 0) + (c.unfinished ?? 0) + (c.rejected ?? 0);
    if (left.length) out.push([`${c.name}: of ${count(all, "transfer")} ${left.join(", ")}; completion times are those of the ${(c.completed ?? 0).toLocaleString("en-GB")} others.`, "Tables"]);
  }
  return out;
}

function delays(classes) {
  const slow = classes.filter((c) => c.delay?.p99_s > 0).sort((a, b) => b.delay.p99_s - a.delay.p99_s)[0];
  return slow && [`Packets of ${slow.name} took ${quantity(slow.delay.p50_s, "s")} (median), 99 % up to ${quantity(slow.delay.p99_s, "s")}.`, "Distributions"];
}

function goodput(classes) {
  const list = classes.filter((c) => c.goodput_bps > 0);
  return list.length > 0 && [`Goodput: ${list.slice(0, 4).map((c) => `${c.name} ${quantity(c.goodput_bps, "bit/s")}`).join(", ")}${list.length > 4 ? ` and ${list.length - 4} more` : ""}.`, "Overview"];
}

// Whether the figures can be trusted: a tail wants some hundred values, a mean a warm-up.
function length(summary, classes) {
  const few = classes.filter((c) => c.completed > 0 && c.completed < 1000 && c.completion);
  const out = few.map((c) => [`The 99th percentile of ${c.name} rests on ${count(c.completed, "transfer")}${c.completed < 100 ? ", too few for one" : ", the ten slowest or fewer"}: run longer, or replicate.`, "Overview"]);
  if (summary.model === "network" && summary.warmup_s === 0 && classes.some((c) => c.protocol === "tcp" && c.flows && !c.completed)) out.push(["No warm-up is left out: figures of long flows hold their slow start.", "Overview"]);
  return out;
}

// Where all that was to be sent is over long before the end, what is told of time is of the pause, too.
function pause(run, classes) {
  const s = run.summary, jobs = rowsOf(run, "jobs"), flows = rowsOf(run, "flows");
  const rows = jobs.length && jobs.length === classes.length ? jobs : run.tables.find((t) => t.name === "flows")?.rows === flows.length ? flows : [];
  const ends = rows.map((r) => r.end_s);
  if (!ends.length || ends.some((e) => !e) || classes.some((c) => c.fidelity === "fluid")) return null;
  const last = ends.reduce((a, b) => Math.max(a, b), 0);
  return last < 0.8 * s.reached_s && [`All transfers were over by ${quantity(last, "s")}: goodput and load are means of ${quantity(s.reached_s - s.warmup_s, "s")}, the time after that included.`, "Overview"];
}

// Players of video that stood still.
function video(classes) {
  return classes.filter((c) => c.video).map((c) => {
    const v = c.video, bitrate = v.bitrate_mean_bps ?? v.bitrate_bps;
    return [`${c.name}: ${count(v.players ?? 0, "player")}${bitrate ? `, ${quantity(bitrate, "bit/s")} on average` : ""}${v.rebuffer_s !== undefined ? `, stood still for ${quantity(v.rebuffer_s, "s")}` : ""}.`, "Tables"];
  });
}

// Models with networks of their own.
function models(s) {
  const { interconnect: i, kademlia: k, wireless: w } = s, out = [];
  if (i?.latency) out.push([`Packets took ${quantity(i.latency.p50_s, "s")} (median), 99 % up to ${quantity(i.latency.p99_s, "s")}, after ${quantity(i.waited_mean_s, "s")} at the terminal on average.`, "Distributions"]);
  if (i) out.push([`Throughput ${quantity(i.throughput_Bps, "B/s")}${i.throughput_share ? `, ${cell(i.throughput_share, "loss")} of what the terminals can send` : ""}.`, "Time series"]);
  if (i?.ranks_waiting > 0) out.push([`${count(i.ranks_waiting, "rank")} still waited at the end.`, "Overview"]);
  if (k?.lookups) out.push([`${count(k.lookups.finished, "lookup")} ended, ${cell(k.lookups.success, "loss")} of them found what they sought, in ${cell(k.hops.mean, "")} hops on average.`, "Distributions"], [`A lookup took ${quantity(k.latency.p50_s, "s")} (median), 99 % up to ${quantity(k.latency.p99_s, "s")}; ${cell(k.messages.timeouts / k.messages.requests, "loss")} of requests were not answered in time.`, "Distributions"]);
  if (w) out.push([`${cell(w.delivery_ratio, "loss")} of the receivers' packets arrived, ${quantity(w.delay_mean_s, "s")} after they were sent on average.`, "Overview"]);
  return out;
}

// [text, title of the section that shows it] of one run.
function found(run) {
  const ports = rowsOf(run, "ports"), s = run.summary, classes = Array.isArray(s.classes) ? s.classes : [];
  const jobs = rowsOf(run, "jobs").filter((j) => j.duration_s > 0).map((j) => [`Job ${j.job ?? j.class ?? ""} took ${quantity(j.duration_s, "s")}.`, "Jobs"]);
  return [...jobs, ...models(s), goodput(classes), ...video(classes), ...transfers(classes), delays(classes), busiest(ports), queues(ports), losses(ports), fluidLost(ports), pause(run, classes), failed(ports, s.failures), ...length(s, classes)].filter(Boolean);
}

// A link's name is not broken at its arrow.
const whole = (text) => text.split(/(\S+->\S+)/).map((part, i) => (i % 2 ? h("span", { class: "name" }, part) : part));

// `linked`: the id of a section by its title. Null where nothing is to be said.
export function findings(items, linked) {
  const lists = items.map((item) => [item, item.kind === "study" ? studied(item) : found(item)]).filter(([, list]) => list.length);
  if (!lists.length) return null;
  return section("What stands out", lists.map(([item, list]) => [items.length > 1 && h("h3", {}, item.label),
    h("ul", { class: "findings" }, list.map(([text, title]) => h("li", {}, whole(text), linked[title] && [" ", h("a", { href: `#${linked[title]}` }, title)])))]));
}
