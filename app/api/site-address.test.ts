/** The address of a site that a server asks to open: whoever has it could open it in the owner's place. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROLES } from "@/lib/access/roles.ts";
import { maskMessage } from "@/lib/protocol-messages/mask.ts";
import { insertRequest, insertServer, insertTask } from "@/test/fixtures/rows.ts";
import { startWeb, type TestWeb } from "@/test/web.ts";

const SITE = "https://bank.example";
const NOW = `${SITE}/approve?session=s3cr3t-now`;
const BEFORE = `${SITE}/approve?session=s3cr3t-before`;

let web: TestWeb;
let acme: string;
let owner: { userId: string; memberId: string; cookie: string };
let taskId: string;
let requestId: string;

beforeAll(async () => {
  web = await startWeb();
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
afterAll(() => web.stop());

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
