import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { check } from "recheck";
import { parseAst } from "rolldown/parseAst";
import { expect, test } from "vitest";

/** Each pattern of the product, with the files that have it; those put together at run time are none of them. */
const literals = new Map<string, { source: string; flags: string; files: string[] }>();
const assembledIn = new Set<string>();

for (const file of productFiles()) {
  const program = parseAst(readFileSync(file, "utf8"), { lang: file.endsWith("x") ? "tsx" : "ts" });
  collect(program, file);
}

/** Patterns that are slow on long texts, or that can't be judged, and why they do no harm. */
const REVIEWED: Record<string, string> = {
  "lib/mcp/errors.ts": "an error's text is cut to ERROR_CHARACTERS first",
  "lib/engine/task/judge-poll.ts": "a status is cut to STATUS_CHARACTERS first",
  // The check tries texts for as long as it has time, and takes bounded repetitions for growth now and then.
  "lib/requests/answers/plain-no.ts": "bounded repetitions: grown-texts.full.test.ts",
  "lib/requests/destruction.ts": "bounded repetitions: grown-texts.full.test.ts",
  "lib/text/foreign/hidden.ts": "bounded repetitions: grown-texts.full.test.ts",
  "lib/text/foreign/names.ts": "bounded repetitions: grown-texts.full.test.ts",
  "lib/text/foreign/secrets.ts": "bounded repetitions: grown-texts.full.test.ts",
  "lib/text/message-tokens.ts": "reads up to 40 characters again from each capital: grown-texts.full.test.ts",
};

/** Files that put patterns together. Where they read texts of others, grown-texts.full.test.ts covers them. */
const ASSEMBLING = [
  "lib/requests/answers/alarms.ts",
  "lib/requests/answers/plain-no.ts", // of a message of 10,000 characters at most
  "lib/requests/words/party-words.ts", // words of our own
  "lib/tasks/message-as-command.ts", // words of our own
  "lib/text/facts/party.ts", // words of our own
  "lib/text/foreign/alike.ts",
  "lib/text/foreign/quoted.ts",
  "lib/text/foreign/secrets.ts",
  "lib/text/foreign/yes-no.ts",
  "lib/text/message-tokens.ts",
  "lib/text/money.ts",
];

test("no pattern takes longer than its text grows", { timeout: 600_000, tags: ["full"] }, async () => {
  expect(literals.size).toBeGreaterThan(100);
  const slow: string[] = [];
  for (const { source, flags, files } of literals.values()) {
    const found = await check(source, flags, { timeout: 60_000 });
    const unreviewed = files.filter((file) => !REVIEWED[file]);
    const words = found.status === "vulnerable" ? found.complexity.summary : found.status;
    if (found.status !== "safe" && unreviewed.length > 0)
      slow.push(`${unreviewed.join(", ")}: /${source}/${flags} is ${words}`);
  }
  expect(slow).toEqual([]);
});

test("patterns are put together in the files that were looked at", () => {
  expect([...assembledIn].sort()).toEqual(ASSEMBLING);
});

function* productFiles(): Generator<string> {
  yield "proxy.ts";
  for (const folder of ["app", "components", "lib"])
    for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }))
      if (/\.tsx?$/.test(name) && !/\.test\.|fixtures|^generated/.test(name)) yield join(folder, name);
}

function collect(node: unknown, file: string): void {
  if (typeof node !== "object" || node === null) return;
  if (Array.isArray(node)) {
    for (const inner of node) collect(inner, file);
    return;
  }
  const { type, regex, callee } = node as {
    type?: string;
    regex?: { pattern: string; flags: string };
    callee?: { name?: string };
  };
  if (regex) {
    const key = `/${regex.pattern}/${regex.flags}`;
    const known = literals.get(key);
    if (known) known.files.push(file);
    else literals.set(key, { source: regex.pattern, flags: regex.flags, files: [file] });
  }
  if ((type === "NewExpression" || type === "CallExpression") && callee?.name === "RegExp")
    assembledIn.add(file);
  for (const inner of Object.values(node)) collect(inner, file);
}
