/** Every test that docs/threat-model.md cites must exist, and every threat must cite one or give a reason. */
import { describe, expect, test } from "vitest";
import { citedIn, missing, readPage, rowsUnder as rowsOf } from "./cited-tests.ts";

const page = readPage("docs/threat-model.md");
const rowsUnder = (heading: string) => rowsOf(page, heading);

test("every cited test is there", () => {
  const cited = citedIn(page);
  expect(cited.length).toBeGreaterThan(250);
  expect(missing(cited)).toEqual([]);
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
});
