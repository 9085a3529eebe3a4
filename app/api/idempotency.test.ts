/** Idempotency-Keys are each caller's own: nobody learns of another's task by a key, nor stands in its way. */
import { expect, test } from "vitest";
import { insertServer } from "@/test/fixtures/rows.ts";
import { webForFile } from "@/test/web.ts";

const web = webForFile();

const TOOL = {
  name: "pay",
  title: null,
  description: null,
  inputSchema: { type: "object" },
  taskSupport: "required",
  annotations: null,
  honoursIdempotencyKey: false,
};

async function place(slug: string) {
  const id = await web.organization(slug);
  const server = await insertServer(web.db, id, { tools: [TOOL] });
  const [ana, ben] = [await web.member(id, "Ana", "operator"), await web.member(id, "Ben", "operator")];
  const [one, other] = [await web.key(id, "operator"), await web.key(id, "operator")];
  const callers = [{ cookie: ana.cookie }, { cookie: ben.cookie }, { key: one }, { key: other }];
  const start = (who: object, amount: number) =>
    web.call("POST", "/api/v1/tasks", {
      ...who,
      body: { serverId: server.id, tool: "pay", arguments: { amount } },
      headers: { "idempotency-key": "invoice-100" },
    });
  const race = (who: object, amount: number) =>
    web.call("POST", "/api/v1/races", {
      ...who,
      body: {
        starts: [1, 2].map((n) => ({ serverId: server.id, tool: "pay", arguments: { amount: amount + n } })),
      },
      headers: { "idempotency-key": "invoice-100" },
    });
  return { id, callers, start, race };
}

test.each(["start", "race"] as const)(
  "a key that another has used, with the same body or another, says nothing of that and makes a %s of one's own",
  async (kind) => {
    const acme = await place(`acme-${kind}`);
    const call = acme[kind];
    const made = [];
    for (const who of acme.callers) made.push(await call(who, 7));
    expect(made.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(new Set(made.map(({ body }) => body.id)).size).toBe(4);
    // One's own repeats as before.
    for (const [at, who] of acme.callers.entries()) {
      const repeated = await call(who, 7);
      expect([repeated.status, repeated.body.id]).toEqual([200, made[at]?.body.id]);
      expect((await call(who, 8)).body.code).toBe("idempotency_mismatch");
    }
  },
);

test("two calls of one caller at once with one key make one task", async () => {
  const acme = await place("acme-twice");
  const both = await Promise.all([1, 2, 3, 4].map(() => acme.start(acme.callers[0]!, 7)));
  expect(new Set(both.map(({ body }) => body.id)).size).toBe(1);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 200, 200, 201]);
});
