/** docs/asvs.md: it has every requirement once, what is held cites a test that exists, and the sums are true. */
import { existsSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { citedIn, missing, readPage, rowsUnder } from "./cited-tests.ts";

const page = readPage("docs/asvs.md");

/** How many requirements of levels 1 and 2 each chapter of ASVS 5.0.0 has. */
const CHAPTERS: [title: string, level1: number, level2: number][] = [
  ["V1 Encoding and sanitization", 8, 19],
  ["V2 Validation and business logic", 4, 7],
  ["V3 Web frontend", 8, 11],
  ["V4 API and web service", 2, 8],
  ["V5 File handling", 4, 5],
  ["V6 Authentication", 13, 22],
  ["V7 Session management", 6, 12],
  ["V8 Authorization", 4, 3],
  ["V9 Self-contained tokens", 4, 3],
  ["V10 OAuth and OIDC", 5, 24],
  ["V11 Cryptography", 3, 11],
  ["V12 Secure communication", 3, 6],
  ["V13 Configuration", 1, 12],
  ["V14 Data protection", 2, 7],
  ["V15 Secure coding and architecture", 3, 10],
  ["V16 Security logging and error handling", 0, 16],
  ["V17 WebRTC", 0, 7],
];
const STATES = ["held", "in part", "not held", "operator", "n.a."];

interface Row {
  id: string;
  level: string;
  asks: string;
  state: string;
  where: string;
  proof: string;
}

/** The requirements of the last table: ids of level 1 and of level 2 in a cell each. */
const notApplicable: Row[] = rowsUnder(page, "Not applicable").flatMap(([where = "", ...levels]) =>
  levels.flatMap((cell, at) =>
    cell
      .split(", ")
      .filter((id) => id !== "–")
      .map((id) => ({ id, level: String(at + 1), asks: "", state: "n.a.", where, proof: "" })),
  ),
);
const stated = (title: string): Row[] =>
  rowsUnder(page, title).map(
    ([id = "", level = "", asks = "", state = "", where = "", proof = "", ...more]) => {
      expect(more, id).toEqual([]);
      return { id, level, asks, state, where, proof };
    },
  );
const rowsOf = (title: string): Row[] => [
  ...stated(title),
  ...notApplicable.filter(({ id }) => id.startsWith(`${title.split(" ")[0]}.`)),
];
const all = CHAPTERS.flatMap(([title]) => rowsOf(title));

describe("the requirements", () => {
  test.each(CHAPTERS)("of %s are all there: %i of level 1 and %i of level 2", (title, ...expected) => {
    const [chapter] = title.split(" ");
    const rows = rowsOf(title);
    expect(["1", "2"].map((level) => rows.filter((row) => row.level === level).length)).toEqual(expected);
    for (const { id } of rows) expect(id).toMatch(new RegExp(`^${chapter}\\.\\d+\\.\\d+$`));
  });

  test("stand there once each, those of the chapters in their order", () => {
    expect(new Set(all.map(({ id }) => id)).size).toBe(253);
    expect(all.length).toBe(253);
    const ids = CHAPTERS.flatMap(([title]) => stated(title)).map(({ id }) => id);
    const number = (id: string) =>
      id
        .slice(1)
        .split(".")
        .reduce((sum, part) => sum * 100 + Number(part), 0);
    expect(ids).toEqual([...ids].sort((one, other) => number(one) - number(other)));
  });

  test("are counted as they are in the first table", () => {
    const count = (rows: Row[]) =>
      STATES.map((state) => String(rows.filter((row) => row.state === state).length));
    expect(rowsUnder(page, "Summary")).toEqual([
      ...CHAPTERS.map(([title]) => [title, ...count(rowsOf(title))]),
      ["all", ...count(all)],
    ]);
  });
});

describe("a line", () => {
  test("has a state that is known, and is short", () => {
    for (const { id, asks, state, where } of CHAPTERS.flatMap(([title]) => stated(title))) {
      expect(STATES, id).toContain(state);
      expect(asks.length, id).toBeGreaterThan(3);
      expect(where.length, `${id}: ${where}`).toBeLessThanOrEqual(120);
    }
  });

  test("that is held cites a test, or says that there is none", () => {
    for (const { id, state, proof } of all)
      if (state === "held") expect(proof, id).toMatch(/^(`[^`]+\.(test|spec)\.tsx?`|no test: )/);
  });

  test("that is not held, in part held, the operator's or not applicable says why", () => {
    for (const { id, state, where } of all) if (state !== "held") expect(where.length, id).toBeGreaterThan(2);
  });
});

test("every cited test is there", () => {
  const cited = citedIn(page);
  expect(cited.length).toBeGreaterThan(150);
  expect(missing(cited)).toEqual([]);
});

test("files that the page names are there", () => {
  const files = [...page.matchAll(/`((?:lib|app|components|scripts|ops|docs)\/[\w./()[\]-]+)`/g)];
  expect(files.map(([, file = ""]) => file).filter((file) => !existsSync(file))).toEqual([]);
});

test("docs/data.md sorts every table of the database", () => {
  const tables = new Set<string>();
  for (const folder of readdirSync("prisma/migrations").sort()) {
    if (!/^\d{4}_/.test(folder)) continue;
    const sql = readPage(`prisma/migrations/${folder}/migration.sql`).replaceAll(/--.*/g, "");
    for (const [, made, dropped] of sql.matchAll(/\b(?:CREATE TABLE "?(\w+)|DROP TABLE "?(\w+))/g)) {
      if (made) tables.add(made);
      if (dropped) tables.delete(dropped);
    }
  }
  const classes = rowsUnder(`## ${readPage("docs/data.md")}`, "# Data");
  const sorted = new Set(
    classes.flatMap((row) => [...(row[2] ?? "").matchAll(/`(\w+)`/g)].map(([, name = ""]) => name)),
  );
  expect([...tables].filter((name) => !sorted.has(name))).toEqual([]);
  expect([...sorted].filter((name) => !tables.has(name))).toEqual([]);
});
