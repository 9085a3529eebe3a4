/**
 * Every method of `/mcp`, in both eras, by whom it is nothing of: without a credential, with one that is none here, and with another
 * agent's. What is another's is answered as what never was, byte for byte but for the ids, and nothing of it changes.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withClient } from "../../../scripts/database/roles.ts";
import { createSharedAgentFixture } from "../../../test/fixtures/agents/agent-fixture.ts";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { forFile } from "../../../test/for-file.ts";
import type { Principal } from "../../access/principal.ts";
import { ROLES } from "../../access/roles.ts";
import { createMakerlessAgent, revokeAgent, signInAgent, updateAgent } from "../../agents/agent-writes.ts";
import { createDatabase, type Database } from "../../base/db/db.ts";
import { hashSecret, randomSecret, uuidv7 } from "../../base/ids.ts";
import type { Era } from "../../mcp/peer.ts";
import { createMakerlessKey } from "../../people/api-keys/api-key-writes.ts";
import { COMMAND_LINE, createOrganization } from "../../people/organizations/organization-writes.ts";
import { EVENT_METHODS } from "./events.ts";
import { METHODS } from "./protocol.ts";
import { SKILL_METHODS } from "./skill.ts";

const OLD = "2025-11-25";
const NEW = "2026-07-28";
const AGENT_ROLES = ["viewer", "approver", "operator"] as const;

/** What a call names that may be another's. */
interface Names {
  taskId: string;
  tool: string;
}
type Params = (names: Names) => Record<string, unknown>;
interface Call {
  era: Era;
  method: string;
  /** For methods that do several things. */
  what?: string;
  params: Params;
}

const none: Params = () => ({});
const ofTask: Params = ({ taskId }) => ({ taskId });
const TOOLS: [string, Params][] = [
  ["a granted tool", ({ tool }) => ({ name: tool, arguments: { note: "isolated" } })],
  ...["get_task", "wait_for_task", "cancel_task"].map((name): [string, Params] => [
    name,
    ({ taskId }) => ({ name, arguments: { taskId } }),
  ]),
];

const ofEvents: Params = ({ taskId }) => ({ name: "task.ended", arguments: { taskId } });
/** An address that is refused, once the task is found. */
const delivery = {
  mode: "webhook",
  url: "http://127.0.0.1:9/events",
  secret: `whsec_${Buffer.alloc(32).toString("base64")}`,
};
/** By method: what it does, and what it names. */
const PARAMS: Record<string, [what: string, Params][]> = {
  "tools/list": [["all", none]],
  "tools/call": TOOLS,
  "tasks/get": [["a task", ofTask]],
  "tasks/result": [["a task", ofTask]],
  "tasks/list": [["all", none]],
  "tasks/update": [["a task", ({ taskId }) => ({ taskId, inputResponses: {} })]],
  "tasks/cancel": [["a task", ofTask]],
  "events/list": [["all", none]],
  "events/poll": [["a task", (names) => ({ ...ofEvents(names), cursor: "0" })]],
  "events/stream": [["a task", (names) => ({ ...ofEvents(names), cursor: "0" })]],
  "events/subscribe": [["a task", (names) => ({ ...ofEvents(names), delivery })]],
  "events/unsubscribe": [["a task", (names) => ({ ...ofEvents(names), delivery })]],
};
/** Answered by the package. */
const PACKAGES: Call[] = [
  {
    era: OLD,
    method: "initialize",
    params: () => ({
      protocolVersion: OLD,
      capabilities: {},
      clientInfo: { name: "isolated", version: "1" },
    }),
  },
  { era: OLD, method: "ping", params: none },
  { era: NEW, method: "server/discover", params: none },
  // Refused to everybody, since the package would hold it open.
  { era: NEW, method: "subscriptions/listen", params: () => ({ notifications: { toolsListChanged: true } }) },
];
const OURS: Call[] = ([OLD, NEW] as const).flatMap((era) =>
  [...METHODS[era], ...(era === NEW ? EVENT_METHODS : [])].flatMap((method) =>
    (PARAMS[method] ?? []).map(([what, params]) => ({ era, method, what, params })),
  ),
);
const ALL = [...PACKAGES, ...OURS];
const titled = (calls: Call[]) =>
  calls.map((call): [string, Call] => [`${call.method} of ${call.era}, ${call.what ?? "all"}`, call]);
