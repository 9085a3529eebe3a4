/** One thing of each kind that an id can name, of one organization and made when first asked for. */

import { uuidv7 } from "../../lib/base/ids.ts";
import { createSeal } from "../../lib/base/seal.ts";
import { createAapRequest } from "../../lib/lifecycle/aap/aap-writes.ts";
import { createHumanTask } from "../../lib/lifecycle/human-tasks/human-task-writes.ts";
import { withClient } from "../../scripts/database/roles.ts";
import { insertRecipe, insertRequest, insertServer, insertTask } from "../fixtures/rows.ts";
import { IDP_CERTIFICATE } from "../saml/certificate.ts";
import type { TestWeb } from "../web.ts";
import type { Kind } from "./kinds.ts";

/** The owner of the things; personal ones belong to the user. */
export interface Owner {
  web: TestWeb;
  organizationId: string;
  /** Stands in the texts of all things made. */
  canary: string;
  userId: string;
  cookie: string;
  slug: string;
  /** The state of the task; defaults to `working`. */
  taskState?: string | undefined;
  /** Whose server the things share; by default they get a new one. */
  serverOf?: Things | undefined;
}

export interface Things {
  slug: string;
  id(kind: Kind): Promise<string>;
  /** The hash of the request's question, if a request was made. */
  questionHash(): string | undefined;
  server(): Promise<{ id: string; connectionId: string }>;
}

interface Making extends Owner, Things {
  ask(): Promise<{ id: string; questionHash: string }>;
}

export function thingsOf(owner: Owner): Things {
  const made = new Map<string, Promise<unknown>>();
  const once = <T>(name: string, make: () => Promise<T>): Promise<T> => {
    if (!made.has(name)) made.set(name, make());
    return made.get(name) as Promise<T>;
  };
  const { web, organizationId, canary } = owner;
  let hash: string | undefined;
  const making: Making = {
    ...owner,
    id: (kind) => once(kind, () => MAKERS[kind](making)),
    questionHash: () => hash,
    server: () =>
      once("the server's row", async () => {
        if (owner.serverOf) return owner.serverOf.server();
        const more = { name: canary, url: CLOSED_URL, tools: [toolOf(canary)] };
        const server = await insertServer(web.db, organizationId, more);
        await insertRecipe(web.db, organizationId, server.id, canary);
        return server;
      }),
    ask: () =>
      once("the request's row", async () => {
        const asked = await insertRequest(web.db, organizationId, await making.id("task"), {
          message: `Approve ${canary}?`,
        });
        hash = asked.questionHash;
        return asked;
      }),
  };
  return making;
}

/** Of every server; a call's path names it, beside the server's id. */
export const RECIPE_NAME = "process";

/** As in startWeb's INTRAY_KEYS. */
const seal = createSeal([{ kid: "k1", key: Buffer.alloc(32, 1) }]);

/** An address where nothing listens, so that a call to it fails at once. */
export const CLOSED_URL = "http://127.0.0.1:9/mcp";

