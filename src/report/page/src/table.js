// Tables that sort and filter, a page of rows at a time.
import { h, newId, note, replace } from "./dom.js";
import { cell, quantity } from "./format.js";

const PAGE = 50;

// {name, columns: [{name, number}], data: [column][row], rows, how}; `units` of columns whose names do not tell. `filter` sets what is shown at first.
export function dataTable(table, { caption = table.name, label = `rows of ${caption}`, units = {} } = {}) {
  const { columns, data } = table;
  const total = data.length ? data[0].length : 0;
  const texts = Array.from({ length: total }, (_, r) => columns.map((c, i) => (c.number ? "" : String(data[i][r] ?? ""))).join("\u0001").toLowerCase());
  let order = Array.from({ length: total }, (_, r) => r);
  let shown = order;
  let sorted = null;
  let page = 0;

  const id = newId("filter");
  const body = h("tbody");
  const count = h("span", { class: "count", role: "status" });
  const input = h("input", { id, type: "search", autocomplete: "off", spellcheck: "false", oninput: () => refilter() });
  const previous = h("button", { type: "button", onclick: () => go(page - 1) }, "Previous");
  const next = h("button", { type: "button", onclick: () => go(page + 1) }, "Next");
  const heads = columns.map((c, i) => {
    const button = h("button", { type: "button", onclick: () => sort(i) }, c.name);
    return h("th", { scope: "col", class: c.number ? "number" : "", "aria-sort": "none" }, button);
  });

  // Words that all must be in a row's texts; a comparison such as goodput_bps > 1e6 is one of numbers.
  function refilter() {
    const wanted = [];
    const words = input.value.toLowerCase().replace(/([\w.]+)\s*(<=|>=|=|<|>)\s*([-\d.e+]+)(?=\s|$)/g, (all, name, sign, number) => {
      const at = columns.findIndex((c) => c.number && c.name.toLowerCase() === name);
      if (at < 0 || Number.isNaN(Number(number))) return all;
      wanted.push([data[at], sign, Number(number)]);
      return " ";
    }).split(/\s+/).filter(Boolean);
    const passes = (v, sign, n) => v !== null && (sign === "<" ? v < n : sign === ">" ? v > n : sign === "<=" ? v <= n : sign === ">=" ? v >= n : v === n);
    shown = order.filter((r) => words.every((w) => texts[r].includes(w)) && wanted.every(([values, sign, n]) => passes(values[r], sign, n)));
    go(0);
  }
  function sort(i) {
    const down = sorted === i ? heads[i].getAttribute("aria-sort") !== "descending" : columns[i].number;
    heads.forEach((head) => head.setAttribute("aria-sort", "none"));
    heads[i].setAttribute("aria-sort", down ? "descending" : "ascending");
    sorted = i;
    const sign = down ? -1 : 1;
    const value = data[i];
    const compare = columns[i].number ? (a, b) => value[a] - value[b] : (a, b) => String(value[a]).localeCompare(String(value[b]), "en", { numeric: true });
    const empty = (r) => value[r] === null || value[r] === undefined || value[r] === "";
    order = [...order].sort((a, b) => (empty(a) || empty(b) ? empty(a) - empty(b) : sign * compare(a, b)) || a - b);
    refilter();
  }
  function go(to) {
    const pages = Math.max(1, Math.ceil(shown.length / PAGE));
    page = Math.min(Math.max(0, to), pages - 1);
    const rows = shown.slice(page * PAGE, (page + 1) * PAGE);
    replace(body, rows.map((r) => h("tr", {}, columns.map((c, i) => h("td", { class: c.number ? "number" : "", title: data[i][r] === null || data[i][r] === "" ? null : data[i][r] }, units[c.name] && c.number ? quantity(data[i][r], units[c.name]) : cell(data[i][r], c.name))))));
    count.textContent = shown.length === 0 ? "no row" : `${page * PAGE + 1} to ${page * PAGE + rows.length} of ${shown.length.toLocaleString("en-GB")}`;
    previous.disabled = page === 0;
    next.disabled = page === pages - 1;
  }
  go(0);
  const element = h("div", { class: "table-block" },
    h("div", { class: "bar" }, h("label", { for: id }, "Filter"), input, count, previous, next),
    note(table.how),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label },
      h("table", {}, h("caption", {}, caption), h("thead", {}, h("tr", {}, heads)), body)));
  return { element, filter: (text) => { input.value = text; refilter(); } };
}
