/** The address of a site that a server asks to open: whoever has it could open it in the owner's place. */
import { beforeAll, expect, test } from "vitest";
import { ROLES } from "@/lib/access/roles.ts";
import type { Tx } from "@/lib/base/db/db.ts";
import { uuidv7 } from "@/lib/base/ids.ts";
import { exportedLines } from "@/lib/history/events/event-reads.ts";
import { appendEvents } from "@/lib/history/events/event-writes.ts";
import { takeEvents } from "@/lib/history/events/follow.ts";
import { maskMessage } from "@/lib/history/protocol-messages/mask.ts";
import { toQuestion } from "@/lib/mcp/messages.ts";
import { recordDeliveries } from "@/lib/outbound/webhooks/outbox.ts";
import { WEBHOOK_EVENTS } from "@/lib/outbound/webhooks/webhook-schema.ts";
import { captureQuestion } from "@/lib/requests/capture/capture-question.ts";
import { insertRequest, insertServer, insertTask } from "@/test/fixtures/rows.ts";
import { webForFile } from "@/test/web.ts";

const SITE = "https://bank.example";
const NOW = `${SITE}/approve?session=s3cr3t-now`;
const BEFORE = `${SITE}/approve?session=s3cr3t-before`;

const web = webForFile();
let acme: string;
let owner: { userId: string; memberId: string; cookie: string };
let taskId: string;
let requestId: string;

beforeAll(async () => {
  acme = await web.organization("acme-sites");
  owner = await web.member(acme, "Otto", "approver");
  const server = await insertServer(web.db, acme);
  taskId = await insertTask(web.db, acme, server);
  const before = await insertRequest(web.db, acme, taskId, { url: BEFORE });
  requestId = (await insertRequest(web.db, acme, taskId, { url: NOW })).id;
  await web.db.withOrganization(acme, async (tx) => {
    const where = { organizationId: acme };
    await tx.connection.updateMany({
      where: { ...where, id: server.connectionId },
      data: { authorizedBy: owner.userId },
    });
    await tx.inputRequest.updateMany({
      where: { ...where, id: before.id },
      data: { state: "withdrawn", endedReason: "replaced", endedAt: new Date() },
    });
    await tx.inputRequest.updateMany({ where: { ...where, id: requestId }, data: { replaces: before.id } });
  });
});

const detail = async (who: { cookie?: string; key?: string }) => {
  const answer = await web.call("GET", `/api/v1/input-requests/${requestId}`, who);
  expect(answer.status).toBe(200);
  return answer.body;
};

test("its owner has the whole address, of the question and of the one before", async () => {
  expect(await detail(owner)).toMatchObject({ url: NOW, previous: { url: BEFORE } });
});

test("a question that opens no site is its connection owner's no more than anybody's", async () => {
  const server = await insertServer(web.db, acme);
  await web.db.withOrganization(acme, (tx) =>
    tx.connection.updateMany({
      where: { organizationId: acme, id: server.connectionId },
      data: { authorizedBy: owner.userId },
    }),
  );
  const form = await insertRequest(web.db, acme, await insertTask(web.db, acme, server));
  const answer = await web.call("GET", `/api/v1/input-requests/${form.id}`, owner);
  expect(answer.body).toMatchObject({ mode: "form", urlOwner: null });
});

test.each(ROLES)("a member and a key of role %s have the site alone, in every answer", async (role) => {
  const member = await web.member(acme, `Mia-${role}`, role);
  for (const who of [{ cookie: member.cookie }, { key: await web.key(acme, role) }]) {
    expect(await detail(who)).toMatchObject({ url: SITE, previous: { url: SITE } });
    for (const path of [
      `/input-requests/${requestId}`,
      "/input-requests?tab=all",
      `/tasks/${taskId}`,
      `/tasks/${taskId}/events`,
      `/tasks/${taskId}/messages`,
      "/events",
    ])
      expect(JSON.stringify((await web.call("GET", `/api/v1${path}`, who)).body), path).not.toContain(
        "s3cr3t",
      );
  }
});

