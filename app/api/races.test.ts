import { beforeAll, describe, expect, test } from "vitest";
import { raceSchema } from "@/lib/lifecycle/races/race-schema.ts";
import { setQuota } from "@/lib/people/organizations/quota.ts";
import { taskDetailSchema } from "@/lib/tasks/task-schema.ts";
import { insertServer } from "@/test/fixtures/rows.ts";
import { webForFile } from "@/test/web.ts";

const web = webForFile();
let acme: string;
let operator: string;
let servers: { id: string; connectionId: string }[];

const tool = (name: string, annotations: object | null) => ({
  name,
  title: null,
  description: null,
  inputSchema: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] },
  taskSupport: "optional",
  annotations,
  honoursIdempotencyKey: false,
});
const TOOLS = [tool("pay", null), tool("look", { readOnlyHint: true })];

beforeAll(async () => {
  acme = await web.organization("acme");
  servers = [];
  for (const name of ["One", "Two", "Three"])
    servers.push(await insertServer(web.db, acme, { name, tools: TOOLS }));
  operator = await web.key(acme, "operator");
});

const starts = (amounts: unknown[]) =>
  amounts.map((amount, at) => ({ serverId: servers[at]?.id, tool: "pay", arguments: { amount } }));
const race = (body: object, headers: Record<string, string> = {}, key = operator) =>
  web.call("POST", "/api/v1/races", { key, body, headers });
const tasks = async (organizationId = acme) =>
  web.db.withOrganization(organizationId, (tx) => tx.task.count({ where: { organizationId } }));

describe("a race", () => {
  test("queues one task a server, as one group that each of them names", async () => {
    const { status, headers, body } = await race({ starts: starts([1, 2, 3]), ttlMs: 60_000 });
    expect(status).toBe(201);
    expect(headers.get("location")).toBe(`/api/v1/races/${body.id}`);
    expect(raceSchema.parse(body)).toMatchObject({ state: "running", winnerTaskId: null, finishedAt: null });
    expect(body.tasks.map((each: { server: { name: string } }) => each.server.name)).toEqual([
      "One",
      "Two",
      "Three",
    ]);
    for (const each of body.tasks) {
      const { body: one } = await web.call("GET", `/api/v1/tasks/${each.id}`, { key: operator });
      expect(taskDetailSchema.parse(one)).toMatchObject({
        raceId: body.id,
        attempt: 1,
        attempts: 1,
        retryOf: null,
      });
    }
    const read = await web.call("GET", `/api/v1/races/${body.id}`, { key: operator });
    expect(read.body).toEqual(body);
  });

  test("is made once for a key, as a whole or not at all, and each start counts for the quota", async () => {
    const key = { "idempotency-key": "once" };
    const before = await tasks();
    const [one, two] = await Promise.all([
      race({ starts: starts([1, 2]) }, key),
      race({ starts: starts([1, 2]) }, key),
    ]);
    expect([one.status, two.status].sort()).toEqual([200, 201]);
    expect(one.body.id).toBe(two.body.id);
    expect((await race({ starts: starts([1, 3]) }, key)).body.code).toBe("idempotency_mismatch");

    const wrong = await race({ starts: starts([1, "much"]) });
    expect([wrong.status, wrong.body.code, wrong.body.start]).toEqual([422, "invalid_arguments", 1]);
    expect(wrong.body.errors[0].field).toBe("starts[1].amount");
    expect((await race({ starts: starts([1]) })).body.code).toBe("invalid_input");
    expect(await tasks()).toBe(before + 2);

    const small = await web.organization("small");
    await web.db.withOrganization(small, (tx) => setQuota(tx, { openTasks: 2 }));
    const theirs: { id: string }[] = [];
    for (const name of ["A", "B", "C"])
      theirs.push(await insertServer(web.db, small, { name, tools: TOOLS }));
    const theirKey = await web.key(small, "operator");
    const body = (count: number) => ({
      starts: theirs
        .slice(0, count)
        .map(({ id }) => ({ serverId: id, tool: "pay", arguments: { amount: 1 } })),
    });
    expect((await race(body(3), {}, theirKey)).body).toMatchObject({ code: "quota_exceeded", limit: 2 });
    expect(await tasks(small)).toBe(0);
    expect((await race(body(2), {}, theirKey)).status).toBe(201);
  });

  test("takes an operator, and is nobody else's to see", async () => {
    const { body } = await race({ starts: starts([1, 2]) });
    const viewer = await web.key(acme, "viewer");
    expect((await race({ starts: starts([1, 2]) }, {}, viewer)).status).toBe(403);
    expect((await web.call("GET", `/api/v1/races/${body.id}`, { key: viewer })).status).toBe(200);
    // A race without visible tasks does not exist for the caller.
    await web.db.withOrganization(acme, (tx) =>
      tx.task.updateMany({
        where: { organizationId: acme, raceId: body.id },
        data: { visibility: "private" },
      }),
    );
    expect((await web.call("GET", `/api/v1/races/${body.id}`, { key: viewer })).body.code).toBe("not_found");
  });
});

describe("trying failures again", () => {
  const start = (name: string, retry: object) =>
    web.call("POST", "/api/v1/tasks", {
      key: operator,
      body: { serverId: servers[0]?.id, tool: name, arguments: { amount: 1 }, retry },
    });
  const plan = { attempts: 3, backoffMs: 1_000 };

  test("takes a tool that says that repeating it does no harm, or a caller who insists, which is recorded", async () => {
    const refused = await start("pay", plan);
    expect([refused.status, refused.body.code]).toEqual([422, "not_repeatable"]);
    expect(refused.body.errors[0].field).toBe("retry.insist");
    expect((await start("look", plan)).body).toMatchObject({ attempt: 1, attempts: 3, nextAttemptAt: null });

    const insisting = await start("pay", { ...plan, insist: true });
    expect(insisting.status).toBe(201);
    const { body } = await web.call("GET", `/api/v1/tasks/${insisting.body.id}/events`, { key: operator });
    expect(body.items[0]).toMatchObject({
      type: "task.queued",
      data: { retry: { ...plan, errors: false, insist: true } },
    });
    for (const wrong of [{ attempts: 1 }, { attempts: 11 }, { backoffMs: 999 }, { backoffMs: 86_400_001 }])
      expect((await start("look", { ...plan, ...wrong })).status).toBe(422);
  });
});

test("recent arguments are one's own, of the tool, different ones, newest first", async () => {
  const ola = await web.member(acme, "Ola", "operator");
  const call = (cookie: string, amount: number) =>
    web.call("POST", "/api/v1/tasks", {
      cookie,
      body: { serverId: servers[2]?.id, tool: "pay", arguments: { amount } },
    });
  for (const amount of [1, 2, 1]) expect((await call(ola.cookie, amount)).status).toBe(201);
  const gus = await web.member(acme, "Gus", "operator");
  await call(gus.cookie, 99);
  const path = `/api/v1/tasks/recent-arguments?serverId=${servers[2]?.id}&tool=pay`;
  const recent = async (who: object) => (await web.call("GET", path, who)).body.items;
  const seen = (await recent(ola)) as { arguments: object }[];
  expect(seen.map((each) => each.arguments)).toEqual([{ amount: 1 }, { amount: 2 }]);
  expect(await recent({ key: operator })).toEqual([]);
});
