/** MCP Events at `/mcp`, with an engine and a real receiver: an agent is told of its own tasks, at addresses that wanted it, until it may not. */
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { startAgentEndpoint } from "../../../test/agent-process.ts";
import { createSharedAgentFixture } from "../../../test/fixtures/agents/agent-fixture.ts";
import { rawAgent } from "../../../test/fixtures/agents/raw-agent.ts";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import {
  expectedSignature,
  type ReceivedCall,
  type Receiver,
  startReceiver,
} from "../../../test/servers/receiver.ts";
import { revokeAgent } from "../../agents/agent-writes.ts";
import { listSubscriptions } from "../../outbound/agent-events/subscription-reads.ts";
import { endSubscription } from "../../outbound/agent-events/subscription-writes.ts";

const SECRET = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
const OTHER_SECRET = `whsec_${Buffer.alloc(32, 2).toString("base64")}`;

let fixture: Awaited<ReturnType<typeof createSharedAgentFixture>>;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  fixture = await createSharedAgentFixture({
    settings: { INTRAY_DRAFTS: "1" },
    allowHosts: [receiver.hostAndPort],
  });
});
afterAll(async () => {
  await fixture?.close();
  await receiver?.close();
});
const wants = ({ body }: ReceivedCall) => JSON.stringify({ challenge: JSON.parse(body).challenge });
beforeEach(() => {
  receiver.calls.length = 0;
  receiver.status = 200;
  receiver.body = wants;
});

let addresses = 0;
// biome-ignore lint/suspicious/noExplicitAny: messages of any shape
type Message = any;

async function anAgent() {
  const { id, secret } = await fixture.agent({ holdMs: 0 });
  const { modern } = rawAgent(fixture.endpoint.url, secret);
  const streamed = (params: object) => {
    const messages: Message[] = [];
    const stop = new AbortController();
    const ended = modern("events/stream", { name: "task.ended", ...params }, false, {
      id: "stream-1",
      signal: stop.signal,
      onEvent: ({ data }) => messages.push(JSON.parse(data)),
    });
    const said = (kind: string) => messages.filter(({ method }) => method === `notifications/events/${kind}`);
    return { messages, ended, stop: () => stop.abort(), said };
  };
  const ask = async (method: string, params: object = {}) => (await modern(method, params, false)).answer;
  const url = `${receiver.url}/events/${++addresses}`;
  const received = (type?: string) =>
    receiver.calls.filter(({ path, body }) => url.endsWith(path) && JSON.parse(body).type === type);
  return {
    id,
    ask,
    streamed,
    url,
    /** Deliveries; with a type: control envelopes. */
    received,
    got: (count: number, type?: string) =>
      until(`${count} deliveries`, async () => received(type).length >= count && received(type)),
    subscribe: (more: object = {}, delivery: object = {}) =>
      ask("events/subscribe", {
        ...{ name: "task.ended", delivery: { mode: "webhook", url, secret: SECRET, ...delivery }, ...more },
      }),
    /** Makes a call, whose task ends. */
    async ends(note: string): Promise<string> {
      await ask("tools/call", { name: "erp__quick", arguments: { note } });
      const task = await until("its task has ended", async () =>
        (await fixture.tasks()).find(
          ({ agentId, arguments: args, finishedAt }) =>
            agentId === id && JSON.stringify(args).includes(note) && finishedAt !== null,
        ),
      );
      return task.id;
    },
    rows: () => fixture.organization.sql("SELECT terminated FROM webhook_endpoint WHERE agent_id = $1", [id]),
  };
}