/** Those that name something, so that it may be another's. */
const NAMING = OURS.filter(({ params }) => {
  const [one, other] = [params(unknownNames()), params(unknownNames())];
  return JSON.stringify(one) !== JSON.stringify(other);
});

function unknownNames(): Names {
  return { taskId: uuidv7(), tool: `erp__${uuidv7()}` };
}

const fixture = forFile(() => createSharedAgentFixture({ settings: { INTRAY_DRAFTS: "1" } }));
let owner: Database;
let otherOrganization: string;
let otherServer: string;
interface Agent {
  id: string;
  secret: string;
}
/** Whose the things are. */
let victim: Agent;
let waiting: string;
let ended: string;
/** Agents whose nothing of it is: by role, and whose they are. */
let strangers: [string, Agent][];

beforeAll(async () => {
  const { organization, serverId } = fixture;
  owner = createDatabase(organization.adminUrl, { connections: 2, seal: organization.seal });
  otherOrganization = uuidv7();
  otherServer = uuidv7();
  await owner.withOrganization(otherOrganization, async (tx) => {
    await createOrganization(tx, { slug: "globex", name: "Globex" });
    const { tools } = await organization.within((own) =>
      own.server.findFirstOrThrow({ where: { id: serverId }, select: { tools: true } }),
    );
    await tx.server.create({
      data: {
        organizationId: otherOrganization,
        id: otherServer,
        name: "Globex CRM",
        url: fixture.server.url,
        eraSetting: NEW,
        authKind: "none",
        tools: tools as [],
        toolsCheckedAt: new Date(),
      },
    });
  });
  victim = await fixture.agent({ name: "Victim", holdMs: 0 });
  const begun = async (tool: string, note: string) => {
    const { text } = await ask(victim.secret, OLD, "tools/call", { name: tool, arguments: { note } });
    return JSON.parse(text).result.structuredContent.taskId as string;
  };
  ended = await begun("erp__approve", "ended");
  await fixture.approve(ended);
  await fixture.inState(ended, "completed");
  waiting = await begun("erp__approve", "waiting");
  await fixture.openRequest(waiting);
  strangers = [];
  for (const role of AGENT_ROLES) {
    const same = await fixture.agent({ name: `Same ${role}`, role, grants: [{ serverId, tool: "quick" }] });
    const other = await owner.withOrganization(otherOrganization, (tx) =>
      createMakerlessAgent(tx, COMMAND_LINE, {
        name: `Other ${role}`,
        role,
        grants: [{ serverId: otherServer }],
      }),
    );
    strangers.push([`a ${role} of the same organization`, same], [`a ${role} of another one`, other]);
  }
  strangers.push(
    [
      "an agent that a member of the same organization signed in",
      await signedIn(organization.organizationId, { serverId, tool: "quick" }),
    ],
    [
      "an agent that the same member signed in to another one",
      await signedIn(otherOrganization, { serverId: otherServer }),
    ],
  );
});
afterAll(async () => {
  await owner?.close();
});

