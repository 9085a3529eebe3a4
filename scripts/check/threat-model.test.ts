/** Every test that docs/threat-model.md cites must exist, and every threat must cite one or give a reason. */
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const root = new URL("../..", import.meta.url);
const page = readFileSync(new URL("docs/threat-model.md", root), "utf8");
const cited = [...page.matchAll(/`([\w./()[\]-]+\.(?:test|spec)\.tsx?)`(?: "([^"]+)")?/g)].map(
  ([, file = "", name]) => ({ file, name: name ?? null }),
);
/** The rows of the table under a heading, as cells. */
function rowsUnder(heading: string): string[][] {
  const section = page.split(/^## /m).find((part) => part.startsWith(heading)) ?? "";
  return section
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .slice(2)
    .map((line) =>
      line
        .slice(1, -1)
        .split(" | ")
        .map((cell) => cell.trim()),
    );
}

test.each(cited.map(({ file, name }) => [file, name] as const))("%s %j is there", (file, name) => {
  const path = new URL(file, root);
  expect(existsSync(path)).toBe(true);
  if (name !== null) expect(readFileSync(path, "utf8")).toContain(name);
});

describe("no line is left open", () => {
  test("of what must never happen, and of hostile servers", () => {
    const rows = [...rowsUnder("What must never happen"), ...rowsUnder("Hostile servers")];
    expect(rows.length).toBeGreaterThan(15);
    for (const row of rows) expect(row.at(-1)).toMatch(/\.(test|spec)\.ts`/);
  });

  test("of A1 to A18", () => {
    const ids = rowsUnder("MCP: authorization").map(([id]) => id);
    expect(ids.slice(0, 18)).toEqual(Array.from({ length: 18 }, (_, at) => `A${at + 1}`));
    for (const row of rowsUnder("MCP: authorization")) expect(row.at(-1)).toMatch(/\.test\.ts`/);
  });

  test("of what the packages leave to us, and of people, organizations and secrets", () => {
    const rows = [...rowsUnder("What the official"), ...rowsUnder("People, organizations")];
    expect(rows.length).toBeGreaterThan(15);
    for (const row of rows) expect(row.at(-1)).toMatch(/\.(test|spec)\.ts`/);
  });

  test("of requests to other networks, elicitation, tasks and tools", () => {
    const rows = [...rowsUnder("MCP: server-side"), ...rowsUnder("MCP: elicitation")];
    expect(rows.length).toBeGreaterThan(35);
    for (const row of rows) expect(row.join(" ")).toMatch(/\.(test|spec)\.ts`|\*\*Gap\*\*|the operator's/);
  });

  test("of the seventeen chapters of ASVS 5", () => {
    const rows = rowsUnder("OWASP ASVS");
    expect(rows.map(([chapter]) => chapter?.split(" ")[0])).toEqual(
      Array.from({ length: 17 }, (_, at) => `V${at + 1}`),
    );
    for (const [, applies, , proof] of rows)
      if (applies !== "no") expect(proof).toMatch(/\.(test|spec)\.ts`/);
  });
});
