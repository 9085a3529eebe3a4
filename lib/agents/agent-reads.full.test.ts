/** A list of agents holds the process no longer than others bear, however much their servers list and their grants have pinned. */
import { beforeAll, expect, test } from "vitest";
import { organizationForFile } from "../../test/fixtures/organization-for-file.ts";
import { insertServer } from "../../test/fixtures/rows.ts";
import { busiestTurn, MOST_HELD_MS } from "../../test/guards/busiest-turn.ts";
import { TOOLS } from "../mcp/limits.ts";
import { COMMAND_LINE } from "../people/organizations/organization-writes.ts";
import { listAgents, readAgent } from "./agent-reads.ts";
import { createMakerlessAgent } from "./agent-writes.ts";

const fixture = organizationForFile([]);
const SERVERS = 12;
const AGENTS = 60;

let first: string;
beforeAll(async () => {
  const { database, organizationId, sql } = fixture;
  const tools = Array.from({ length: TOOLS }, (_, n) => ({
    ...{ name: `tool_${n}`, title: null, description: null, taskSupport: "required", annotations: null },
    ...{ inputSchema: { type: "object" }, honoursIdempotencyKey: false },
  }));
  const grants: { serverId: string }[] = [];
  for (let n = 0; n < SERVERS; n++)
    grants.push({ serverId: (await insertServer(database, organizationId, { name: `${n}`, tools })).id });
  const agent = await fixture.within((tx) =>
    createMakerlessAgent(tx, COMMAND_LINE, { name: "Coder", grants }),
  );
  first = agent.id;
  await sql(
    `WITH made AS (INSERT INTO agent_credential (organization_id, id, name, role, secret_hash, expires_at)
        SELECT organization_id, gen_random_uuid(), name, role, sha256(convert_to(gen_random_uuid()::text, 'UTF8')), expires_at
        FROM agent_credential, generate_series(2, $2) WHERE id = $1 RETURNING organization_id, id)
      INSERT INTO agent_grant (organization_id, id, agent_id, server_id, digests)
        SELECT g.organization_id, gen_random_uuid(), made.id, g.server_id, g.digests
        FROM made, agent_grant g WHERE g.agent_id = $1`,
    [first, AGENTS],
  );
});

const list = (limit: number, cursor?: string) =>
  fixture.within((tx) => listAgents(tx, { limit, ...(cursor && { cursor }) }));

test("all that many agents have pinned of many servers is compared a little at a time", async () => {
  const busiest = await busiestTurn(async () => {
    const { items } = await list(200);
    return items.flatMap(({ grants }) => grants.flatMap(({ changed }) => changed)).length;
  });
  expect(busiest).toBeLessThan(MOST_HELD_MS);
  expect((await list(200)).items).toHaveLength(AGENTS);
});

test("of tools that changed, so many are named that an answer stays short, of each agent the same", async () => {
  await fixture.sql("UPDATE agent_grant SET digests = '{}' WHERE organization_id = $1", [
    fixture.organizationId,
  ]);
  const countOf = ({ grants }: Awaited<ReturnType<typeof list>>["items"][number]) =>
    grants.reduce((sum, { changed }) => sum + changed.length, 0);
  expect(new Set((await list(50)).items.map(countOf))).toEqual(new Set([100]));
  const alone = await fixture.within((tx) => readAgent(tx, first));
  expect(countOf(alone)).toBe(5_000);
});

test("a page of agents ends before their grants get too many", async () => {
  await fixture.sql(
    `INSERT INTO agent_grant (organization_id, id, agent_id, server_id, tool, digests)
      SELECT g.organization_id, gen_random_uuid(), g.agent_id, g.server_id, 'tool_' || n, '{}'
      FROM agent_grant g, generate_series(1, 40) n WHERE g.organization_id = $1`,
    [fixture.organizationId],
  );
  const ids: string[] = [];
  let cursor: string | undefined;
  let pages = 0;
  do {
    const { items, nextCursor } = await list(200, cursor);
    expect(items.flatMap(({ grants }) => grants).length).toBeLessThanOrEqual(2_000);
    ids.push(...items.map(({ id }) => id));
    cursor = nextCursor ?? undefined;
    pages++;
  } while (cursor);
  expect(pages).toBeGreaterThan(10);
  expect(new Set(ids).size).toBe(AGENTS);
  expect(ids).toHaveLength(AGENTS);
});
