/**
 * Finds exports that no other file imports. An export counts as used if any file that imports its file
 * contains its name; that finds dead code without a TypeScript parser. Prints `file:line  name`.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";

const FOLDERS = ["app", "components", "lib", "scripts", "prisma", "examples", "test", "e2e", "bench", "ops"];
/** Frameworks import these files by name: Next's pages and routes, and settings. */
const FRAMEWORKS =
  /^(page|layout|route|loading|error|not-found|default|template|global-error|manifest|icon|proxy)\.tsx?$/;
/** Types used in a signature of their own file are exported for its readers. */
const TYPE = /^export (?:interface|type) /;
/** Loaded by path: by the settings of Vitest, Playwright and TypeScript (JSX), and by the bench (`<part>/run.ts`). */
const BY_PATH = new Set([
  "test/setup/global-setup.ts",
  "test/setup/password-cost.ts",
  "test/setup/transaction-ms.ts",
  "e2e/fixtures/global-setup.ts",
  "components/jsx/index.ts",
  "components/jsx/jsx-runtime.ts",
  "components/jsx/jsx-dev-runtime.ts",
]);

const sources = new Map(
  FOLDERS.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .map((name) => join(folder, name))
      .filter((file) => /\.(tsx?|mjs)$/.test(file) && !file.startsWith("lib/generated/")),
  ).map((file) => [file, readFileSync(file, "utf8")]),
);
for (const file of readdirSync("."))
  if (/\.(ts|js|mjs)$/.test(file)) sources.set(file, readFileSync(file, "utf8"));

/** The texts of the importing files, by the path of the imported file. */
const importers = new Map<string, string[]>();
for (const [file, text] of sources)
  for (const [, specifier = ""] of text.matchAll(/["'`]((?:\.{1,2}|@)\/[^"'`\n]+)["'`]/g)) {
    const path = specifier.startsWith("@/") ? specifier.slice(2) : normalize(join(dirname(file), specifier));
    if (path !== file && existsSync(path)) importers.set(path, [...(importers.get(path) ?? []), text]);
  }

const EXPORT = /^export (?:async )?(?:function\*?|const|let|class|interface|type|enum) ([A-Za-z0-9_$]+)/gm;
let unused = 0;
for (const [file, text] of sources) {
  if (FRAMEWORKS.test(basename(file)) || BY_PATH.has(file) || /^bench\/[\w-]+\/run\.ts$/.test(file)) continue;
  if (!file.includes("/")) continue;
  for (const match of text.matchAll(EXPORT)) {
    const name = match[1] ?? "";
    const isNamed = new RegExp(`(?<![\\w$])${name.replaceAll("$", "\\$")}(?![\\w$])`);
    if ((importers.get(file) ?? []).some((other) => isNamed.test(other))) continue;
    if (TYPE.test(match[0]) && text.match(new RegExp(isNamed, "g"))!.length > 1) continue;
    unused++;
    const line = text.slice(0, match.index).split("\n").length;
    process.stderr.write(`${file}:${line}  nobody imports ${name}\n`);
  }
}
process.stdout.write(`Exports: ${sources.size} files, ${unused} unused\n`);
process.exitCode = unused > 0 ? 1 : 0;
