// Elements from plain values. Texts become text nodes and attributes are set as such: no name in a topology is ever markup.
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "class") element.className = value;
    else if (key === "value" || key === "checked" || key === "selected") element[key] = value;
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

// The same of SVG, with numbers and texts alone.
export function s(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

let ids = 0;
export const newId = (word) => `${word}-${++ids}`;

export function replace(element, ...children) {
  element.textContent = "";
  append(element, children);
}

// A section of the page with a heading, in the list of contents.
export function section(title, ...children) {
  const id = newId("section");
  return h("section", { id, "aria-labelledby": `${id}-title` }, h("h2", { id: `${id}-title` }, title), children);
}

// A labelled select; `options` are [value, text].
export function select(label, options, value, onchange) {
  const id = newId("select");
  const list = h("select", { id, onchange: (e) => onchange(e.target.value) },
    options.map(([v, text]) => h("option", { value: v, selected: v === value }, text)));
  return h("span", { class: "field" }, h("label", { for: id }, label), list);
}

export const note = (text) => text && h("p", { class: "note" }, text);
