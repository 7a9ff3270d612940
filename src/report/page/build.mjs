// build.mjs FOLDER OUT: bundles src/ with what FOLDER/node_modules holds into the one file OUT, a page without its data.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const [folder, out] = process.argv.slice(2).map((p) => resolve(p));
const source = join(dirname(fileURLToPath(import.meta.url)), "src");
const esbuild = createRequire(join(folder, "package.json"))("esbuild-wasm");

const common = { bundle: true, minify: true, write: false, nodePaths: [join(folder, "node_modules")], legalComments: "inline" };
const bundle = async (entry, more) => (await esbuild.build({ ...common, entryPoints: [join(source, entry)], ...more })).outputFiles[0].text;
const script = await bundle("main.js", { format: "iife", target: "es2020", charset: "ascii" });
const style = await bundle("style.css", {});

// The policy names the script by its digest: whatever else gets into the page does not run, and nothing is fetched.
const digest = createHash("sha256").update(script).digest("base64");
const parts = { STYLE: style, SCRIPT: script, DIGEST: `sha256-${digest}` };
const page = readFileSync(join(source, "page.html"), "utf8").replace(/@(STYLE|SCRIPT|DIGEST)@/g, (_, name) => parts[name]);
const marks = page.split("@weir-data@").length - 1;
if (marks !== 1 || script.includes("</script")) throw new Error(`the page has ${marks} places for data`);
writeFileSync(out, page);
