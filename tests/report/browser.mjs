// browser.mjs PAGE ROOM: opens the reports in ROOM in Chromium and uses them. Judged: they draw, filter, slide and zoom; no error on
// the console and no request; axe-core finds nothing; names that would be markup do nothing; how long a page takes to
// open is printed, and judged where TIMED is set.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";

const [pageFolder, room] = process.argv.slice(2);
const require = createRequire(join(pageFolder, "package.json"));
const puppeteer = require("puppeteer-core");
const axe = require("axe-core").source;
const SHOTS = process.env.SHOTS;
const browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM, headless: true, args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"], protocolTimeout: 600000, timeout: 120000 });
const patience = { timeout: 120000 }; // of a machine that does much else
let passed = 0;
// All that is asked for so far is drawn: two frames, however long this machine takes for one.
const drawn = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

async function open(name, { width = 1280, theme = "light" } = {}) {
  const page = await browser.newPage();
  const faults = [];
  page.on("console", (m) => faults.push(`console: ${m.text()}`));
  page.on("pageerror", (e) => faults.push(`error: ${e.message}`));
  page.on("dialog", (d) => { faults.push(`dialog: ${d.message()}`); d.dismiss(); });
  page.on("request", (r) => r.url() !== `file://${room}/${name}.html` && !r.url().startsWith("data:") && faults.push(`request: ${r.url()}`));
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: theme }]);
  await page.setViewport({ width, height: 900 });
  await page.goto(`file://${room}/${name}.html`, patience);
  await page.waitForSelector("html[data-ready]", patience);
  await page.waitForFunction(() => [...document.querySelectorAll("main .plot")].every((p) => p.chart.plot || !p.clientWidth), patience);
  await drawn(page);
  page.faults = faults;
  page.done = async () => { assert.deepEqual(faults, []); await page.close(); };
  return page;
}
async function test(name, body) {
  if (process.env.ONLY && !name.match(process.env.ONLY)) return; // for whoever mends one of them
  try {
    await body();
    passed++;
    console.log(`ok   ${name}`);
  } catch (error) {
    console.log(`FAIL ${name}\n${error.stack}`);
    process.exitCode = 1;
  }
}
// How many canvases hold anything; they are read from a copy, since reading them would be told on the console.
const inked = (page, selector) => page.$$eval(selector, (all) => all.filter((c) => {
  if (!c.width) return false;
  const copy = document.createElement("canvas");
  copy.width = c.width;
  copy.height = c.height;
  const context = copy.getContext("2d", { willReadFrequently: true });
  context.drawImage(c, 0, 0);
  return context.getImageData(0, 0, c.width, c.height).data.some((v, i) => i % 4 === 3 && v > 0);
}).length);

