/** A server may describe its tools anew each time, as long as it likes: what it said before is read in pages that nobody waits for. */
import { expect, test } from "vitest";
import { organizationForFile } from "../../test/fixtures/organization-for-file.ts";
import { insertServer } from "../../test/fixtures/rows.ts";
import { busiestTurn, MOST_HELD_MS } from "../../test/guards/busiest-turn.ts";
import type { Services } from "../base/process/services.ts";
import { TOOL_VALUES } from "../mcp/limits.ts";
import { listTools, listToolVersions } from "./tool-versions.ts";

const fixture = organizationForFile([]);
const COUNT = 60;

/** As many values as one tool may have. */
const LONG = {
  ...{ title: null, description: null, annotations: null },
  inputSchema: {
    type: "object",
    properties: Object.fromEntries(
      Array.from({ length: TOOL_VALUES - 10 }, (_, n) => [`n${n.toString(36)}`, {}]),
    ),
  },
};

/** A server whose every tool was used when it had a long text. Each text is another one. */
async function serverOfBefore(): Promise<string> {
  const { database, organizationId, sql } = fixture;
  const tools = Array.from({ length: COUNT }, (_, n) => ({
    ...{ name: `tool_${n}`, title: null, description: null, taskSupport: "required", annotations: null },
    ...{ inputSchema: { type: "object" }, honoursIdempotencyKey: false },
  }));
  const { id } = await insertServer(database, organizationId, { tools });
  await sql(
    `INSERT INTO server_tool_version (organization_id, server_id, tool, digest, described, since, until, used_at, used_by)
      SELECT $1, $2, 'tool_' || n, sha256(convert_to(n::text, 'UTF8')), $3::json, now() - n * interval '1 min', now(), now(), '{"kind": "system", "id": null, "name": "Test"}'
      FROM generate_series(0, $4) n`,
    [organizationId, id, JSON.stringify(LONG), COUNT - 1],
  );
  return id;
}

async function walk<T extends { nextCursor: string | null; items: object[] }>(
  page: (cursor: string | undefined) => Promise<T>,
): Promise<T["items"]> {
  const all: object[] = [];
  let cursor: string | undefined;
  do {
    const { items, nextCursor } = await page(cursor);
    expect(items.length).toBeGreaterThan(0);
    expect(JSON.stringify(items).length).toBeLessThan(2 * 1024 * 1024);
    all.push(...items);
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);
  return all;
}

test("versions", async () => {
  const serverId = await serverOfBefore();
  const page = (cursor?: string) =>
    fixture.within((tx) => listToolVersions(tx, serverId, { limit: 50, ...(cursor && { cursor }) }));
  expect(await busiestTurn(async () => (await page()).items.length)).toBeLessThan(MOST_HELD_MS);
  const all = (await walk(page)) as { tool: string; inputSchema: object }[];
  expect(all.map(({ tool }) => tool)).toEqual(Array.from({ length: COUNT }, (_, n) => `tool_${n}`));
  expect(all[7]?.inputSchema).toEqual(LONG.inputSchema);
});

test("tools that changed, each beside what it was when it was used", async () => {
  const serverId = await serverOfBefore();
  const services = { db: fixture.database } as Services;
  const page = (cursor?: string) =>
    listTools(services, fixture.operator, serverId, {
      ...{ asSeen: "true", limit: 200 },
      ...(cursor && { cursor }),
    });
  expect(await busiestTurn(async () => (await page()).items.length)).toBeLessThan(MOST_HELD_MS);
  const all = (await walk(page)) as Awaited<ReturnType<typeof page>>["items"];
  expect(all.map(({ name }) => name)).toEqual(Array.from({ length: COUNT }, (_, n) => `tool_${n}`));
  expect(all.map(({ change }) => change?.before.inputSchema)).toEqual(
    Array.from({ length: COUNT }, () => LONG.inputSchema),
  );
});
