import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const text = readFileSync("docs/data-flow.md", "utf8");
const quoted = [...text.matchAll(/`([^`]+)`/g)].map(([, words]) => words ?? "");

test("the way of a question names files that are there", () => {
  const paths = quoted.filter((words) => /^(app|lib|prisma)\/\S*[^/]$/.test(words));
  expect(paths.length).toBeGreaterThan(20);
  expect(paths.filter((path) => !existsSync(path))).toEqual([]);
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