describe("the extension", () => {
  test("is announced and listed, where the operator wants drafts", async () => {
    const { ask } = await anAgent();
    const { capabilities } = (await ask("server/discover")).result;
    expect(capabilities.extensions).toHaveProperty(["io.modelcontextprotocol/events"], {});
    const { resultType, events } = (await ask("events/list")).result;
    expect(resultType).toBe("complete");
    expect(events.map(({ name, delivery }: Record<string, unknown>) => [name, delivery])).toEqual(
      ["request.ended", "task.ended", "task.input_required"].map((name) => [
        name,
        ["poll", "push", "webhook"],
      ]),
    );
  });

  test("is not there without the setting", async () => {
    const endpoint = await startAgentEndpoint({ ...fixture.organization.webEnvironment });
    const { secret } = await fixture.agent();
    const { modern } = rawAgent(endpoint.url, secret);
    for (const method of [
      "events/list",
      "events/poll",
      "events/stream",
      "events/subscribe",
      "events/unsubscribe",
    ]) {
      const { status, answer } = await modern(method, { name: "task.ended" }, false);
      expect([status, answer.error.code]).toEqual([404, -32601]);
    }
    const { capabilities } = (await modern("server/discover", {}, false)).answer.result;
    expect(Object.keys(capabilities.extensions)).not.toContain("io.modelcontextprotocol/events");
    await endpoint.kill();
  });
});

describe("polling", () => {
  test("begins now, tells each event once after a cursor, and the same again before it", async () => {
    const { ask, ends } = await anAgent();
    const other = await anAgent();
    await ends("before");
    const poll = async (cursor: string | null, more: object = {}) =>
      (await ask("events/poll", { name: "task.ended", cursor, ...more })).result;
    const begun = await poll(null);
    expect(begun).toMatchObject({ events: [], truncated: false, hasMore: false });
    await other.ends("of another agent");
    const [first, second] = [await ends("first"), await ends("second")];
    const all = await poll(begun.cursor);
    expect(all.events.map(({ data }: { data: object }) => data)).toEqual(
      [first, second].map((taskId) => ({ taskId, tool: "erp__quick", state: "completed", isError: false })),
    );
    expect((await poll(begun.cursor)).events).toEqual(all.events);
    expect((await poll(all.cursor)).events).toEqual([]);
    const part = await poll(begun.cursor, { maxEvents: 1 });
    expect([part.events, part.hasMore]).toEqual([[all.events[0]], true]);
    expect((await poll(part.cursor)).events).toEqual([all.events[1]]);
    const one = await poll(begun.cursor, { arguments: { taskId: second } });
    expect(one.events).toEqual([all.events[1]]);
    expect(await poll(begun.cursor, { maxAgeMs: 0 })).toMatchObject({ events: [], truncated: true });
    const ahead = await poll("999999999");
    expect([ahead.truncated, ahead.events]).toEqual([true, []]);
  });

  test("tells of questions to people, and of their end", async () => {
    const { id, ask } = await anAgent();
    const names = ["task.input_required", "request.ended", "task.ended"];
    const { cursor } = (await ask("events/poll", { name: names[0] })).result;
    await ask("tools/call", { name: "request_approval", arguments: { action: "Deploy?" } });
    const [task] = await until("it asks", async () => {
      const its = (await fixture.tasks()).filter(({ agentId }) => agentId === id);
      return its.length > 0 && its;
    });
    const request = await fixture.openRequest(task?.id);
    await fixture.organization.answer(request.id, { action: "accept", content: {} });
    await fixture.inState(task?.id ?? "", "completed");
    const told = [];
    for (const name of names) told.push(...(await ask("events/poll", { name, cursor })).result.events);
    const its = { taskId: task?.id, tool: "request_approval" };
    expect(told.map(({ name, data }) => [name, data])).toEqual([
      [names[0], { ...its, state: "input_required", inputRequestId: request.id }],
      [names[1], { ...its, state: "settled", inputRequestId: request.id }],
      [names[2], { ...its, state: "completed", isError: false }],
    ]);
    expect(JSON.stringify(told)).not.toContain("Deploy");
  });

  test.each([
    [{ name: "task.begun" }, -32023],
    [{ name: "task.ended", cursor: "x" }, -32602],
    [{ name: "task.ended", arguments: { taskId: "x" } }, -32602],
    [{ name: "task.ended", arguments: { server: "ERP" } }, -32602],
    [{ name: "task.ended", maxEvents: 0 }, -32602],
  ])("%j is refused", async (params, code) => {
    expect((await (await anAgent()).ask("events/poll", params)).error.code).toBe(code);
  });
});