/** An agent that a member signed in, with the access token of the sign-in as its secret. */
async function signedIn(organizationId: string, grant: { serverId: string; tool?: string }): Promise<Agent> {
  const { adminUrl, operator } = fixture.organization;
  const member: Principal & { userId: string } = { ...operator, organizationId, userId: operator.userId! };
  const name = `Signed in ${uuidv7()}`;
  return withClient(adminUrl, async (client) => {
    await client.query(`UPDATE "user" SET proven_at = now() WHERE id = $1`, [member.userId]);
    await client.query(
      `INSERT INTO membership (organization_id, id, user_id, role) VALUES ($1, $2, $3, 'operator') ON CONFLICT DO NOTHING`,
      [organizationId, uuidv7(), member.userId],
    );
    const { rows } = await client.query(
      `INSERT INTO session (secret_hash, user_id, expires_at, method) VALUES ($1, $2, now() + interval '1 hour', 'password') RETURNING id`,
      [hashSecret(randomSecret()), member.userId],
    );
    const [signInId, token] = [uuidv7(), randomSecret()];
    const { id } = await owner.withOrganization(organizationId, async (tx) => {
      const agent = await signInAgent(tx, member, { oauthClientId: name, name });
      const admin = { ...member, role: "admin" as const };
      await updateAgent(tx, admin, agent.id, {
        grants: [grant],
      });
      await tx.$queryRaw`SELECT gate.open_agent_session(${organizationId}::uuid, ${rows[0].id}::uuid, ${agent.id}::uuid,
        ${signInId}::uuid, ${name}, '{}'::jsonb, ${hashSecret(randomSecret())}, 3600000::bigint, 3600000::bigint)::text`;
      await tx.$queryRaw`SELECT gate.keep_agent_record('AccessToken', ${hashSecret(token)}, ${signInId}::uuid, null,
        ${JSON.stringify({ aud: "http://localhost:3000/mcp" })}::jsonb, 3600)::text`;
      return agent;
    });
    return { id, secret: token };
  });
}

interface Answered {
  status: number;
  headers: Record<string, string>;
  text: string;
}

