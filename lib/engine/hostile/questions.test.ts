/** Servers whose questions are too many, too large or made to deceive; the questions stand in the polls of 2026-07-28. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, test } from "vitest";
import {
  createHostileFixture,
  type HostileFixture,
  PATIENCE_MS,
} from "../../../test/fixtures/hostile-fixture.ts";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { manyAtOnce } from "../../../test/for-file.ts";
import type { Act } from "../../../test/servers/hostile-server.ts";
import { formSchema } from "../../mcp/forms/form.ts";
import { OPEN_QUESTIONS, QUESTIONS } from "../../mcp/limits.ts";
import { CAPTURED_TOGETHER } from "../tunables.ts";

const MEGABYTE = 1024 * 1024;
let fixture: HostileFixture;
/** A server that Intray must not visit. */
let hits = 0;
const trap = createServer((_, response) => {
  hits++;
  response.end("{}");
});
let trapUrl: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => trap.listen(0, "127.0.0.1", resolve));
  trapUrl = `http://127.0.0.1:${(trap.address() as AddressInfo).port}/`;
  fixture = await createHostileFixture();
});
afterAll(async () => {
  await fixture.close();
  trap.close();
});

const ask = (message: string, requestedSchema?: unknown, more = {}) => ({
  method: "elicitation/create",
  params: { message, ...(requestedSchema !== undefined && { requestedSchema }), ...more },
});
const asking =
  (inputRequests: () => Record<string, unknown>): Act =>
  ({ message, reply, result }) => {
    if (message.method !== "tasks/get") return false;
    reply({ ...result, status: "input_required", inputRequests: inputRequests() });
    return true;
  };
/** One question, as the text of a member: a literal has no member `__proto__`. */
const KEYED = JSON.stringify(ask("Key?"));
const object = (properties: Record<string, unknown>, more = {}) => ({ type: "object", properties, ...more });
const nested = (levels: number) => {
  let schema: unknown = { type: "string" };
  for (let level = 0; level < levels; level++) schema = object({ a: schema });
  return schema;
};
const fields = (count: number) =>
  object(Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, { type: "string" }])));

