import { expect, test } from "vitest";
import { organizationForFile } from "../../test/fixtures/organization-for-file.ts";
import { insertServer } from "../../test/fixtures/rows.ts";
import { TOOLS } from "../mcp/limits.ts";
import type { Tool } from "../mcp/peer.ts";
import { recordTools } from "./tool-changes.ts";

const fixture = organizationForFile([]);

test("of a server whose tools have other names each time, the last thousands are kept", async () => {
  const { database, organizationId, sql } = fixture;
  const { id } = await insertServer(database, organizationId);
  const list = (round: number): Tool[] =>
    Array.from({ length: TOOLS }, (_, n) => ({
      ...{ name: `${round} ${n}`, title: null, description: null, inputSchema: {}, annotations: null },
      ...{ taskSupport: "required", honoursIdempotencyKey: false },
    }));
  for (let round = 0; round < 5; round++) await fixture.within((tx) => recordTools(tx, id, list(round)));
  const kept = await sql(
    `SELECT split_part(tool, ' ', 1)::int AS round, count(*)::int, every(until IS NULL) AS "isCurrent"
      FROM server_tool_version WHERE server_id = $1 GROUP BY 1 ORDER BY 1`,
    [id],
  );
  expect(kept).toEqual([
    { round: 2, count: TOOLS, isCurrent: false },
    { round: 3, count: TOOLS, isCurrent: false },
    { round: 4, count: TOOLS, isCurrent: true },
  ]);
});
