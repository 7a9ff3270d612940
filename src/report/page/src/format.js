// Numbers for people, by the unit in a column's name.
const PREFIXES = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"], [1e-12, "p"]];
const UNITS = [["_s2", "s²"], ["_bps", "bit/s"], ["_Bps", "B/s"], ["_bytes", "B"], ["_per_s", "/s"], ["_s", "s"], ["_packets", "packets"]];
export const SHARES = new Set(["utilisation", "loss", "success", "found", "drop_probability", "cumulative_share", "full_share"]);

export function unitOf(column) {
  if (column === "per_s") return "/s"; // of a part that is the rest of the name: lookups.per_s
  if (column.endsWith("_per_simulated_s")) return ""; // which the name says
  const found = UNITS.find(([end]) => column.endsWith(end));
  return found ? found[1] : "";
}

// Four to eight round numbers from `from` to `to`.
export function roundTicks(from, to) {
  const rough = (to - from) / 5 || 1, power = 10 ** Math.floor(Math.log10(rough)), digit = rough / power;
  const step = power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
  return Array.from({ length: Math.floor(to / step + 1e-9) - Math.ceil(from / step - 1e-9) + 1 }, (_, i) => (Math.ceil(from / step - 1e-9) + i) * step);
}

function digits(value) {
  const text = Number(value.toPrecision(4));
  return Math.abs(text) >= 1e6 || (text !== 0 && Math.abs(text) < 1e-3) ? text.toExponential() : String(text);
}

export function quantity(value, unit) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (value === 0) return unit ? `0 ${unit}` : "0";
  if (!unit || unit === "1" || unit === "packets") {
    if (Number.isInteger(value)) return value.toLocaleString("en-GB") + (unit === "packets" ? " packets" : "");
    return digits(value);
  }
  if (unit === "s²") return `${digits(value)} s²`; // a prefix would be squared too
  const size = Math.abs(value);
  const [scale, prefix] = PREFIXES.find(([s]) => size >= s * 0.99995 && (unit !== "s" || s <= 1)) ?? [1, ""];
  return `${digits(value / scale)} ${prefix}${unit}`;
}

export function cell(value, column) {
  if (value === null || value === undefined) return "";
  if (typeof value !== "number") return String(value);
  if (SHARES.has(column) || column.endsWith("_share")) return `${digits(value * 100)} %`;
  return quantity(value, unitOf(column));
}

// "20kB" -> 20000, "5ms" -> 0.005, "10 %" -> 0.1, "7" -> 7; null for words and sections.
const SCALES = { ps: 1e-12, ns: 1e-9, us: 1e-6, "µs": 1e-6, ms: 1e-3, s: 1, min: 60, h: 3600, d: 86400, "%": 0.01, B: 1, bps: 1, Bps: 8, "/s": 1, "/ms": 1e3, "/min": 1 / 60 };
const MULTIPLES = { k: 1e3, M: 1e6, G: 1e9, T: 1e12, Ki: 1024, Mi: 1024 ** 2, Gi: 1024 ** 3, Ti: 1024 ** 4 };
export function parse(text) {
  if (typeof text === "number") return text;
  const parts = /^\s*([-+]?[0-9][0-9_]*\.?[0-9]*(?:e[-+]?\d+)?)\s*(.*?)\s*$/i.exec(String(text ?? ""));
  if (!parts) return null;
  const value = Number(parts[1].replaceAll("_", ""));
  const unit = parts[2];
  if (!unit) return value;
  if (unit in SCALES) return value * SCALES[unit];
  const multiple = /^(Ki|Mi|Gi|Ti|k|M|G|T)(B|bps|Bps)$/.exec(unit);
  return multiple ? value * MULTIPLES[multiple[1]] * SCALES[multiple[2]] : null;
}