const MAKERS: Record<Kind, (making: Making) => Promise<string>> = {
  server: async ({ server }) => (await server()).id,
  task: async ({ web, organizationId, canary, server, taskState = "working" }) =>
    insertTask(web.db, organizationId, await server(), {
      arguments: {
        invoice_id: canary,
        note: { type: "resource", resource: { uri: "note://1", text: canary } },
      },
      state: taskState,
    }),
  async race({ web, organizationId, ...making }) {
    const id = uuidv7();
    const taskId = await making.id("task");
    await web.db.withOrganization(organizationId, async (tx) => {
      await tx.race.create({
        data: { organizationId, id, requestedBy: { kind: "engine", id: null, name: "Intray" } },
      });
      await tx.task.updateMany({ where: { organizationId, id: taskId }, data: { raceId: id } });
    });
    return id;
  },
  request: async ({ ask }) => (await ask()).id,
  async foundTask({ web, organizationId, canary, taskState, ...making }) {
    const { connectionId } = await making.server();
    const taskId = taskState === "start_unknown" ? await making.id("task") : null;
    const id = uuidv7();
    const place = { organizationId, table: "found_task", row: id, column: "sealed_handle" };
    await web.db.withOrganization(organizationId, (tx) =>
      tx.foundTask.create({
        data: {
          organizationId,
          id,
          connectionId,
          taskId,
          sealedHandle: seal.seal(place, canary),
          handleDigest: Buffer.from(id),
          status: "working",
          statusMessage: canary,
        },
      }),
    );
    return id;
  },
  async policyProposal({ web, organizationId, canary }) {
    const id = uuidv7();
    const actor = { kind: "system", id: null, name: "Command line" };
    const rule = { name: canary, stages: [{ name: canary, approvers: { roles: ["owner"] } }] };
    await web.db.withOrganization(organizationId, (tx) =>
      tx.policyProposal.create({
        data: {
          ...{ organizationId, id, baseVersion: 0, proposedBy: actor, proposer: uuidv7() },
          ...{ policy: { version: 1, groups: {}, rules: [rule] }, people: {} },
        },
      }),
    );
    return id;
  },
  member: async ({ web, organizationId }) =>
    (await web.member(organizationId, uuidv7(), "approver")).memberId,
  answerer: async ({ web, organizationId }) =>
    (await web.member(organizationId, uuidv7(), "approver")).userId,
  async comment({ web, organizationId, userId, canary, ...making }) {
    const id = uuidv7();
    const inputRequestId = await making.id("request");
    const writtenBy = { kind: "member", id: userId, name: canary };
    await web.db.withOrganization(organizationId, (tx) =>
      tx.requestComment.create({
        data: { organizationId, id, inputRequestId, author: userId, writtenBy, text: canary },
      }),
    );
    return id;
  },
  async key({ web, organizationId, canary }) {
    const id = uuidv7();
    await web.db.withOrganization(organizationId, (tx) =>
      tx.apiKey.create({
        data: { organizationId, id, name: canary, role: "viewer", secretHash: Buffer.from(id) },
      }),
    );
    return id;
  },
  async agent({ web, organizationId, canary, server }) {
    const id = uuidv7();
    const { id: serverId } = await server();
    await web.db.withOrganization(organizationId, async (tx) => {
      const data = { organizationId, id, name: canary, role: "viewer", secretHash: Buffer.from(id) };
      await tx.agentCredential.create({ data });
      await tx.agentGrant.create({ data: { organizationId, id: uuidv7(), agentId: id, serverId } });
    });
    return id;
  },
  async connection({ web, organizationId, canary, userId, server }) {
    const { connectionId } = await server();
    const issuer = "https://sign-in.test.example";
    const tokens = JSON.stringify({ accessToken: canary, refreshToken: null });
    await web.db.withOrganization(organizationId, (tx) =>
      tx.oauthGrant.create({
        data: {
          organizationId,
          connectionId,
          state: "connected",
          sealedTokens: seal.seal(
            { organizationId, table: "oauth_grant", row: connectionId, column: "sealed_tokens" },
            tokens,
          ),
          issuer,
          metadata: {
            issuer,
            authorization_endpoint: `${issuer}/authorize`,
            token_endpoint: `${issuer}/token`,
            response_types_supported: ["code"],
          },
          resource: CLOSED_URL,
          clientId: canary,
          renews: false,
          connectedBy: userId,
        },
      }),
    );
    return connectionId;
  },
  organization: async ({ organizationId }) => organizationId,
  async invitation({ web, cookie }) {
    const body = { email: `${uuidv7()}@test.example`, role: "viewer" };
    return (await web.call("POST", "/api/v1/invitations", { cookie, body })).body.id;
  },
  async session({ web, userId }) {
    await web.signIn(userId);
    const newest = "SELECT id FROM session WHERE user_id = $1 ORDER BY created_at DESC LIMIT 1";
    return idFrom(web, newest, [userId]);
  },
  passkey: ({ web, userId, canary }) =>
    idFrom(
      web,
      `INSERT INTO passkey (user_id, name, credential_id, public_key) VALUES ($1, $2, $3, '\\x00') RETURNING id`,
      [userId, canary, uuidv7()],
    ),
  async bulkOperation(making) {
    const body = { action: "cancel", taskIds: [await making.id("task")] };
    return (await making.web.call("POST", "/api/v1/bulk-operations", { cookie: making.cookie, body })).body
      .id;
  },
  async view({ web, cookie, canary }) {
    const body = { page: "inbox", name: `${canary} ${uuidv7().slice(-12)}`, query: { q: canary } };
    return (await web.call("POST", "/api/v1/views", { cookie, body })).body.id;
  },
  async notice({ web, organizationId, userId, ...making }) {
    const id = uuidv7();
    const taskId = await making.id("task");
    const of = { kind: "done", cause: "task.completed", subject: id, taskId, inApp: true };
    await web.db.withOrganization(organizationId, (tx) =>
      tx.notice.create({ data: { organizationId, id, userId, ...of } }),
    );
    return id;
  },
  async device({ web, organizationId, userId }) {
    const id = uuidv7();
    const newest = "SELECT id FROM session WHERE user_id = $1 ORDER BY created_at DESC LIMIT 1";
    const sessionId = await idFrom(web, newest, [userId]);
    const now = new Date();
    const of = { endpointDigest: Buffer.from(id), sealedSubscription: "", userAgent: "Firefox/1" };
    await web.db.withOrganization(organizationId, (tx) =>
      tx.pushDevice.create({
        data: { organizationId, id, userId, sessionId, ...of, testId: uuidv7(), testAskedAt: now },
      }),
    );
    return id;
  },
  async deviceTest({ web, ...making }) {
    return idFrom(web, "SELECT test_id AS id FROM push_device WHERE id = $1", [await making.id("device")]);
  },
  async webhook({ web, organizationId, canary }) {
    const id = uuidv7();
    const place = { organizationId, table: "webhook_endpoint", row: id, column: "sealed_secret" };
    const url = `https://hooks.test.example/${canary}`;
    const sealedSecret = seal.seal(place, canary);
    await web.db.withOrganization(organizationId, (tx) =>
      tx.webhookEndpoint.create({
        data: { organizationId, id, url, events: ["task.completed"], sealedSecret },
      }),
    );
    return id;
  },
  async subscription({ web, organizationId, canary, ...making }) {
    const id = uuidv7();
    const place = { organizationId, table: "webhook_endpoint", row: id, column: "sealed_secret" };
    const its = { agentId: await making.id("agent"), subscription: `sub_${id}`, arguments: {}, seq: 0n };
    await web.db.withOrganization(organizationId, (tx) =>
      tx.webhookEndpoint.create({
        data: {
          ...{
            organizationId,
            id,
            url: `https://hooks.test.example/${canary}`,
            events: ["task.ended"],
            ...its,
          },
          sealedSecret: seal.seal(place, canary),
          expiresAt: new Date(Date.now() + 3600_000),
        },
      }),
    );
    return id;
  },
  async domain({ web, organizationId }) {
    const id = uuidv7();
    await web.db.withOrganization(organizationId, (tx) =>
      tx.organizationDomain.create({ data: { organizationId, id, domain: `${id}.test.example`, token: id } }),
    );
    return id;
  },
  async serviceAccount({ web, organizationId, canary, userId }) {
    const id = uuidv7();
    await web.db.withOrganization(organizationId, (tx) =>
      tx.serviceAccount.create({
        data: { organizationId, id, name: `${canary} ${id}`, role: "viewer", ownerId: userId },
      }),
    );
    return id;
  },
  auditStream: async ({ web, organizationId, canary }) => {
    const settings = { ca: canary };
    const rows = await web.db.withOrganization(
      organizationId,
      (tx) => tx.$queryRaw<
        { id: string }[]
      >`INSERT INTO audit_stream (organization_id, id, kind, address, settings)
        VALUES (${organizationId}::uuid, ${uuidv7()}::uuid, 'syslog', '127.0.0.1:9', ${JSON.stringify(settings)}::jsonb)
        RETURNING id`,
    );
    return rows[0]!.id;
  },
  async samlProvider({ web, organizationId, canary }) {
    const id = uuidv7();
    const place = { organizationId, table: "saml_provider", row: id, column: "sealed_key" };
    const data = {
      ...{ organizationId, id, name: canary, entityId: `https://${canary}.test.example` },
      ...{
        ssoUrl: `https://idp.test.example/${canary}`,
        certificates: [IDP_CERTIFICATE],
        certificate: IDP_CERTIFICATE,
      },
      sealedKey: seal.seal(place, canary),
    };
    await web.db.withOrganization(organizationId, (tx) => tx.samlProvider.create({ data }));
    return id;
  },
  group: async ({ web, organizationId, canary }) => {
    const id = uuidv7();
    const changedBy = { kind: "system", id: null, name: canary };
    await web.db.withOrganization(organizationId, (tx) =>
      tx.organizationGroup.create({ data: { organizationId, id, name: id, changedBy } }),
    );
    return id;
  },
  directoryGroup: async ({ web, organizationId, canary }) => {
    const id = uuidv7();
    await web.db.withOrganization(organizationId, (tx) =>
      tx.directoryGroup.create({ data: { organizationId, id, displayName: `${canary} ${id}` } }),
    );
    return id;
  },
  /** An approval that was given, and waits to be used. */
  async humanRequest({ web, organizationId, userId, canary }) {
    const actor = { kind: "member" as const, id: userId, name: canary };
    const principal = { organizationId, userId, role: "operator" as const, actor };
    const call = {
      tool: "request_approval" as const,
      arguments: { action: `Approve ${canary}?`, details: { note: canary } },
    };
    const subject = { caller: canary, argumentsDigest: "a".repeat(64) };
    const outcome = { outcome: "answered", content: {}, by: { id: userId, name: canary } };
    const result = { content: [], structuredContent: { ...outcome, at: new Date().toISOString() } };
    return web.db.withOrganization(organizationId, async (tx) => {
      const made = await createHumanTask(tx, principal, call, { subject });
      const ended = { endedAt: new Date(), state: "withdrawn" };
      await tx.inputRequest.updateMany({ where: { organizationId, id: made.inputRequestId }, data: ended });
      await tx.task.updateMany({
        where: { organizationId, id: made.taskId },
        data: { state: "completed", finishedAt: new Date(), result },
      });
      return made.inputRequestId;
    });
  },
  /** One that the user has asked for by the Agent Approval Protocol. */
  async aapRequest({ web, organizationId, userId, canary }) {
    const actor = { kind: "member" as const, id: userId, name: canary };
    const principal = { organizationId, userId, role: "operator" as const, actor };
    const submission = { tool: "pay", arguments: { note: canary }, timeout: "1h" };
    return web.db.withOrganization(organizationId, async (tx) => {
      const { request } = await createAapRequest(tx, principal, submission, uuidv7());
      return request.id;
    });
  },
  /** An approval that was given for a while. */
  async standingApproval({ web, organizationId, canary, userId, server, ...making }) {
    const { id: serverId, connectionId } = await server();
    const [id, answerId, agentId] = [uuidv7(), uuidv7(), await making.id("agent")];
    const more = { arguments: { note: canary }, state: "completed", agent: agentId };
    const taskId = await insertTask(web.db, organizationId, { id: serverId, connectionId }, more);
    const asked = await insertRequest(web.db, organizationId, taskId, { message: `Approve ${canary}?` });
    const by = { kind: "member", id: userId, name: canary };
    await web.db.withOrganization(organizationId, async (tx) => {
      await tx.answer.create({
        data: {
          ...{ organizationId, id: answerId, inputRequestId: asked.id, questionHash: asked.questionHash },
          ...{ action: "accept", content: {}, comment: canary, answeredBy: by },
        },
      });
      for (const state of ["answered", "settled"])
        await tx.inputRequest.updateMany({
          where: { organizationId, id: asked.id },
          data: { state, ...(state === "settled" && { endedAt: new Date() }) },
        });
      await tx.$executeRaw`INSERT INTO standing_approval (organization_id, id, answer_id, input_request_id, task_id, agent_id, server_id,
          tool, user_id, made_by, expires_at)
        VALUES (${organizationId}::uuid, ${id}::uuid, ${answerId}::uuid, ${asked.id}::uuid, ${taskId}::uuid, ${agentId}::uuid,
          ${serverId}::uuid, 'process_invoice', ${userId}::uuid, ${JSON.stringify(by)}::jsonb, now() + interval '1 h')`;
    });
    return id;
  },
  async webhookDelivery({ web, organizationId, ...making }) {
    const id = uuidv7();
    const endpointId = await making.id("webhook");
    const of = { type: "task.completed", payload: "{}", state: "delivered", endedAt: new Date() };
    await web.db.withOrganization(organizationId, (tx) =>
      tx.webhookDelivery.create({ data: { organizationId, id, endpointId, ...of } }),
    );
    return id;
  },
};

async function idFrom(web: TestWeb, statement: string, values: unknown[]): Promise<string> {
  return withClient(
    web.database.adminUrl,
    async (client) => (await client.query(statement, values)).rows[0].id,
  );
}

function toolOf(canary: string) {
  return {
    name: TOOL,
    title: canary,
    description: canary,
    inputSchema: { type: "object", properties: {} },
    taskSupport: "required",
    annotations: {},
    honoursIdempotencyKey: false,
  };
}
export const TOOL = "process_invoice";
