/** Limits: calls a minute, open tasks, and starts. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { createMakerlessAgent } from "@/lib/agents/agent-writes.ts";
import { COMMAND_LINE } from "@/lib/people/organizations/organization-writes.ts";
import { setQuota } from "@/lib/people/organizations/quota.ts";
import { withClient } from "@/scripts/database/roles.ts";
import { insertServer, insertTask } from "@/test/fixtures/rows.ts";
import { webForFile } from "@/test/web.ts";

const web = webForFile({ INTRAY_RATE_LIMIT: "50" });

describe("calls", () => {
  const repeat = (count: number, call: () => Promise<{ status: number }>) =>
    Promise.all(Array.from({ length: count }, call)).then((all) => Map.groupBy(all, ({ status }) => status));

  test("are refused beyond the limit, of a member and of a key apart, with the time to wait", async () => {
    const acme = await web.organization("calls");
    const { cookie } = await web.member(acme, "Ana", "owner");
    const key = await web.key(acme, "owner");
    for (const who of [{ cookie }, { key }]) {
      const answers = await repeat(80, () => web.call("GET", "/api/v1/me", who));
      expect([answers.get(200)?.length, answers.get(429)?.length]).toEqual([50, 30]);
    }
    const refused = await web.call("GET", "/api/v1/me", { key });
    expect([refused.body.code, refused.headers.get("content-type")]).toEqual([
      "throttled",
      "application/problem+json",
    ]);
    const wait = Number(refused.headers.get("retry-after"));
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(60);
    // Another caller's calls are counted separately.
    expect((await web.call("GET", "/api/v1/me", { key: await web.key(acme, "viewer") })).status).toBe(200);
  });

  test("whose transaction begins with the look at a key are counted alike, once each, and refused alike", async () => {
    const acme = await web.organization("entering");
    const key = await web.key(acme, "owner");
    const list = () => web.call("GET", "/api/v1/tasks?limit=1", { key });
    // One after the other: from the second on it is known whose the key is.
    for (let n = 0; n < 5; n++) expect((await list()).status).toBe(200);
    const answers = await repeat(75, list);
    expect([answers.get(200)?.length, answers.get(429)?.length]).toEqual([45, 30]);
    const other = await web.key(acme, "owner");
    const read = () => web.call("GET", "/api/v1/tasks?limit=1", { key: other });
    expect((await read()).status).toBe(200);
    expect((await read()).status).toBe(200);
    await web.db.withOrganization(acme, (tx) =>
      tx.apiKey.updateMany({ where: { organizationId: acme }, data: { revokedAt: new Date() } }),
    );
    expect((await read()).status).toBe(401);
  });

  test("of one batch of an agent's messages are as many as it holds", async () => {
    const { serveAgent } = await import("@/lib/web/mcp/endpoint.ts");
    const server = createServer(serveAgent).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const acme = await web.organization("batches");
    const { secret } = await web.db.withOrganization(acme, (tx) =>
      createMakerlessAgent(tx, COMMAND_LINE, { name: "Coder" }),
    );
    const send = async (count: number) => {
      const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${secret}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": "2025-03-26",
        },
        body: JSON.stringify(
          Array.from({ length: count }, (_, id) => ({ jsonrpc: "2.0", id, method: "ping" })),
        ),
      });
      await answer.arrayBuffer();
      return answer.status;
    };
    expect([await send(20), await send(60)]).toEqual([200, 429]);
  });

  test("that write are fewer, and do not use up those that read", async () => {
    const key = await web.key(await web.organization("writes"), "owner");
    const body = { holdMs: 1_000 };
    const answers = await repeat(30, () => web.call("PUT", "/api/v1/undo-window", { key, body }));
    expect([answers.get(200)?.length, answers.get(429)?.length]).toEqual([20, 10]);
    expect((await web.call("GET", "/api/v1/undo-window", { key })).body).toEqual(body);
  });

  test("without a credential are counted by the address", async () => {
    const from = (address: string) => ({ headers: { "x-forwarded-for": address } });
    const answers = await repeat(120, () => web.call("GET", "/api/v1/me", from("192.0.2.1")));
    expect([answers.get(401)?.length, answers.get(429)?.length]).toEqual([10, 110]);
    expect((await web.call("GET", "/api/v1/me", from("192.0.2.2"))).status).toBe(401);
  });

  test("of who asks whether the process lives, and of streams, are not counted", async () => {
    expect((await repeat(150, () => web.call("GET", "/healthz"))).get(200)).toHaveLength(150);
    const key = await web.key(await web.organization("streams"), "viewer");
    for (let round = 0; round < 60; round++) {
      const stream = await web.open("GET", "/api/v1/stream", { key });
      expect(stream.status).toBe(200);
      await stream.body?.cancel();
    }
  });
});

describe("quotas", () => {
  const TOOL = {
    name: "process_invoice",
    title: null,
    description: null,
    inputSchema: { type: "object" },
    taskSupport: "required",
    annotations: null,
    honoursIdempotencyKey: false,
  };

  async function place(slug: string, quota: Parameters<typeof setQuota>[1]) {
    const id = await web.organization(slug);
    await web.db.withOrganization(id, (tx) => setQuota(tx, quota));
    const server = await insertServer(web.db, id, { tools: [TOOL] });
    const [one, other] = [await web.key(id, "operator"), await web.key(id, "operator")];
    const start = (key = one, headers: Record<string, string> = {}) =>
      web.call("POST", "/api/v1/tasks", { key, headers, body: { serverId: server.id, tool: TOOL.name } });
    const rows = () =>
      withClient(web.database.adminUrl, async (client) => {
        const found = await client.query(
          "SELECT count(*)::integer AS count FROM task WHERE organization_id = $1",
          [id],
        );
        return found.rows[0].count as number;
      });
    return { id, server, one, other, start, rows };
  }

  test("hold when two start the last task at once", async () => {
    const { start, one, other, rows } = await place("edge", { startsAMinute: 3 });
    const answers = await Promise.all([
      start(one),
      start(other),
      start(one),
      start(other),
      start(one),
      start(other),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 429, 429, 429]);
    expect(await rows()).toBe(3);
    const refused = answers.find(({ status }) => status === 429)!;
    expect(refused.body).toMatchObject({ code: "quota_exceeded", quota: "starts", limit: 3 });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  test("are an organization's, and a member's or key's own", async () => {
    const { start, one, other, rows } = await place("each", { startsAMinuteEach: 1 });
    expect([(await start(one)).status, (await start(other)).status]).toEqual([201, 201]);
    expect((await start(one)).body).toMatchObject({ code: "quota_exceeded", quota: "own_starts", limit: 1 });
    expect(await rows()).toBe(2);
  });

  test("count what is open, and no longer what has ended", async () => {
    const { id, server, start, one, other, rows } = await place("open", { openTasks: 3, openTasksEach: 1 });
    await insertTask(web.db, id, server, { state: "completed" });
    const first = (await start(one)).body.id;
    expect((await start(one)).body).toMatchObject({ quota: "own_open_tasks", limit: 1 });
    await insertTask(web.db, id, server, { state: "start_unknown" });
    await insertTask(web.db, id, server);
    expect((await start(other)).body).toMatchObject({ quota: "open_tasks", limit: 3 });
    expect((await web.call("POST", `/api/v1/tasks/${first}/cancel`, { key: one })).status).toBe(202);
    expect((await start(other)).status).toBe(201);
    expect(await rows()).toBe(5);
  });

  test("never let one open task too many in while others end, and lose count of none", async () => {
    const { id, start, one, other } = await place("busy", { openTasks: 5, openTasksEach: 3 });
    const tasks = (which: string) =>
      withClient(web.database.adminUrl, async (client) => {
        const found = await client.query(
          `SELECT coalesce((SELECT sum(tasks) FROM open_tasks WHERE organization_id = $1), 0)::integer AS counted,
            (SELECT count(*) FROM task WHERE organization_id = $1 AND finished_at IS NULL)::integer AS open,
            (SELECT max(n) FROM (SELECT count(*)::integer AS n FROM task WHERE organization_id = $1
              AND finished_at IS NULL GROUP BY requested_by->>'id') each) AS most`,
          [id],
        );
        return found.rows[0][which] as number;
      });
    for (let round = 0; round < 2; round++) {
      const answers = await Promise.all(
        Array.from({ length: 6 }, async (_, n) => {
          const key = n % 2 ? one : other;
          const { status, body } = await start(key);
          if (status === 201 && n % 3 === 0)
            await web.call("POST", `/api/v1/tasks/${body.id}/cancel`, { key });
          return status;
        }),
      );
      expect(answers.filter((status) => status !== 201 && status !== 429)).toEqual([]);
      expect(await tasks("open")).toBeLessThanOrEqual(5);
      expect(await tasks("most")).toBeLessThanOrEqual(3);
      expect(await tasks("counted")).toBe(await tasks("open"));
    }
    // The quota is used up exactly.
    await Promise.all(Array.from({ length: 8 }, (_, n) => start(n % 2 ? one : other)));
    expect([await tasks("open"), await tasks("counted")]).toEqual([5, 5]);
  });

  test("count starting again as a start, and a repeated Idempotency-Key as none", async () => {
    const { start, one, rows } = await place("again", { startsAMinute: 2 });
    const { body } = await start(one, { "idempotency-key": "k" });
    expect((await start(one, { "idempotency-key": "k" })).status).toBe(200);
    const restart = () => web.call("POST", `/api/v1/tasks/${body.id}/restart`, { key: one });
    expect([(await restart()).status, (await restart()).body.code]).toEqual([201, "quota_exceeded"]);
    expect((await start(one, { "idempotency-key": "k" })).status).toBe(200);
    expect(await rows()).toBe(2);
  });

  test("of one organization are nothing to another", async () => {
    const full = await place("full", { openTasks: 0 });
    const free = await place("free", {});
    expect([(await full.start()).status, (await free.start()).status]).toEqual([429, 201]);
  });

  test("cannot be changed by who serves requests", async () => {
    await expect(
      withClient(web.database.appUrl, (client) => client.query("UPDATE quota SET open_tasks = 1000000")),
    ).rejects.toMatchObject({ code: "42501" });
    await expect(
      withClient(web.database.appUrl, (client) => client.query("UPDATE open_tasks SET tasks = 0")),
    ).rejects.toMatchObject({ code: "42501" });
  });
});