/** A question to open `url` that an MCP server asked, as the engine keeps it: of a reply, and on a stream of nobody's task. */
async function captured(connectionOwner: string | null): Promise<string> {
  const server = await insertServer(web.db, acme);
  const task = await insertTask(web.db, acme, server);
  const params = { mode: "url", message: "Sign in at your bank", url: NOW, elicitationId: "e-1" };
  await web.db.withOrganization(acme, async (tx) => {
    const where = { organizationId: acme, id: server.connectionId };
    await tx.connection.updateMany({ where, data: { authorizedBy: connectionOwner } });
    const question = toQuestion({ kind: "key", key: "bank" }, params);
    if (!question) throw new Error("the question is not taken");
    const events = await captureQuestion(tx, task, {
      question,
      key: "bank",
      rpc: null,
      lifetimeMs: null,
    });
    await appendEvents(tx, events);
    const heard = { id: uuidv7(), connectionId: server.connectionId, sessionDigest: Buffer.from("s") };
    await tx.streamMessage.create({
      data: { organizationId: acme, ...heard, rpcId: 7, kind: "elicitation", params },
    });
  });
  const [request] = await web.db.withOrganization(acme, (tx) =>
    tx.inputRequest.findMany({ where: { organizationId: acme, taskId: task } }),
  );
  expect(request).toMatchObject({ mode: "url", url: NOW, state: "open" });
  return request!.id;
}

test("an export has the site alone, for an owner who owns the connection or not, and for a key", async () => {
  const olga = await web.member(acme, "Olga", "owner");
  const id = await captured(olga.userId);
  const otis = await web.member(acme, "Otis", "owner");
  const body = { name: "exports", role: "owner", permissions: ["organization:export"] };
  const { secret: key } = (await web.call("POST", "/api/v1/api-keys", { cookie: otis.cookie, body })).body;
  for (const who of [{ cookie: olga.cookie }, { cookie: otis.cookie }, { key }]) {
    const text = await (await web.open("GET", "/api/v1/organization/export", who)).text();
    const lines = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.at(-1).kind).toBe("end");
    expect(lines.find((line) => line.id === id)).toMatchObject({ kind: "input_request", url: SITE });
    expect(lines.find(({ kind }) => kind === "stream_message").params).toMatchObject({
      mode: "url",
      url: SITE,
    });
    expect(text).not.toContain("s3cr3t");
  }
});

test("the history, which audit streams send, and what webhooks tell have no address at all", async () => {
  const olga = await web.member(acme, "Olive", "owner");
  const hook = { url: "https://hooks.test.example/in", events: WEBHOOK_EVENTS };
  expect((await web.call("POST", "/api/v1/webhooks", { cookie: olga.cookie, body: hook })).status).toBe(201);
  const id = await captured(olga.userId);
  await web.db.withOrganization(acme, async (tx) => {
    const events = await takeEvents(tx, { follower: "sites", begins: "first" }, 10_000);
    expect(events.some(({ inputRequestId }) => inputRequestId === id)).toBe(true);
    await recordDeliveries(tx, events);
  });
  const told = await web.db.withOrganization(acme, (tx) =>
    tx.webhookDelivery.findMany({ where: { organizationId: acme } }),
  );
  expect(told.some(({ payload }) => payload.includes(id))).toBe(true);
  let history = "";
  const within = <T>(work: (tx: Tx) => Promise<T>) => web.db.withOrganization(acme, work);
  for await (const piece of exportedLines(within, { batch: 500 })) history += piece;
  expect(history).toContain(id);
  for (const text of [history, JSON.stringify(told.map(({ payload }) => payload))])
    expect(text).not.toContain("bank.example");
});

test.each(ROLES)("of a connection in nobody's name, role %s sees what it may open", async (role) => {
  const id = await captured(null);
  const member = await web.member(acme, `Nora-${role}`, role);
  const read = async (who: { cookie?: string; key?: string }) =>
    (await web.call("GET", `/api/v1/input-requests/${id}`, who)).body.url;
  expect(await read(member)).toBe(role === "viewer" ? SITE : NOW);
  expect(await read({ key: await web.key(acme, role) })).toBe(SITE);
});

test("the site stays an owner's whose account is gone", async () => {
  const gone = uuidv7();
  const id = await captured(gone);
  const ada = await web.member(acme, "Adele", "admin");
  const { body } = await web.call("GET", `/api/v1/input-requests/${id}`, ada);
  expect(body).toMatchObject({ url: SITE, urlOwner: { id: gone, name: "a former member" } });
});

test("an admin who looks as the owner has the site alone", async () => {
  const admin = await web.member(acme, "Ada", "admin");
  expect((await web.call("POST", `/api/v1/members/${owner.memberId}/view-as`, admin)).status).toBe(200);
  expect(await detail(admin)).toMatchObject({ url: SITE, previous: { url: SITE } });
});

test("the messages that are kept for operators have the site alone", () => {
  const asked = { mode: "url", message: "Sign in", url: NOW, elicitationId: "e-1" };
  const kept = maskMessage({ error: { code: -32042, data: { elicitations: [asked] } }, params: asked }, []);
  expect(JSON.stringify(kept)).not.toContain("s3cr3t");
  expect(kept).toMatchObject({ params: { url: `${SITE}/•••`, message: "Sign in" } });
});
