// Builds the page into the package, or its tests for node.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const tests = process.argv.includes("--tests");
const folder = process.argv[3] ?? "../build/web-tests";
const common = { bundle: true, format: "esm", target: "es2022", logLevel: "warning", loader: { ".css": "text", ".py": "text" } };
if (tests) {
  const files = readdirSync("test").filter((name) => name.endsWith(".test.ts")).map((name) => `test/${name}`);
  await build({ ...common, entryPoints: files, outdir: folder, platform: "node", outExtension: { ".js": ".mjs" } });
} else {
  mkdirSync("../src/kumi/view/page", { recursive: true });
  await build({ ...common, entryPoints: ["src/page.ts", "src/results.ts"], outdir: "../src/kumi/view/page", minify: true, sourcemap: false });
  for (const name of ["index.html", "results.html"]) copyFileSync(`src/${name}`, `../src/kumi/view/page/${name}`);
  writeFileSync("../src/kumi/view/page/page.css", colours() + readFileSync("src/page.css", "utf8"));
}

// The colours by day and by night, which pictures without a browser have, too.
function colours() {
  const { light, dark } = JSON.parse(readFileSync("../src/kumi/recording/palette.json", "utf8"));
  const block = (scheme, names) =>
    `{ color-scheme: ${scheme}; ${Object.entries(names).map(([name, value]) => `--${name}: ${value};`).join(" ")} }\n`;
  return `:root ${block("light", light)}@media (prefers-color-scheme: dark) { :root:not([data-theme="light"]) ${block("dark", dark)}}
:root[data-theme="dark"] ${block("dark", dark)}`;
}
