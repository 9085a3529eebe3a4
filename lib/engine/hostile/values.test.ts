/** Servers whose replies can be read, but whose times, texts and errors are out of all proportion. */
import { describe, test } from "vitest";
import { createHostileFixture, PATIENCE_MS } from "../../../test/fixtures/hostile-fixture.ts";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { forFile, manyAtOnce } from "../../../test/for-file.ts";
import type { Act } from "../../../test/servers/hostile-server.ts";
import { STATUS_CHARACTERS } from "../../mcp/limits.ts";

const MEGABYTE = 1024 * 1024;
const ERAS = ["2025-11-25", "2026-07-28"] as const;
const fixture = forFile(createHostileFixture);

const saying =
  (more: () => Record<string, unknown>): Act =>
  ({ message, response, result }) => {
    if (message.method !== "tasks/get") return false;
    // NaN and 1e999 are written as they are: JSON.stringify would make null of them.
    const text = JSON.stringify({ jsonrpc: "2.0", id: message.id, result: { ...result, ...more() } });
    response.writeHead(200, { "content-type": "application/json" }).end(text.replaceAll('"1e308"', "1e308"));
    return true;
  };

const VALUES = ERAS.flatMap((era) =>
  [0, -1, 0.001, "1e308", "soon", null, [], {}].map((value) => ({
    era,
    value,
    named: JSON.stringify(value),
  })),
);

manyAtOnce();
describe.concurrent("a server says", { timeout: 300_000 }, () => {
  test.for(VALUES)(
    "$named for its times ($era): it is polled at our own pace",
    async ({ era, value }, context) => {
      const { expect } = context;
      const times = {
        pollInterval: value,
        pollIntervalMs: value,
        ttl: value === 0 ? null : value,
        ttlMs: value === 0 ? null : value,
        lastUpdatedAt: value === null ? "+275760-09-14T00:00:00Z" : String(value),
        createdAt: value === null ? "-271821-04-20T00:00:00Z" : String(value),
        statusMessage: "odd",
      };
      const task = await fixture.task(
        context,
        era,
        saying(() => times),
      );
      await until(
        "it was read",
        async () => (await fixture.queries.task(task.id)).statusMessage === "odd",
        PATIENCE_MS,
      );
      const from = { at: performance.now(), polls: task.server.seen.length };
      await fixture.secondTenantWorks();
      const polls = task.server.seen.length - from.polls;
      // At most four polls a second, plus streams.
      expect(polls).toBeLessThan((performance.now() - from.at) / 200 + 10);
      const row = await fixture.queries.task(task.id);
      expect(row.state).toBe("working");
      expect(row.pollIntervalMs ?? 0).toBeLessThanOrEqual(2_147_483_647);
      // The server asked for a poll interval of weeks.
      if (value === "1e308") return;
      await task.ends();
    },
  );

  test.for(ERAS)(
    "a megabyte at every poll, another each time (%s): it is read at a bounded rate",
    async (era, context) => {
      const { expect } = context;
      let times = 0;
      const began = performance.now();
      const task = await fixture.task(
        context,
        era,
        saying(() => ({ statusMessage: `${++times}${"abcdefghij"[times % 10]?.repeat(2 * MEGABYTE)}` })),
      );
      await until(
        "it was read",
        async () => (await fixture.queries.task(task.id)).statusMessage !== null,
        PATIENCE_MS,
      );
      await fixture.secondTenantWorks();
      const polls = task.server.seen.filter(({ method }) => method === "tasks/get").length;
      // Reading two megabytes may take half a minute.
      expect(polls).toBeLessThan(5 + (performance.now() - began) / 20_000);
      expect((await fixture.queries.task(task.id)).statusMessage?.length).toBe(STATUS_CHARACTERS);
      for (const { body } of await task.messages()) expect(JSON.stringify(body).length).toBeLessThan(100_000);
      for (const { data } of await task.events()) expect(JSON.stringify(data).length).toBeLessThan(10_000);
    },
  );

  test("texts with NUL, lone surrogates and markup: each is kept once, as text", async (context) => {
    const { expect } = context;
    const odd = "<b>\u0000\uD800\u202E</b>\u0007";
    const task = await fixture.task(
      context,
      "2026-07-28",
      saying(() => ({ statusMessage: odd })),
    );
    await until(
      "it was read",
      async () => (await fixture.queries.task(task.id)).statusMessage !== null,
      PATIENCE_MS,
    );
    const events = (await task.events()).length;
    const polls = task.server.seen.length;
    await until("it is polled on", async () => task.server.seen.length > polls + 3, PATIENCE_MS);
    expect(await task.events()).toHaveLength(events);
    await task.ends();
  });

  test("an error whose words repeat for megabytes: reading it does not stop the engine", async (context) => {
    const { expect } = context;
    const act: Act = ({ message, send }) => {
      if (message.method !== "tasks/get") return false;
      send({ jsonrpc: "2.0", id: message.id, error: { code: -32603, message: "task ".repeat(1_500_000) } });
      return true;
    };
    const task = await fixture.task(context, "2025-11-25", act);
    await until(
      "it was told",
      async () => task.server.seen.some(({ method }) => method === "tasks/get"),
      PATIENCE_MS,
    );
    await fixture.secondTenantWorks();
    expect((await fixture.queries.task(task.id)).state).toBe("working");
    await task.ends();
  });

  test("that it refuses the call, in megabytes: the task fails with the beginning of it", async (context) => {
    const { expect, onTestFinished } = context;
    const act: Act = ({ message, send }) => {
      if (message.method !== "tasks/get") return false;
      send({
        jsonrpc: "2.0",
        id: message.id,
        result: { taskId: "t", status: "failed", error: { code: 1, message: "no ".repeat(MEGABYTE) } },
      });
      return true;
    };
    const task = await fixture.task({ onTestFinished }, "2026-07-28", act);
    const row = await fixture.queries.inState(task.id, "failed");
    expect(JSON.stringify(row.error).length).toBeLessThan(3_000);
  });

  test.for([401, 429] as const)(
    "HTTP %i with more than it should: nobody waits for a century",
    async (status, context) => {
      const { expect } = context;
      const century = { "retry-after": String(100 * 365 * 86_400) };
      const act: Act = ({ message, response }) => {
        if (message.method !== "tasks/get") return false;
        const challenge = {
          "www-authenticate": `Bearer resource_metadata="http://127.0.0.1:1/${"x".repeat(8_000)}"`,
        };
        response.writeHead(status, status === 401 ? challenge : century).end();
        return true;
      };
      const task = await fixture.task(context, "2026-07-28", act);
      const row = await until(
        "the server is not well",
        async () => {
          const found = await task.row();
          return found.healthState !== "ok" && found;
        },
        PATIENCE_MS,
      );
      expect(row.healthMessage).toBe(
        status === 401 ? "The server refuses our credentials." : "The server asks us to wait.",
      );
      await fixture.secondTenantWorks();
      expect((await fixture.queries.task(task.id)).state).toBe("working");
    },
  );
});
