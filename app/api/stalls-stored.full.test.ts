/** No read holds the process, whatever is stored: what servers and programs said, as large as it is kept, in shapes that are costly to tell. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { storable } from "@/lib/base/db/db.ts";
import { normaliseForm } from "@/lib/mcp/forms/read-form.ts";
import { TOOLS_VALUES } from "@/lib/mcp/limits.ts";
import { withClient } from "@/scripts/database/roles.ts";
import { insertRequest, insertServer, insertTask } from "@/test/fixtures/rows.ts";
import { busiestTurn, MOST_HELD_MS } from "@/test/guards/busiest-turn.ts";
import { startDescribedWeb } from "@/test/guards/described.ts";
import { EXCEPTIONS } from "@/test/guards/exceptions.ts";
import { fill, type Operation } from "@/test/guards/operations.ts";
import { createTenantFixture, type TenantFixture } from "@/test/guards/tenant-fixture.ts";
import { sharedNames } from "@/test/guards/walk.ts";

const { web, operations } = await startDescribedWeb({ INTRAY_RATE_LIMIT: "1000000" });
let acme: TenantFixture;
beforeAll(async () => {
  acme = await createTenantFixture(web, "acme-stored");
});
afterAll(() => web.stop());

const repeated = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);
const named = <T>(count: number, value: (n: number) => T): Record<string, T> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`n${n.toString(36)}`, value(n)]));

/** Results and protocol messages, by how the most values or characters fit into them. */
const RESULTS: Record<string, object> = {
  texts: { content: repeated(49_000, { type: "text" }) },
  characters: { content: [{ type: "text", text: "é\u200b ".repeat(1_000_000) }] },
  names: { structuredContent: named(90_000, () => []), content: [] },
};
const MESSAGES: Record<string, object> = {
  empty: { params: repeated(30, repeated(1_000, "")) },
  characters: { params: { text: "é\u200b ".repeat(5_000) } },
  names: { params: named(900, () => named(8, () => 1)) },
};

/** Fields with as many choices as a form may have, in a question as long as one may be. */
const FORM = normaliseForm({
  type: "object",
  properties: named(40, (n) => ({
    type: "string",
    enum: Array.from({ length: 50 }, (_, at) => `value ${n} ${at} ${"x".repeat(90)}`),
  })),
});

interface Stored {
  task: string;
  request: string;
  server: string;
}

/** Makes a task with a question, of a server, all as large as they are kept. */
async function store(kind: keyof typeof RESULTS & keyof typeof MESSAGES): Promise<Stored> {
  const { db, database } = web;
  const { organizationId } = acme;
  const tools = Array.from({ length: 100 }, (_, n) => ({
    ...{ name: `tool_${n}`, title: null, taskSupport: "required", annotations: null },
    ...{ description: "é\u200b ".repeat(3_000), honoursIdempotencyKey: false },
    inputSchema: { type: "object", properties: named(TOOLS_VALUES / 200, () => ({})) },
  }));
  const server = await insertServer(db, organizationId, { name: `Large ${kind}`, tools });
  const task = await insertTask(db, organizationId, server, {
    arguments: named(80_000, () => ""),
    result: RESULTS[kind]!,
    state: "completed",
  });
  const { id: request } = await insertRequest(db, organizationId, task, {
    message: "Pay $1'1'1 or 1.1.1 EUR é\u200b? ".repeat(9_000),
    form: FORM,
  });
  await withClient(database.adminUrl, async (client) => {
    await client.query(
      `INSERT INTO protocol_message (organization_id, task_id, at, direction, method, body)
        SELECT $1, $2, now() + n * interval '1 ms', 'in', 'tasks/get', $3::json FROM generate_series(1, 200) n`,
      [organizationId, task, JSON.stringify(storable(MESSAGES[kind]))],
    );
    await client.query(
      `INSERT INTO request_comment (organization_id, id, input_request_id, author, written_by, text)
        SELECT $1, gen_random_uuid(), $2, $3, $4, $5 FROM generate_series(1, 500)`,
      [
        ...[organizationId, request, acme.people.owner.userId],
        ...[{ kind: "member", id: acme.people.owner.userId, name: "Owner" }, "é\u200b @ ".repeat(500)],
      ],
    );
  });
  return { task, request, server: server.id };
}

/** The call with nothing but its ids, and with as much as it brings. */
function asked({ query, name }: Operation): Record<string, unknown>[] {
  const most = Object.fromEntries(
    query.flatMap(({ name, schema }) => (name === "limit" ? [["query.limit", schema.maximum]] : [])),
  );
  const searches = query.some(({ name }) => name === "q")
    ? [{ ...most, "query.q": "é 1'1 x".repeat(20) }]
    : [];
  return [EXCEPTIONS[name]?.values ?? {}, most, ...searches];
}

test.each(Object.keys(RESULTS))("no read of large %s holds the process", async (kind) => {
  const stored = await store(kind);
  const held: string[] = [];
  const names = sharedNames((operation) => acme.things("owner", operation));
  for (const operation of operations) {
    if (operation.method !== "GET" || operation.path === "/api/v1/stream") continue;
    const { id } = await names(operation);
    for (const values of asked(operation)) {
      const { path } = fill(operation, {
        id: (slot) => stored[slot.kind as keyof Stored] ?? id(slot),
        value: (place) => values[place],
      });
      const options = { key: acme.keys.owner, headers: EXCEPTIONS[operation.name]?.headers ?? {} };
      const busiest = await busiestTurn(async () => {
        const answer = await web.open("GET", path, options);
        await answer.arrayBuffer();
        return answer.status;
      });
      if (busiest > MOST_HELD_MS) held.push(`${path}: ${Math.round(busiest)} ms`);
    }
  }
  expect(held).toEqual([]);
});