manyAtOnce();
describe.concurrent("a question", { timeout: 300_000 }, () => {
  test.for<[string, () => Record<string, unknown>, RegExp]>([
    ["with 10,000 fields", () => ask("Many?", fields(10_000)), /10000 fields, more than 50/],
    ["with 10,000 fields that have titles", () => ask("Many?", titled(10_000)), /more than Intray takes/],
    ["that nests 40 levels deep", () => ask("Deep?", nested(40)), /no fields of its type/],
    ["of a megabyte", () => ask("x".repeat(MEGABYTE), fields(1)), /1,048,\d{3} characters, more than/],
    [
      "with a $ref to the network",
      () => ask("Ref?", object({ a: { $ref: trapUrl } })),
      /no fields of its type/,
    ],
    [
      "with a schema that is a $ref",
      () => ask("Ref?", { $ref: trapUrl, type: "object" }),
      /"\$ref" is not known/,
    ],
    ["with a $ref to itself", () => ask("Ref?", object({ a: { $ref: "#" } })), /no fields of its type/],
    ["with a $ref to a file", () => ask("Ref?", object({ a: { $ref: "file:///etc/passwd" } })), /no fields/],
    [
      "with a $schema from the network and a $ref",
      () => ask("?", { $schema: trapUrl, $ref: "#/a" }),
      /not known|type/,
    ],
    [
      "with a field __proto__",
      () => ask("Proto?", JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}')),
      /__proto__/,
    ],
    [
      "with a field whose name can't be kept",
      () => ask("?", object({ "a\u0000b": { type: "string" } })),
      /sent back|properties/,
    ],
    [
      "with a choice that can't be kept",
      () => ask("?", object({ a: { type: "string", enum: ["\uD800"] } })),
      /sent back/,
    ],
    [
      "with a format that does not exist",
      () => ask("?", object({ a: { type: "string", format: "x".repeat(9_000) } })),
      /unknown format/,
    ],
  ])("%s can only be declined, and says why", async ([, question, reason], { expect, onTestFinished }) => {
    const task = await fixture.task(
      { onTestFinished },
      "2026-07-28",
      asking(() => ({ q: question() })),
    );
    const request = await fixture.queries.openRequest(task.id);
    expect(request.form).toMatchObject({ kind: "unsupported", reason: expect.stringMatching(reason) });
    expect(formSchema.parse(request.form)).toMatchObject({ kind: "unsupported" });
    expect(request.message.length).toBeLessThan(5_000);
    expect(JSON.stringify(request.form).length).toBeLessThan(30_000);
    await expect(
      fixture.organization.answer(request.id, { action: "accept", content: { a: "x" } }),
    ).rejects.toMatchObject({ code: "unsupported_form" });
    for (const event of await task.events()) expect(JSON.stringify(event.data).length).toBeLessThan(10_000);
    await fixture.secondTenantWorks();
    await fixture.organization.answer(request.id, { action: "decline" });
    await until(
      "the decline was sent",
      async () => task.server.seen.some(({ method }) => method === "tasks/update"),
      PATIENCE_MS,
    );
    expect(hits).toBe(0);
    await task.ends();
  });

  test("in texts that hide and deceive is kept as text, without what Postgres can't keep", async ({
    expect,
    onTestFinished,
  }) => {
    const deceit = "<img src=x onerror=alert(1)> \u202Etxt.exe\u202C \u200Bzero \u0000 \uD800 \u001B[31m";
    const schema = object({ [deceit]: { type: "string", title: deceit, description: deceit } });
    const task = await fixture.task(
      { onTestFinished },
      "2026-07-28",
      asking(() => ({ q: ask(deceit, schema) })),
    );
    const request = await fixture.queries.openRequest(task.id);
    expect(request.message).toBe(deceit.replace("\u0000", "\uFFFD").replace("\uD800", "\uFFFD"));
    await fixture.organization.answer(request.id, { action: "decline" });
    await fixture.secondTenantWorks();
    await task.ends();
  });

  test("with a catastrophic pattern is judged without it", async ({ expect, onTestFinished }) => {
    const schema = object({ a: { type: "string", pattern: "^(a+)+$" } });
    const task = await fixture.task(
      { onTestFinished },
      "2026-07-28",
      asking(() => ({ q: ask("Regex?", schema) })),
    );
    const request = await fixture.queries.openRequest(task.id);
    expect(JSON.stringify(request.form)).not.toContain("a+");
    await fixture.organization.answer(request.id, {
      action: "accept",
      content: { a: `${"a".repeat(50_000)}!` },
    });
    await fixture.secondTenantWorks();
    await task.ends();
  });

  test.for<[string, string]>([
    ["of 600 characters", "k".repeat(600)],
    ["of a megabyte", "k".repeat(MEGABYTE)],
    [
      "that an index can't hold",
      Array.from({ length: 3_000 }, (_, at) => String.fromCharCode(0x4e00 + ((at * 7919) % 20_000))).join(""),
    ],
    ["with a NUL", "a\u0000b"],
    ["that is half a character", "a\uD800"],
    ["that objects have by themselves", "__proto__"],
  ])(
    "under a key %s is asked, and its answer goes to that key",
    async ([, key], { expect, onTestFinished }) => {
      const received: unknown[] = [];
      const act: Act = (seen) => {
        if (seen.message.method === "tasks/update") received.push(seen.message.params.inputResponses);
        return asking(() => (received.length > 0 ? {} : JSON.parse(`{${JSON.stringify(key)}:${KEYED}}`)))(
          seen,
        );
      };
      const task = await fixture.task({ onTestFinished }, "2026-07-28", act);
      const request = await fixture.queries.openRequest(task.id);
      expect(request.message).toBe("Key?");
      await fixture.organization.answer(request.id, { action: "accept", content: {} });
      await until("the server was told", async () => received.length > 0, PATIENCE_MS);
      expect(Object.entries(received[0] as object)).toEqual([[key, { action: "accept", content: {} }]]);
      await fixture.secondTenantWorks();
      await task.ends();
    },
  );

  test.for<[string, unknown, RegExp]>([
    ["asks for a completion", { method: "sampling/createMessage", params: {} }, /"sampling\/createMessage"/],
    ["asks for folders", { method: "roots/list" }, /"roots\/list"/],
    ["has no method", { params: { message: "?" } }, /does not say what/],
    ["is null", null, /does not say what/],
    ["is a text", "Sure?", /does not say what/],
    ["has no message, and no fields", { method: "elicitation/create", params: null }, /no message/],
    ["has parameters in a list", { method: "elicitation/create", params: ["Sure?"] }, /parameters/],
    ["has a number as its message", ask(7 as never), /message is not a text/],
    ["has an unknown mode", ask("Sing?", undefined, { mode: "voice" }), /mode is "voice"/],
    ["has nothing to visit", ask("Sign in", undefined, { mode: "url" }), /no address/],
    [
      "has an address that is too long",
      ask("Sign in", undefined, { mode: "url", url: `https://a.example/${"x".repeat(9_000)}` }),
      /address is too long/,
    ],
  ])(
    "that %s stands in the inbox beside the others, can only be declined, and says why",
    async ([, entry, reason], { expect, onTestFinished }) => {
      const received: Record<string, unknown>[] = [];
      const act: Act = (seen) => {
        if (seen.message.method === "tasks/update")
          received.push(seen.message.params.inputResponses as Record<string, unknown>);
        return asking(() => ({ bad: entry, good: ask("Good?") }) as Record<string, unknown>)(seen);
      };
      const task = await fixture.task({ onTestFinished }, "2026-07-28", act);
      await fixture.queries.openRequest(task.id);
      const requests = await fixture.queries.requestsOf(task.id);
      expect(requests.map(({ key }) => key).sort()).toEqual(["bad", "good"]);
      const request = requests.find(({ key }) => key === "bad")!;
      expect(request).toMatchObject({ state: "open", mode: "form", url: null });
      expect(request.form).toMatchObject({ kind: "unsupported", reason: expect.stringMatching(reason) });
      await expect(fixture.organization.answer(request.id, { action: "accept" })).rejects.toMatchObject({
        code: "unsupported_form",
      });
      await fixture.organization.answer(request.id, { action: "decline" });
      await until("the decline was sent", async () => received.length > 0, PATIENCE_MS);
      expect(received[0]).toEqual({ bad: { action: "decline" } });
      await task.ends();
    },
  );

  test.for<[string, Record<string, unknown>]>([
    ["has an empty mode", { mode: "" }],
    ["has null as its mode", { mode: null }],
    ["has null as its message", { message: null }],
  ])("that %s is a form to fill in", async ([, more], { expect, onTestFinished }) => {
    const task = await fixture.task(
      { onTestFinished },
      "2026-07-28",
      asking(() => ({ q: ask("Fill in", fields(1), more) })),
    );
    const request = await fixture.queries.openRequest(task.id);
    expect(request).toMatchObject({ mode: "form", form: { kind: "supported" } });
    await fixture.organization.answer(request.id, { action: "accept", content: { f0: "x" } });
    await task.ends();
  });

  test("is one of 1,000 at once: a hundred are open, and others follow as these are answered", {
    tags: ["full"],
  }, async ({ expect, onTestFinished }) => {
    const many = () =>
      Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`q${at}`, ask(`Number ${at}?`)]));
    const answered = new Set<string>();
    const act: Act = (asked) => {
      if (asked.message.method === "tasks/update")
        for (const key of Object.keys(asked.message.params.inputResponses as object)) answered.add(key);
      const open = () => Object.fromEntries(Object.entries(many()).filter(([key]) => !answered.has(key)));
      return asking(open)(asked);
    };
    const task = await fixture.task({ onTestFinished }, "2026-07-28", act);
    const openOnes = async () =>
      (await fixture.queries.requestsOf(task.id)).filter(({ state }) => state === "open");
    await until("a hundred are open", async () => (await openOnes()).length === OPEN_QUESTIONS, PATIENCE_MS);
    const together = await fixture.organization.within(
      (tx) => tx.$queryRaw<{ count: number }[]>`SELECT count(*)::int AS count FROM input_request
        WHERE organization_id = ${tx.organizationId}::uuid AND task_id = ${task.id}::uuid GROUP BY xmin::text`,
    );
    expect(Math.max(...together.map(({ count }) => count))).toBeLessThanOrEqual(CAPTURED_TOGETHER);
    const [first] = await openOnes();
    await fixture.organization.answer(first!.id, { action: "accept" });
    await until(
      "another one came in its place",
      async () => {
        const all = await fixture.queries.requestsOf(task.id);
        return (
          all.length === OPEN_QUESTIONS + 1 && all.find(({ id }) => id === first!.id)?.state === "settled"
        );
      },
      PATIENCE_MS,
    );
    expect(await openOnes()).toHaveLength(OPEN_QUESTIONS);
    await fixture.secondTenantWorks();
    await task.ends();
  });

  test("is the last one of a task that asks without end: this is logged once, and causes no more writes", {
    tags: ["full"],
  }, async ({ expect, onTestFinished }) => {
    let asked = 0;
    // One question stays until the task has many behind it.
    let goesOn = false;
    const task = await fixture.task(
      { onTestFinished },
      "2026-07-28",
      asking(() => {
        if (goesOn) asked++;
        return { [`question ${asked}`]: ask(`Another one, ${asked}?`) };
      }),
    );
    await fixture.queries.openRequest(task.id);
    const { organizationId } = fixture.organization;
    await fixture.organization.within(
      (
        tx,
      ) => tx.$executeRaw`INSERT INTO input_request (organization_id, id, task_id, connection_id, key, state, mode, message,
          form, question_hash, ended_at)
        SELECT organization_id, gen_random_uuid(), task_id, connection_id, 'old', 'withdrawn', 'form', 'Old?', form,
          question_hash, now()
        FROM (SELECT * FROM input_request WHERE organization_id = ${organizationId}::uuid
          AND task_id = ${task.id}::uuid LIMIT 1) one,
          -- All but ten: each poll takes one more.
          generate_series(1, ${QUESTIONS}::int - 10 - (SELECT count(*)::int FROM input_request
            WHERE organization_id = ${organizationId}::uuid AND task_id = ${task.id}::uuid))`,
    );
    goesOn = true;
    // Asked of the database: to read a thousand requests four times a second would take most of this file's time.
    const is = async (condition: string) => {
      const [row] = await fixture.organization.sql(`SELECT ${condition} AS is`, [task.id]);
      return row.is as boolean;
    };
    await until(
      "no more is taken",
      () => is("EXISTS (SELECT FROM event WHERE task_id = $1 AND type = 'request.last_taken')"),
      PATIENCE_MS,
    );
    await until(
      "the last one is over",
      () => is("NOT EXISTS (SELECT FROM input_request WHERE task_id = $1 AND state <> 'withdrawn')"),
      PATIENCE_MS,
    );
    const requests = async () => fixture.queries.requestsOf(task.id);
    const polls = () => task.server.seen.filter(({ method }) => method === "tasks/get").length;
    // Each transaction about a task stores what was said before it, and drops the oldest: their number tells nothing.
    const messages = async () => new Set((await task.messages()).map(({ id }) => id));
    const isPolledOn = async () => {
      const before = polls();
      await until("it is still polled", async () => polls() > before + 3, PATIENCE_MS);
    };
    // What the last one's end makes the engine write comes with the next polls.
    await isPolledOn();
    // The task's own: other tests go on meanwhile.
    const lines = async () => (await task.events()).length;
    const [told, stored] = [await lines(), await messages()];
    await isPolledOn();
    expect(await requests()).toHaveLength(QUESTIONS);
    expect([await lines(), await messages()]).toEqual([told, stored]);
    expect((await task.events()).filter(({ type }) => type === "request.last_taken")).toHaveLength(1);
    await fixture.secondTenantWorks();
    await task.ends();
  });

  test("whose text changes at every poll is one request that can be answered, by who agrees that it changes", async ({
    expect,
    onTestFinished,
  }) => {
    let asked = 0;
    const received: unknown[] = [];
    const act: Act = (seen) => {
      if (seen.message.method === "tasks/update") received.push(seen.message.params.inputResponses);
      const open = received.length > 0 ? {} : { same: ask(`Pay? ${60 - asked++} s left`, fields(1)) };
      return asking(() => open)(seen);
    };
    const task = await fixture.task({ onTestFinished }, "2026-07-28", act);
    const request = await until(
      "it is known to change",
      async () =>
        (await fixture.queries.requestsOf(task.id)).find(
          ({ state, rewordedAt }) => state === "open" && rewordedAt !== null,
        ),
      PATIENCE_MS,
    );
    const polls = () => task.server.seen.filter(({ method }) => method === "tasks/get").length;
    const [before, messages] = [polls(), (await task.messages()).length];
    await until("it is polled on", async () => polls() > before + 5, PATIENCE_MS);
    // The changing status causes no writes, and nobody's open form is replaced.
    const requests = await fixture.queries.requestsOf(task.id);
    expect(requests.length).toBeLessThanOrEqual(3);
    expect(requests.at(-1)).toMatchObject({ id: request.id, state: "open", message: request.message });
    expect((await task.messages()).length).toBe(messages);

    const answer = { action: "accept" as const, content: { f0: "x" } };
    await expect(fixture.organization.answer(request.id, answer)).rejects.toMatchObject({
      code: "question_changed",
    });
    await fixture.organization.answer(request.id, { ...answer, anyWording: true });
    await until("the server was told", async () => received.length > 0, PATIENCE_MS);
    const settled = await until(
      "it is settled",
      async () => {
        const row = await fixture.queries.request(request.id);
        return row.endedAt && row;
      },
      PATIENCE_MS,
    );
    expect(settled).toMatchObject({ state: "settled", questionHash: request.questionHash });
    expect(received).toEqual([{ same: { action: "accept", content: { f0: "x" } } }]);
    await fixture.secondTenantWorks();
    await task.ends();
  });

  test("whose form changes as well does not get an answer that was given to another form", async ({
    expect,
    onTestFinished,
  }) => {
    let asked = 0;
    let form = fields(1);
    const task = await fixture.task(
      { onTestFinished },
      "2026-07-28",
      asking(() => ({ same: ask(`Pay? ${asked++}`, form) })),
    );
    const request = await until(
      "it is known to change",
      async () =>
        (await fixture.queries.requestsOf(task.id)).find(
          ({ state, rewordedAt }) => state === "open" && rewordedAt !== null,
        ),
      PATIENCE_MS,
    );
    const content = { f0: "x" };
    await fixture.organization.answer(request.id, {
      action: "accept",
      content,
      anyWording: true,
      holdMs: 60_000,
    });
    form = object({ amount: { type: "number" } }, { required: ["amount"] });
    const next = await fixture.queries.openRequest(task.id);
    expect(next).toMatchObject({ replaces: request.id });
    expect(next.rewordedAt).not.toBeNull();
    expect(await fixture.queries.request(request.id)).toMatchObject({
      state: "withdrawn",
      endedReason: "replaced",
    });
    expect(task.server.seen.some(({ method }) => method === "tasks/update")).toBe(false);
    await task.ends();
  });

  test("that is missing in one poll stays, with its held answer; missing in two it is withdrawn", async ({
    expect,
    onTestFinished,
  }) => {
    /** For this many polls from now on. */
    let missing = 0;
    const task = await fixture.task(
      { onTestFinished },
      "2026-07-28",
      asking(() => (missing-- > 0 ? {} : { same: ask("Pay?") })),
    );
    const request = await fixture.queries.openRequest(task.id);
    await fixture.organization.answer(request.id, { action: "accept", holdMs: 60_000 });
    missing = 1;
    await until("it is there again", async () => missing < -2, PATIENCE_MS);
    expect((await fixture.queries.request(request.id)).state).toBe("answered");
    expect((await fixture.queries.deliveryOf(request.id)).state).toBe("held");
    missing = Number.POSITIVE_INFINITY;
    const over = await until(
      "it is over",
      async () => {
        const row = await fixture.queries.request(request.id);
        return row.endedAt && row;
      },
      PATIENCE_MS,
    );
    expect(over).toMatchObject({ state: "withdrawn", endedReason: "retracted" });
    expect(await fixture.queries.deliveryOf(request.id)).toMatchObject({ state: "failed", inDoubt: false });
    const line = (await task.events()).find(({ type }) => type === "request.withdrawn");
    expect(line?.data).toEqual({ reason: "retracted", answer: "not_sent" });
    await task.ends();
  });
});

function titled(count: number) {
  const property = { type: "string", title: "t".repeat(100) };
  return object(Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, property])));
}