async function send(
  secret: string | null,
  method: "GET" | "POST",
  body: unknown,
  headers: Record<string, string>,
): Promise<Answered> {
  const response = await fetch(fixture.endpoint.url, {
    method,
    headers: {
      accept: "application/json, text/event-stream",
      ...(secret !== null && { authorization: `Bearer ${secret}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const { "x-request-id": _, date: __, ...rest } = Object.fromEntries(response.headers);
  return { status: response.status, headers: rest, text: await response.text() };
}

function ask(
  secret: string | null,
  era: Era,
  method: string,
  params: Record<string, unknown>,
  headers: Record<string, string> = {},
): Promise<Answered> {
  const message = { jsonrpc: "2.0", id: 1, method, params };
  if (era === OLD) return send(secret, "POST", message, { "mcp-protocol-version": OLD, ...headers });
  const name = params.name ?? params.taskId;
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": NEW,
    "io.modelcontextprotocol/clientInfo": { name: "isolated", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/tasks": {} } },
  };
  return send(
    secret,
    "POST",
    { ...message, params: { ...params, _meta } },
    {
      "mcp-protocol-version": NEW,
      "mcp-method": method,
      ...(typeof name === "string" && { "mcp-name": name }),
      ...headers,
    },
  );
}

/** An answer without the names that were asked for. */
function comparable({ status, headers, text }: Answered, { taskId, tool }: Names): unknown {
  const { "content-length": _, ...rest } = headers;
  return { status, headers: rest, text: text.replaceAll(taskId, "the task").replaceAll(tool, "the tool") };
}

/** What the victim has, and what happened to it. */
function picture(): Promise<unknown[]> {
  return withClient(fixture.organization.adminUrl, async (client) => {
    const { rows } = await client.query(
      `SELECT t.id, t.state, t.cancel_requested_at, t.finished_at, c.sent_at, c.fetched_at,
         (SELECT json_agg(json_build_object('id', r.id, 'state', r.state)) FROM input_request r WHERE r.task_id = t.id) AS requests
       FROM task t LEFT JOIN agent_call c ON c.task_id = t.id WHERE t.agent_id = $1 ORDER BY t.id`,
      [victim.id],
    );
    return rows;
  });
}

test("each method that is answered is in the table", () => {
  // The skill is the same for everybody.
  const answered = [...new Set([...Object.values(METHODS).flat(), ...EVENT_METHODS])].filter(
    (method) => !SKILL_METHODS.includes(method),
  );
  expect(Object.keys(PARAMS).toSorted()).toEqual(answered.toSorted());
  expect(NAMING.map(({ method }) => method)).toEqual(
    expect.arrayContaining(answered.filter((method) => !method.endsWith("/list"))),
  );
});

describe("who is no agent", () => {
  /** Credentials that are none here, each by what it is and with what else is sent. */
  async function credentials(): Promise<[string, string | null, Record<string, string>][]> {
    const { organization } = fixture;
    const { organizationId, within, operator } = organization;
    const revoked = await fixture.agent({ name: "Revoked" });
    const signed = await signedIn(organizationId, { serverId: fixture.serverId });
    expect((await ask(signed.secret, OLD, "ping", {})).status).toBe(200);
    for (const { id } of [revoked, signed])
      await within((tx) => revokeAgent(tx, { ...operator, role: "admin" }, id));
    const keys = await Promise.all(
      ROLES.map(async (role): Promise<[string, string, Record<string, string>]> => {
        const { secret } = await within((tx) =>
          createMakerlessKey(tx, COMMAND_LINE, { name: `Key ${role}`, role }),
        );
        return [`an API key of role ${role}`, secret, {}];
      }),
    );
    const cut = victim.secret.slice(0, -1);
    const session = { cookie: "next-auth.session-token=x" };
    return [
      ["none", null, {}],
      ["a cookie that is none", null, session],
      ["a revoked secret", revoked.secret, {}],
      ["the token of an agent that was revoked", signed.secret, {}],
      ["a secret without its end", cut, {}],
      ["a secret in other letters", victim.secret.toLowerCase().replace(/^ita_/, "ITA_"), {}],
      ["a token that is none", "eyJhbGciOiJub25lIn0.e30.", {}],
      ...keys,
    ];
  }

  test("gets one answer, whatever is asked and with whatever credential", async () => {
    const names = { taskId: waiting, tool: "erp__approve" };
    const before = await picture();
    const given = await credentials();
    const unauthenticated = await ask("ita_made-up", OLD, "ping", {});
    expect(unauthenticated.status).toBe(401);
    for (const [who, secret, headers] of given)
      for (const { era, method, params } of ALL)
        expect([who, method, await ask(secret, era, method, params(names), headers)]).toEqual([
          who,
          method,
          unauthenticated,
        ]);
    for (const [who, secret, headers] of given)
      expect([who, await send(secret, "GET", undefined, { "last-event-id": "0", ...headers })]).toEqual([
        who,
        unauthenticated,
      ]);
    expect(await picture()).toEqual(before);
  });

  test("a secret that has ended is refused by every method", async () => {
    const agent = await fixture.agent({ name: "Ended" });
    await withClient(fixture.organization.adminUrl, (client) =>
      client.query("UPDATE agent_credential SET expires_at = now() - interval '1 s' WHERE id = $1", [
        agent.id,
      ]),
    );
    for (const { era, method, params } of ALL)
      expect((await ask(agent.secret, era, method, params(unknownNames()))).status).toBe(401);
  });
});

describe("what is another's is as what never was", () => {
  test.each(titled(NAMING))("%s", async (_, { era, method, params }) => {
    const before = await picture();
    for (const [who, { secret }] of strangers)
      for (const taskId of [waiting, ended]) {
        const [theirs, unknown] = [{ taskId, tool: "erp__approve" }, unknownNames()];
        const foreign = await ask(secret, era, method, params(theirs));
        const never = await ask(secret, era, method, params(unknown));
        expect([who, comparable(foreign, theirs)]).toEqual([who, comparable(never, unknown)]);
        expect(foreign.text).not.toContain("Victim");
      }
    expect(await picture()).toEqual(before);
  });

  test("its owner is answered otherwise: what was refused was refused for whose it is", async () => {
    const reads = NAMING.filter(
      ({ method, what }) => !/cancel|update|unsubscribe|stream/.test(`${method} ${what}`),
    );
    for (const { era, method, params } of reads) {
      const own = { taskId: ended, tool: "erp__quick" };
      const unknown = unknownNames();
      const answered = await ask(victim.secret, era, method, params(own));
      const never = await ask(victim.secret, era, method, params(unknown));
      expect([method, comparable(answered, own)]).not.toEqual([method, comparable(never, unknown)]);
      expect(JSON.parse(never.text).error.code).toBe(-32602);
    }
  });

  test("lists have nothing of it, also from its place on", async () => {
    const cursors = [undefined, cursorBefore(new Date(Date.now() + 3_600_000))];
    for (const [, { secret }] of strangers)
      for (const cursor of cursors) {
        const page = cursor === undefined ? {} : { cursor };
        const answers = [
          await ask(secret, OLD, "tasks/list", page),
          await ask(secret, OLD, "tools/call", { name: "list_tasks", arguments: page }),
          await ask(secret, NEW, "tools/call", { name: "list_tasks", arguments: page }),
        ];
        for (const { text } of answers) {
          expect(text).toMatch(/"tasks":\[/);
          for (const id of [waiting, ended]) expect(text).not.toContain(id);
        }
      }
    const own = await ask(victim.secret, OLD, "tasks/list", { cursor: cursors[1] });
    expect(own.text).toContain(waiting);
  });

  test("tools are those of the agent's own organization, and of its grants", async () => {
    const names = async (secret: string, era: Era) => {
      const { text } = await ask(secret, era, "tools/list", {});
      expect(text).not.toMatch(/Victim/);
      return JSON.parse(text).result.tools.map(({ name }: { name: string }) => name) as string[];
    };
    for (const era of [OLD, NEW] as const)
      for (const [who, { secret }] of strangers) {
        const granted = (await names(secret, era)).filter((name) => name.includes("__"));
        expect(
          granted.every((name) =>
            name.startsWith(who.includes("same organization") ? "erp__" : "globex-crm__"),
          ),
        ).toBe(true);
        if (who.includes("same organization")) expect(granted).toEqual(["erp__quick"]);
        else expect(granted).toHaveLength(5);
      }
  });

  test.each(titled(ALL.filter(({ era }) => era === OLD)))("a session of another's, %s", async (_, call) => {
    const { headers } = await ask(
      victim.secret,
      OLD,
      "initialize",
      PACKAGES[0]?.params(unknownNames()) ?? {},
    );
    const session = headers["mcp-session-id"] ?? "";
    expect(session).not.toBe("");
    const params = call.params({ taskId: waiting, tool: "erp__approve" });
    for (const [who, { secret }] of strangers) {
      // An `initialize` begins anew, whatever session comes with it.
      if (call.method === "initialize") {
        const begun = await ask(secret, OLD, call.method, params, { "mcp-session-id": session });
        expect(begun.headers["mcp-session-id"]).not.toBe(session);
        continue;
      }
      const foreign = await ask(secret, OLD, call.method, params, { "mcp-session-id": session });
      const never = await ask(secret, OLD, call.method, params, { "mcp-session-id": `x${session}` });
      expect([who, foreign]).toEqual([who, never]);
      expect(foreign.status).toBe(404);
    }
  });

  test("a batch says no more of it than its messages do one by one", async () => {
    const batch = (taskId: string) =>
      ["tasks/get", "tasks/result", "tasks/cancel"].map((method, id) => ({
        jsonrpc: "2.0",
        id,
        method,
        params: { taskId },
      }));
    for (const [, { secret }] of strangers) {
      const unknown = unknownNames();
      const foreign = await send(secret, "POST", batch(waiting), { "mcp-protocol-version": "2025-03-26" });
      const never = await send(secret, "POST", batch(unknown.taskId), {
        "mcp-protocol-version": "2025-03-26",
      });
      expect(comparable(foreign, { ...unknown, taskId: waiting })).toEqual(comparable(never, unknown));
      expect(JSON.parse(foreign.text)).toHaveLength(3);
    }
  });
});

describe("a call that another holds", () => {
  test("is not gone on with, not ended and not joined by who has its event, its session or its arguments", async () => {
    const holder = await fixture.agent({ name: "Holder" });
    const { headers } = await ask(
      holder.secret,
      OLD,
      "initialize",
      PACKAGES[0]?.params(unknownNames()) ?? {},
    );
    const session = { "mcp-session-id": headers["mcp-session-id"] ?? "" };
    const call = { name: "erp__approve", arguments: { note: "held" } };
    const held = await fetch(fixture.endpoint.url, {
      method: "POST",
      headers: {
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
        authorization: `Bearer ${holder.secret}`,
        "mcp-protocol-version": OLD,
        ...session,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/call", params: call }),
    });
    const reader = (held.body as ReadableStream<Uint8Array>).getReader();
    const first = new TextDecoder().decode((await reader.read()).value);
    const eventId = /^id: (.*)$/m.exec(first)?.[1] ?? "";
    expect(eventId).not.toBe("");
    const task = await until("there is a task", async () =>
      (await fixture.tasks()).find(({ agentId }) => agentId === holder.id),
    );
    await fixture.openRequest(task.id);

    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } };
    for (const [who, { secret }] of strangers) {
      const foreign = await send(secret, "GET", undefined, { "last-event-id": eventId });
      const never = await send(secret, "GET", undefined, { "last-event-id": `x${eventId}` });
      expect([who, foreign]).toEqual([who, never]);
      expect(foreign.status).toBe(422);
      expect((await send(secret, "POST", cancel, session)).status).toBe(404);
      expect((await send(secret, "POST", cancel, { "mcp-protocol-version": OLD })).status).toBe(202);
    }
    const twin = await fixture.agent({ name: "Twin", holdMs: 0 });
    const { text } = await ask(twin.secret, OLD, "tools/call", call);
    expect(JSON.parse(text).result.structuredContent.taskId).not.toBe(task.id);

    await fixture.approve(task.id);
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      rest += new TextDecoder().decode(value);
    }
    expect(rest).toContain('"id":7');
    expect(rest).toContain("approve");
  });
});

describe("roles", () => {
  test.each(AGENT_ROLES)(
    "an agent that is a %s starts what its role lets it, and looks after its own",
    async (role) => {
      const agent = await fixture.agent({ name: `Acting ${role}`, role, holdMs: 0 });
      for (const era of [OLD, NEW] as const) {
        expect(
          JSON.parse((await ask(agent.secret, era, "tools/list", {})).text).result.tools.length,
        ).toBeGreaterThan(5);
        for (const call of [
          { name: "erp__wait", arguments: { note: role } },
          { name: "ask_person", arguments: { message: "May I?" } },
        ]) {
          const { result } = JSON.parse((await ask(agent.secret, era, "tools/call", call)).text);
          if (role === "operator") expect(result.isError ?? false).toBe(false);
          else expect(result).toMatchObject({ isError: true, structuredContent: { code: "forbidden" } });
        }
      }
      const listed = JSON.parse((await ask(agent.secret, OLD, "tasks/list", {})).text).result.tasks;
      expect(listed).toHaveLength(role === "operator" ? 2 : 0);
    },
  );
});

/** As the list of the victim's tasks has it: a cursor is a place in time, and nobody's. */
function cursorBefore(time: Date): string {
  return Buffer.from(JSON.stringify([time.toISOString(), uuidv7()])).toString("base64url");
}
