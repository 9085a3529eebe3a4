import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { expect, test } from "vitest";
import { anchorsOf } from "./cited-tests.ts";

const quotedIn = (file: string) =>
  [
    ...readFileSync(file, "utf8")
      .replaceAll(/^```[\s\S]*?^```/gm, "")
      .matchAll(/`([^`]+)`/g),
  ].map(([, words]) => words ?? "");
const quoted = quotedIn("docs/data-flow.md");

test.each([
  ["docs/data-flow.md", 20],
  ["docs/architecture.md", 15],
  ["CONTRIBUTING.md", 15],
  ["README.md", 4],
])("%s names files and folders that are there", (file, atLeast) => {
  const paths = quotedIn(file).filter((words) =>
    /^(app|components|lib|prisma|test|e2e|scripts|examples|docs)\/[^\s<…]*$/.test(words),
  );
  expect(paths.length).toBeGreaterThanOrEqual(atLeast);
  expect(paths.filter((path) => !existsSync(path))).toEqual([]);
});

test("docs/configuration.md names every setting that the code reads", () => {
  const settings = [...readFileSync("lib/base/env.ts", "utf8").matchAll(/^ {4}([A-Z][A-Z_]+): /gm)];
  const text = readFileSync("docs/configuration.md", "utf8");
  expect(settings.length).toBeGreaterThan(30);
  expect(settings.flatMap(([, name = ""]) => (new RegExp(`\\b${name}\\b`).test(text) ? [] : [name]))).toEqual(
    [],
  );
});

test("docs/observability.md names every metric, and no other", () => {
  const namesIn = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = ""]) => name);
  const sources = ["lib/history/metrics/engine.ts", "lib/web/http/metrics.ts"];
  const metrics = [
    ...sources.flatMap((file) => namesIn(readFileSync(file, "utf8"), /name: "intray_(\w+)"/g)),
    ...namesIn(readFileSync("lib/web/http/figures.ts", "utf8"), /^ {2}(\w+): \{/gm),
  ];
  const named = namesIn(readFileSync("docs/observability.md", "utf8"), /`intray_(\w+)[`{]/g);
  expect(metrics.length).toBeGreaterThan(20);
  expect([...new Set(named)].sort()).toEqual(metrics.sort());
});

test("docs/upgrade.md has a line for every migration", () => {
  const told = [...readFileSync("docs/upgrade.md", "utf8").matchAll(/^\| (\d{4}_\w+) \|/gm)].map(
    ([, name]) => name,
  );
  expect(told).toEqual(readdirSync("prisma/migrations").sort());
});

test("docs/compatibility.md names tests that are there, by the numbers of their titles", () => {
  const rows = [...readFileSync("docs/compatibility.md", "utf8").matchAll(/^\| \*\*.*\| ([^|]*) \|$/gm)];
  const named = rows.flatMap(([, cell = ""]) => [...cell.matchAll(/`([\w/-]+)`((?:,? \d+)*)/g)]);
  const missing = named.filter(([, name = "", numbers = ""]) => {
    const file = [".test.ts", ".full.test.ts"].map((end) => `lib/engine/${name}${end}`).find(existsSync);
    if (file === undefined) return true;
    const source = readFileSync(file, "utf8");
    return (numbers.match(/\d+/g) ?? []).some((number) => !new RegExp(`"${number}: `).test(source));
  });
  expect(named.length).toBeGreaterThan(25);
  expect(missing.map(([words]) => words)).toEqual([]);
});

test("the way of a question names functions that its files export", () => {
  const names = quoted.flatMap((words) => /^(\w+)\(\)$/.exec(words)?.[1] ?? []);
  const sources = readdirSync("lib", { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.startsWith("generated/"))
    .map((name) => readFileSync(`lib/${name}`, "utf8"));
  const isExported = (name: string) =>
    sources.some((source) => new RegExp(`^export (async )?function ${name}\\b`, "m").test(source));
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !isExported(name))).toEqual([]);
});

const pages = globSync("docs/*.md");

test.each(pages)("%s says first for whom it is, and what they can do after it", (page) => {
  const [, first = ""] = readFileSync(page, "utf8").split("\n\n");
  expect(first).toMatch(/^For /);
  expect(first).toMatch(/After this page/);
});

test("links of pages lead to files and headings that are there", () => {
  const linking = [
    ...pages,
    ...globSync("*.md"),
    ...globSync("docs/decisions/*.md"),
    ...globSync("examples/*/README.md"),
  ];
  const links = linking.flatMap((page) =>
    [...readFileSync(page, "utf8").matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)]+))?\)/g)].map(
      ([, path = "", heading]) => ({ page, target: path ? join(dirname(page), path) : page, heading }),
    ),
  );
  expect(links.length).toBeGreaterThan(300);
  const isThere = ({ target, heading }: (typeof links)[number]) =>
    existsSync(target) && (heading === undefined || anchorsOf(target).includes(heading));
  expect(links.filter((link) => !isThere(link))).toEqual([]);
});

/** Names of files that are examples, or that a reader makes. */
const NO_FILES = new Set(["ask-people.ts", "check.mjs", "file.test.ts", "lib/subject.ts"]);
const SKIPPED = ["**/node_modules/**", "lib/generated/**"];

test("comments and pages name files that are there", () => {
  const files = [
    ...globSync("{app,bench,components,docs,e2e,examples,lib,ops,prisma,scripts,test}/**/*.*", {
      exclude: SKIPPED,
    }),
    ...globSync("*.*"),
  ];
  const ends = new Set(
    files.flatMap((file) => {
      const parts = file.split("/");
      return parts.map((_, at) => parts.slice(at).join("/"));
    }),
  );
  const read = files.filter((file) => /\.(tsx?|mjs|md)$/.test(file) && file !== "CHANGELOG.md");
  const named = read.flatMap((file) => {
    const texts = file.endsWith(".md") ? quotedIn(file) : commentsIn(file);
    return texts.flatMap((text) =>
      [...text.matchAll(/(?<![\w./@<*…-])[\w[][\w()[\]./-]*\.(?:tsx?|mjs)(?![\w*(])/g)].map(([name]) => ({
        file,
        name,
      })),
    );
  });
  expect(named.length).toBeGreaterThan(500);
  expect(named.filter(({ name }) => !ends.has(name) && !NO_FILES.has(name))).toEqual([]);
});

function commentsIn(file: string): string[] {
  return readFileSync(file, "utf8").match(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*/gm) ?? [];
}