// By day each page in one of the ways, and a run in all; by night each in all.
const ways = [[1280, "light"], [800, "dark"], [390, "light"]];
for (const [k, name] of ["run", "runs", "study", "interconnect", "surrogate", "kademlia", "hostile", "million", "damaged"].entries())
  for (const [width, theme] of ways.filter((_, way) => process.env.WEIR_NIGHTLY || k === 0 || way === k % 3))
    await test(`${name} at ${width}, ${theme}: draws within its width, accessible`, async () => {
      const page = await open(name, { width, theme });
      assert.ok((await inked(page, "main canvas")) > 0 || name === "damaged");
      assert.equal(await inked(page, "main canvas"), await page.$$eval("main canvas", (all) => all.filter((c) => c.width).length));
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(wide <= 0, `${wide} pixels too wide`);
      await page.evaluate(axe);
      const found = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
      assert.deepEqual(found.violations.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(" ")}`), []);
      if (SHOTS) await page.screenshot({ path: join(SHOTS, `${name}-${width}-${theme}.png`), fullPage: true });
      await page.done();
    });

await test("what stands out comes first, and each sentence leads to its figure", async () => {
  const page = await open("run");
  assert.equal(await page.$eval("main section h2", (e) => e.textContent), "What stands out");
  const said = await page.$$eval(".findings li", (all) => all.map((l) => l.textContent));
  for (const wanted of [/^Goodput: bulk \d/, /^Slowest class: |^mice: half/, /^Busiest links: .*->.* \d+(\.\d+)? %/, /^Longest queue: \d/, /packets? lost.* because |^No packet was lost/])
    assert.ok(said.some((s) => wanted.test(s)), `${wanted}: ${said.join("\n")}`);
  const targets = await page.$$eval(".findings a", (all) => all.map((a) => document.querySelector(a.getAttribute("href")).querySelector("h2").textContent === a.textContent));
  assert.ok(targets.length >= 4 && targets.every((t) => t));
  assert.equal(await page.$$eval("main section h2", (all) => all.at(-1).textContent), "Scenario"); // digests last
  await page.done();
});

await test("a study opens with where its metrics are least and most, and how sure that is", async () => {
  const page = await open("study");
  assert.equal(await page.$eval("main section h2", (e) => e.textContent), "What stands out");
  const said = await page.$$eval(".findings li", (all) => all.map((l) => l.textContent));
  const rows = await page.evaluate(() => JSON.parse(document.getElementById("data").textContent).items.find((i) => i.kind === "study").tables.find((t) => t.name === "aggregate"));
  const column = (name) => rows.data[rows.columns.findIndex((c) => c.name === name)];
  const metric = column("metric")[0], means = column("mean").filter((_, r) => column("metric")[r] === metric);
  assert.ok(said.some((s) => s.startsWith(`${metric}: from `) && s.includes(" to ")), said.join("\n"));
  const number = (v) => String(Number((v / 10 ** (3 * Math.floor(Math.log10(v) / 3))).toPrecision(4)));
  for (const v of [Math.min(...means), Math.max(...means)]) assert.ok(said.some((s) => s.startsWith(metric) && s.includes(` ${number(v)} `)), `${v}: ${said.join("\n")}`);
  assert.ok(said.some((s) => /intervals? (is|are) wider|replications are the same|^One run/.test(s)) || said.every((s) => / from /.test(s)));
  await page.done();
});

await test("axes hold their labels, shares end at all of it, rates are no times", async () => {
  for (const name of ["run", "kademlia", "interconnect"]) {
    const page = await open(name);
    const cut = await page.$$eval("main .plot", (all) => all.filter((p) => p.chart.plot).flatMap((p) => {
      const u = p.chart.plot, axis = u.axes[1], pen = u.ctx;
      pen.save();
      pen.font = "12px system-ui, sans-serif";
      const wide = Math.max(...axis._values.map((v) => pen.measureText(v).width));
      pen.restore();
      return wide + 10 > axis._size ? [`${p.chart.spec.figure.title}: ${wide} of ${axis._size}`] : [];
    }));
    assert.deepEqual(cut, []);
    const ticks = await page.$$eval("main .plot", (all) => all.filter((p) => p.chart.plot).flatMap((p) => p.chart.plot.axes[1]._values));
    assert.ok(!ticks.some((t) => /^(1[1-9]\d|[2-9]\d\d) %$/.test(t) || /s\u00b2/.test(t)), ticks.join(", "));
    if (name === "kademlia") {
      const facts = await page.$$eval(".facts tr", (all) => all.map((r) => r.textContent));
      assert.ok(facts.some((f) => /^kademlia: lookups[\d.]+ \/s$/.test(f)), facts.join("\n"));
    }
    if (name === "run") assert.ok(await page.$eval(".classes", (t) => t.scrollWidth <= t.parentElement.clientWidth), "the table of classes is cut");
    await page.done();
  }
});

await test("each figure is saved as SVG, with its curves, ticks and names", async () => {
  for (const name of ["run", "study", "hostile"]) {
    const page = await open(name);
    const files = await page.evaluate(async () => {
      const made = [];
      URL.createObjectURL = (blob) => { made.push(blob); return "#"; };
      [...document.querySelectorAll(".save button")].filter((b) => b.textContent === "SVG").forEach((b) => b.click());
      return Promise.all(made.map(async (b) => {
        const text = await b.text(), doc = new DOMParser().parseFromString(text, "image/svg+xml");
        return { wrong: doc.querySelector("parsererror")?.textContent ?? "", drawn: [...doc.querySelectorAll("path,rect,circle")].length, words: doc.querySelectorAll("text").length, unset: /NaN|undefined|var\(/.test(text) };
      }));
    });
    assert.ok(files.length >= (name === "study" ? 1 : 3), `${files.length} of ${name}`);
    for (const f of files) assert.ok(!f.wrong && !f.unset && f.drawn > 4 && f.words > 4, JSON.stringify(f));
    await page.done();
  }
});

await test("tables filter by words and numbers, and sort", async () => {
  const page = await open("run");
  const block = await page.evaluateHandle(() => [...document.querySelectorAll(".table-block")].find((b) => b.querySelector("caption").textContent === "flows"));
  const input = await block.$("input");
  const status = () => block.$eval("[role=status]", (e) => e.textContent);
  const column = (n) => block.$$eval("tbody tr", (rows, k) => rows.map((r) => r.cells[k].textContent), n);
  const all = await status();
  await input.type("bulk Seattle");
  assert.notEqual(await status(), all);
  assert.ok((await column(1)).every((c) => c === "bulk"));
  await input.click({ count: 3 });
  await input.type("completion_s > 0.2");
  const head = await block.evaluateHandle((b) => [...b.querySelectorAll("th button")].find((x) => x.textContent === "completion_s"));
  await head.click();
  const sizes = await block.$$eval("tbody tr", (rows) => rows.map((r) => Number(r.cells[11].title)));
  assert.ok(sizes.length > 3 && sizes.every((s, i) => s > 0.2 && (i === 0 || s <= sizes[i - 1])), String(sizes));
  assert.equal(await head.evaluate((b) => b.parentElement.getAttribute("aria-sort")), "descending");
  await head.click();
  assert.equal(await head.evaluate((b) => b.parentElement.getAttribute("aria-sort")), "ascending");
  await input.click({ count: 3 });
  await input.type("nobody is called this");
  assert.equal(await status(), "no row");
  await page.done();
});

await test("the map slides through time, changes colour, zooms, and tells what is under the pointer", async () => {
  const page = await open("run");
  const picture = () => page.$eval(".map canvas", (c) => c.toDataURL());
  const whole = await picture();
  await page.$eval("input[type=range]", (i) => { i.value = 5; i.dispatchEvent(new Event("input")); });
  const then = await picture();
  assert.notEqual(then, whole);
  assert.match(await page.$eval("output", (o) => o.textContent), / to .*s$/);
  await page.focus("input[type=range]");
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.$eval("input[type=range]", (i) => i.value), "6");
  const select = await page.$("section select");
  await select.select("queue_max_bytes");
  assert.notEqual(await picture(), then);
  await page.focus(".map canvas");
  const before = await picture();
  await page.keyboard.press("+");
  assert.notEqual(await picture(), before);
  await page.keyboard.press("0");
  assert.equal(await picture(), before);
  const box = await (await page.$(".map canvas")).boundingBox();
  let told = "";
  for (let x = 10; x < box.width && !told.includes("→"); x += 5) {
    await page.mouse.move(box.x + x, box.y + box.height / 2);
    told = await page.$eval(".told", (t) => t.textContent);
  }
  assert.match(told, /→.*load/);
  await page.done();
});

await test("the surrogate's stretches are shaded on the time axis, and each switch says why", async () => {
  const page = await open("surrogate");
  const shades = await page.$$eval(".plot", (all) => all.map((p) => p.chart.spec.shades).filter(Boolean));
  assert.ok(shades.length >= 2);
  for (const s of shades) assert.deepEqual(s, [{ from: 0.0001, to: 0.00018 }, { from: 0.00022, to: 0.00026 }]);
  // Colours below the top edge of a plot, where no curve is: within, between, and outside of the stretches.
  const seen = await page.evaluate(() => {
    const { plot } = [...document.querySelectorAll(".plot")].find((p) => p.chart.spec.shades).chart;
    const copy = document.createElement("canvas");
    copy.width = plot.ctx.canvas.width;
    copy.height = plot.ctx.canvas.height;
    const context = copy.getContext("2d", { willReadFrequently: true });
    context.drawImage(plot.ctx.canvas, 0, 0);
    return [5e-5, 1.4e-4, 2.0e-4, 2.45e-4, 2.9e-4].map((t) => [...context.getImageData(Math.round(plot.valToPos(t, "x", true)) + 2, plot.bbox.top + 3, 1, 1).data].join());
  });
  assert.equal(seen[1], seen[3]);
  assert.ok(seen[0] === seen[2] && seen[2] === seen[4] && seen[0] !== seen[1], String(seen));
  const lines = await page.$$eval(".decisions li", (all) => all.map((l) => l.textContent));
  assert.equal(lines.length, 4);
  assert.match(lines[0], /^100\s.s: to the surrogate, given(; |$)/);
  await page.done();
});

await test("time series zoom together, by key and by dragging, and rows are chosen", async () => {
  const page = await open("run");
  const extents = () => page.$$eval("section", (all) => [...all].find((s) => s.querySelector("h2").textContent === "Time series") && [...[...all].find((s) => s.querySelector("h2").textContent === "Time series").querySelectorAll(".plot")].map((p) => [p.chart.plot.scales.x.min, p.chart.plot.scales.x.max].map((v) => v.toFixed(6)).join()));
  const first = await extents();
  assert.ok(first.length >= 6 && new Set(first).size === 1, String(first));
  await (await page.$(".plot")).focus();
  await page.keyboard.press("+");
  const closer = await extents();
  assert.ok(new Set(closer).size === 1 && closer[0] !== first[0]);
  await page.keyboard.press("0");
  assert.deepEqual(await extents(), first);
  const over = await (await page.$(".plot .u-over")).boundingBox();
  await page.mouse.move(over.x + over.width * 0.3, over.y + 50);
  await page.mouse.down();
  await page.mouse.move(over.x + over.width * 0.6, over.y + 60, { steps: 5 });
  await page.mouse.up();
  const dragged = await extents();
  assert.ok(new Set(dragged).size === 1 && dragged[0] !== first[0], String(dragged));
  const lines = () => page.$eval(".block .plot", (p) => p.chart.plot.series.length);
  const had = await lines();
  await page.$eval("details:has(.choices)", (d) => { d.open = true; });
  await page.click(".choices input:checked");
  assert.equal(await lines(), had - 1);
  await page.done();
});

await test("the theme changes, and distributions have a logarithmic scale", async () => {
  const page = await open("run", { theme: "dark" });
  const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await back();
  await page.click("header button");
  assert.notEqual(await back(), dark);
  const scale = await page.evaluateHandle(() => [...document.querySelectorAll("select")].find((s) => s.value === "linear"));
  await scale.select("log");
  await drawn(page);
  assert.ok((await inked(page, "main canvas")) > 5);
  await page.done();
});

await test("runs stand beside each other", async () => {
  const page = await open("runs");
  assert.equal(await page.$eval(".facts thead", (head) => [...head.querySelectorAll("th")].map((t) => t.textContent).join()), "run,other");
  assert.ok(await page.$$eval(".u-legend th", (all) => all.some((t) => t.textContent.startsWith("other"))));
  await page.done();
});

await test("a study's cells and parameters lead to its runs", async () => {
  const page = await open("study");
  await page.click(".heat button");
  await drawn(page);
  const points = await page.evaluate(() => [...document.querySelectorAll(".table-block")].find((b) => b.querySelector("caption").textContent === "runs").querySelectorAll("tbody tr").length);
  assert.equal(points, 2);
  assert.match(await page.$eval("p[role=status]", (p) => p.textContent), /parameter set \d+: min = /);
  const selects = await page.$$("section select");
  await selects[0].select("loss");
  assert.match(await page.$eval(".heat caption", (c) => c.textContent), /^loss/);
  await (await page.$$("section select"))[1].select("max_p");
  assert.ok((await inked(page, "main canvas")) > 0);
  await page.done();
});

await test("hostile names are names", async () => {
  const page = await open("hostile");
  assert.equal(await page.evaluate(() => window.hurt), undefined);
  assert.equal(await page.$$eval("script", (all) => all.length), 2);
  assert.equal(await page.$$eval("main img, main svg, main iframe, main script", (all) => all.length), 0);
  const texts = await page.$eval("main", (m) => m.textContent);
  for (const name of ["<img src=x onerror=window.hurt=1>", "<script>window.hurt=1</script>", "</script><script>window.hurt=2</script>", '"><svg onload=window.hurt=4>', "javascript:window.hurt=5"]) assert.ok(texts.includes(name), name);
  const box = await (await page.$(".map canvas")).boundingBox();
  for (let x = 5; x < box.width; x += 15) await page.mouse.move(box.x + x, box.y + box.height / 2);
  assert.equal(await page.evaluate(() => window.hurt), undefined);
  await page.done();
});

await test("what gets into the page besides does not run", async () => {
  const page = await open("run");
  await page.evaluate(() => { const s = document.createElement("script"); s.textContent = "window.hurt = 7"; document.body.append(s); });
  assert.equal(await page.evaluate(() => window.hurt), undefined);
  assert.ok(page.faults.splice(0).every((f) => f.includes("Content Security Policy")));
  await page.evaluate(() => fetch("https://example.com/").catch(() => 0));
  assert.ok(page.faults.splice(0).every((f) => f.includes("Content Security Policy")));
  await page.close();
});

await test("a million flows say what is left out, and open in time", async () => {
  const page = await open("million");
  const { TaskDuration } = await page.metrics();
  assert.match(await page.$eval("main", (m) => m.textContent), /1000000 rows; shown are the 2500 with the largest completion_s, and every 400-th/);
  console.log(`     processor time to open: ${TaskDuration.toFixed(2)} s`);
  if (process.env.TIMED) assert.ok(TaskDuration < 2, `${TaskDuration} s`); // of a machine that is known, and quiet
  assert.ok((await page.$$eval("*", (all) => all.length)) < 20000); // what there is to lay out does not grow with the flows
  await page.done();
});

await browser.close();
console.log(`${passed} passed`);
