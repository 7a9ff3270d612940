// Colours that differ for people who see few (Okabe and Ito), in a light and a dark set; and a scale for shares.
const LIGHT = ["#0072b2", "#d55e00", "#008a66", "#b0408b", "#8a6d00", "#2b8cc4", "#6b4fa0", "#555555"];
const DARK = ["#56b4e9", "#ff9d5c", "#3ad6a4", "#f08cd0", "#f0e442", "#9ecbff", "#c4a6ff", "#cccccc"];
export const DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3]];

export const isDark = () => document.documentElement.dataset.theme === "dark";
export const colour = (i) => (isDark() ? DARK : LIGHT)[i % 8];
export const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// 0 to 1: viridis at five stops, the dark end lifted on a dark page.
const STOPS = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];
export function scale(share) {
  const at = Math.min(1, Math.max(0, share)) * 4;
  const i = Math.min(3, Math.floor(at));
  const mix = STOPS[i].map((c, k) => Math.round(c + (STOPS[i + 1][k] - c) * (at - i)));
  return mix;
}
export const rgb = (c) => `rgb(${c[0]}, ${c[1]}, ${c[2]})`;
// Black or white, whichever reads better on it (WCAG's relative luminance).
export function ink(c) {
  const [r, g, b] = c.map((v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? "#000" : "#fff";
}
const listeners = [];
export const onTheme = (f) => listeners.push(f);
export function setTheme(name) {
  document.documentElement.dataset.theme = name;
  listeners.forEach((f) => f());
}
