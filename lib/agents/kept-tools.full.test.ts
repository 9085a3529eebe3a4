import { expect, test } from "vitest";
import { organizationForFile } from "../../test/fixtures/organization-for-file.ts";
import { insertServer } from "../../test/fixtures/rows.ts";
import { busiestTurn, MOST_HELD_MS } from "../../test/guards/busiest-turn.ts";
import { TOOLS_VALUES } from "../mcp/limits.ts";
import { keptTools } from "./kept-tools.ts";

const fixture = organizationForFile([]);
const SERVERS = 40;

test("lists of many servers, each as long as it may be, hold the process no longer than one", async () => {
  const properties = Object.fromEntries(
    Array.from({ length: TOOLS_VALUES / 200 }, (_, n) => [`n${n.toString(36)}`, {}]),
  );
  const tools = Array.from({ length: 100 }, (_, n) => ({
    ...{ name: `tool_${n}`, title: null, taskSupport: "required", annotations: null },
    ...{ description: "é\u200b ".repeat(3_000), honoursIdempotencyKey: false },
    inputSchema: { type: "object", properties },
  }));
  const servers: { id: string; checkedAt: null }[] = [];
  for (let n = 0; n < SERVERS; n++) {
    const { id } = await insertServer(fixture.database, fixture.organizationId, { name: `${n}`, tools });
    servers.push({ id, checkedAt: null });
  }
  const read = async () => {
    const found = await fixture.within((tx) => keptTools(tx, servers));
    return [...found.values()].map((listed) => listed?.size).join();
  };
  expect(await read()).toBe(Array.from({ length: SERVERS }, () => 100).join());
  expect(await busiestTurn(read)).toBeLessThan(MOST_HELD_MS);
});