describe("a stream", () => {
  test("tells what polling tells, from its cursor on, until its client leaves", async () => {
    const { ask, ends, streamed } = await anAgent();
    const { cursor } = (await ask("events/poll", { name: "task.ended" })).result;
    const earlier = await ends("before the stream");
    const { said, stop, ended } = streamed({ cursor });
    ended.catch(() => undefined); // it is broken off
    await until("it tells what was before", async () => said("event").length === 1);
    const later = await ends("on the stream");
    await until("it tells what is now", async () => said("event").length === 2);
    expect(said("active")).toMatchObject([{ params: { cursor, truncated: false } }]);
    const polled = (await ask("events/poll", { name: "task.ended", cursor })).result.events;
    expect(polled.map(({ data }: Message) => data.taskId)).toEqual([earlier, later]);
    for (const [at, { params }] of said("event").entries()) {
      const { cursor: its, _meta, ...event } = params;
      expect([event, _meta]).toEqual([polled[at], { "io.modelcontextprotocol/subscriptionId": "stream-1" }]);
      const rest = (await ask("events/poll", { name: "task.ended", cursor: its })).result.events;
      expect(rest).toEqual(polled.slice(at + 1));
    }
    stop();
  });

  test("ends with a word once its agent is revoked", async () => {
    const { organization } = fixture;
    const { id, streamed } = await anAgent();
    const { said, ended } = streamed({});
    await until("it is open", async () => said("active").length === 1);
    await organization.within((tx) => revokeAgent(tx, { ...organization.operator, role: "admin" }, id));
    expect((await ended).answer).toMatchObject({ id: "stream-1", result: { resultType: "complete" } });
    expect(said("terminated")).toMatchObject([{ params: { error: { code: -32024 } } }]);
  });

  test("is refused at once for what it can't tell", async () => {
    const { ask } = await anAgent();
    expect((await ask("events/stream", { name: "task.begun" })).error.code).toBe(-32023);
    expect((await ask("events/stream", { name: "task.ended", cursor: "x" })).error.code).toBe(-32602);
  });
});

