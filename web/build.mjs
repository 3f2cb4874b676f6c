// Builds the page into the package, or its tests for node.
import { readdirSync, copyFileSync, mkdirSync } from "node:fs";
import { build } from "esbuild";

const tests = process.argv.includes("--tests");
const folder = process.argv[3] ?? "../build/web-tests";
const common = { bundle: true, format: "esm", target: "es2022", logLevel: "warning", loader: { ".css": "text" } };
if (tests) {
  const files = readdirSync("test").filter((name) => name.endsWith(".test.ts")).map((name) => `test/${name}`);
  await build({ ...common, entryPoints: files, outdir: folder, platform: "node", outExtension: { ".js": ".mjs" } });
} else {
  mkdirSync("../src/kumi/view/page", { recursive: true });
  await build({ ...common, entryPoints: ["src/page.ts"], outfile: "../src/kumi/view/page/page.js", minify: true, sourcemap: false });
  for (const name of ["index.html", "page.css"]) copyFileSync(`src/${name}`, `../src/kumi/view/page/${name}`);
}