describe("a subscription", () => {
  test("is sent what polling tells, signed with the receiver's secret, and refreshed without another challenge", async () => {
    const agent = await anAgent();
    const { ask, url, ends, got, received, subscribe } = agent;
    const { cursor } = (await ask("events/poll", { name: "task.ended" })).result;
    const subscribed = (await subscribe({ ttlMs: null })).result;
    expect(subscribed).toMatchObject({ resultType: "complete", truncated: false });
    expect(Date.parse(subscribed.refreshBefore) - Date.now()).toBeLessThanOrEqual(24 * 3_600_000);
    const [challenge] = received("verification");
    expect(challenge?.headers["x-mcp-subscription-id"]).toBe(subscribed.id);
    expect(challenge?.headers["webhook-signature"]).toBe(expectedSignature(SECRET, challenge!));

    const taskId = await ends("told");
    const [first] = await got(1);
    const { events } = (await ask("events/poll", { name: "task.ended", cursor })).result;
    const { cursor: safe, ...event } = JSON.parse(first!.body);
    expect([event]).toEqual(events);
    expect(event.data.taskId).toBe(taskId);
    expect(Number(safe)).toBeGreaterThanOrEqual(Number(subscribed.cursor));
    expect(first?.headers).toMatchObject({
      "webhook-id": event.eventId,
      "webhook-signature": expectedSignature(SECRET, first!),
      "x-mcp-subscription-id": subscribed.id,
    });

    const again = (await subscribe({ ttlMs: 1 }, { secret: OTHER_SECRET })).result;
    expect(again.id).toBe(subscribed.id);
    // No shorter than Intray's own least time.
    expect(Date.parse(again.refreshBefore) - Date.now()).toBeGreaterThan(4 * 60_000);
    expect(received("verification")).toHaveLength(1);
    await ends("with both secrets");
    const [, second] = await got(2);
    expect(second?.headers["webhook-signature"]?.toString().split(" ").toSorted()).toEqual(
      [SECRET, OTHER_SECRET].map((secret) => expectedSignature(secret, second!)).toSorted(),
    );

    expect((await ask("events/unsubscribe", { name: "task.ended", delivery: { url } })).result).toMatchObject(
      {
        resultType: "complete",
      },
    );
    expect(await agent.rows()).toEqual([]);
    const gone = await ask("events/unsubscribe", { name: "task.ended", delivery: { url } });
    expect(gone.error).toMatchObject({ code: -32023, data: { kind: "subscription" } });
  });

  test("needs an address that sends the challenge back: nothing else of its answer is told, and nothing is stored", async () => {
    const { subscribe, rows } = await anAgent();
    const failure = async () => (await subscribe()).error;
    receiver.body = () => JSON.stringify({ challenge: "another" });
    expect(await failure()).toMatchObject({ code: -32027, data: { reason: "challenge_failed" } });
    receiver.body = () => "x".repeat(100_000);
    expect((await failure()).data).toEqual({ reason: "challenge_failed" });
    receiver.body = wants;
    for (const [status, reason] of [
      [307, "challenge_failed"],
      [404, "http_4xx"],
      [503, "http_5xx"],
    ] as const) {
      receiver.status = status;
      expect((await failure()).data).toEqual({ reason });
    }
    expect(receiver.calls.every(({ path }) => path !== "/elsewhere")).toBe(true);
    expect(await rows()).toEqual([]);
  });

  test.each([
    [{ url: "http://127.0.0.1:9/events" }, -32602],
    [{ url: "https://10.0.0.1/events" }, -32602],
    [{ url: "ftp://example.com/" }, -32602],
    [{ secret: "whsec_c2hvcnQ=" }, -32602],
    [{ secret: "a secret of thirty-two characters" }, -32602],
    [{ mode: "push" }, -32026],
  ])("by %j is refused", async (delivery, code) => {
    const { subscribe, rows } = await anAgent();
    expect((await subscribe({}, delivery)).error.code).toBe(code);
    expect([await rows(), receiver.calls]).toEqual([[], []]);
  });

  test("to a name that leads inside is refused as to one that leads nowhere", async () => {
    const { subscribe } = await anAgent();
    // Not among the addresses that the operator allows.
    const inside = await startReceiver();
    onTestFinished(() => inside.close());
    const { port } = new URL(inside.url);
    const told = [];
    for (const host of ["localhost", "unknown.invalid"]) {
      const began = performance.now();
      told.push((await subscribe({}, { url: `https://${host}:${port}/events` })).error);
      // Each lookup that leads nowhere ends at the same beat, however fast the resolver knew it.
      expect(performance.now() - began).toBeGreaterThanOrEqual(990);
    }
    expect(told[0]).toEqual(told[1]);
    expect(told[0].data).toEqual({ reason: "connection_refused" });
    expect(inside.calls).toEqual([]);
  });

  test("two at once are one", async () => {
    const { subscribe, rows } = await anAgent();
    const all = await Promise.all(Array.from({ length: 6 }, () => subscribe()));
    expect(new Set(all.map(({ result }) => result.id)).size).toBe(1);
    expect(await rows()).toHaveLength(1);
  });

  test("is retried under the same id, and not where its receiver does not want the event", async () => {
    const { subscribe, ends, got, received, id } = await anAgent();
    await subscribe();
    receiver.status = 500;
    const failed = await ends("failed once");
    await got(1);
    receiver.status = 200;
    await until("it is due again", async () => {
      await fixture.organization.sql(
        "UPDATE webhook_delivery SET not_before = date_trunc('milliseconds', now()) WHERE state = 'pending' AND attempts = 1 AND jsonb_array_length(log) = 1",
        [],
      );
      return received().length === 2;
    });
    expect(received().map(({ headers }) => headers["webhook-id"])).toEqual(
      received().map(({ body }) => JSON.parse(body).eventId),
    );
    expect(new Set(received().map(({ body }) => body)).size).toBe(1);
    expect(JSON.parse(received()[0]!.body).data.taskId).toBe(failed);
    receiver.status = 410;
    await ends("unwanted");
    await until("it is given up", async () => {
      const rows = await fixture.organization.sql(
        `SELECT d.state, d.attempts, e.disabled_reason FROM webhook_delivery d JOIN webhook_endpoint e ON e.id = d.endpoint_id
          WHERE e.agent_id = $1 AND d.state = 'failed'`,
        [id],
      );
      return rows.length === 1 && rows[0]?.attempts === 1 && rows[0]?.disabled_reason === null;
    });
  });

  test("that lapsed is told from its cursor on once it is there again", async () => {
    const { id, ask, subscribe, ends, got, rows } = await anAgent();
    const { cursor } = (await subscribe()).result;
    await fixture.organization.sql(
      "UPDATE webhook_endpoint SET expires_at = date_trunc('milliseconds', now()) WHERE agent_id = $1",
      [id],
    );
    const missed = await ends("while it was not there");
    await until("the lapsed one is gone", async () => (await rows()).length === 0);
    expect((await subscribe({ cursor })).result).toMatchObject({ truncated: false, cursor });
    const [told] = await got(1);
    expect(JSON.parse(told!.body).data.taskId).toBe(missed);
    const late = await ask("events/subscribe", {
      name: "request.ended",
      cursor,
      maxAgeMs: 0,
      delivery: { mode: "webhook", url: `${receiver.url}/late`, secret: SECRET },
    });
    expect(late.result.truncated).toBe(true);
  });

  test("that a person ends, or whose agent is revoked, tells its receiver that, and nothing more", async () => {
    const { within, operator } = fixture.organization;
    const admin = { ...operator, role: "admin" as const };
    const [one, other] = [await anAgent(), await anAgent()];
    for (const { subscribe, ends, got } of [one, other]) {
      await subscribe();
      await ends("told");
      await got(1);
    }
    const [listed] = await within((tx) => listSubscriptions(tx, one.id));
    expect(listed).toMatchObject({ event: "task.ended", taskId: null, host: receiver.hostAndPort });
    await expect(within((tx) => endSubscription(tx, admin, other.id, listed!.id))).rejects.toThrow("not");
    await within((tx) => endSubscription(tx, admin, one.id, listed!.id));
    await within((tx) => revokeAgent(tx, admin, other.id));
    for (const { got } of [one, other]) {
      const [told] = await got(1, "terminated");
      expect(JSON.parse(told!.body)).toMatchObject({ error: { code: -32024, message: "Forbidden" } });
      expect(told?.headers["webhook-signature"]).toBe(expectedSignature(SECRET, told!));
    }
    expect(await within((tx) => listSubscriptions(tx, one.id))).toEqual([]);
    await one.ends("no more");
    await one.subscribe({ name: "request.ended" });
    expect(one.received()).toHaveLength(1);
    const history = await fixture.organization.sql(
      "SELECT type FROM event WHERE type LIKE 'agent.subscri%' AND data->>'agentId' = $1 ORDER BY seq",
      [one.id],
    );
    expect(history.map(({ type }) => type)).toEqual([
      "agent.subscribed",
      "agent.subscription_ended",
      "agent.subscribed",
    ]);
  });
});
