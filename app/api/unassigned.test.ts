/** Requests of people who can't accept them any more wait for the others, who are told. */
import { beforeAll, expect, test } from "vitest";
import { subjectsOf } from "@/lib/outbound/notices/follow.ts";
import { syncNotices } from "@/lib/outbound/notices/notice-writes.ts";
import { requestCountsSchema } from "@/lib/requests/lists/request-list-schema.ts";
import { insertRequest, insertServer, insertTask } from "@/test/fixtures/rows.ts";
import { type TestWeb, webForFile } from "@/test/web.ts";

type Person = Awaited<ReturnType<TestWeb["member"]>>;

const web = webForFile();
let acme: string;
let [cleo, dan, olga]: Person[] = [];
let server: { id: string; connectionId: string };

beforeAll(async () => {
  acme = await web.organization("acme");
  cleo = await web.member(acme, "Cleo", "approver");
  dan = await web.member(acme, "Dan", "approver");
  olga = await web.member(acme, "Olga", "owner");
  server = await insertServer(web.db, acme);
});

const within = <T>(work: Parameters<typeof web.db.withOrganization<T>>[1]) =>
  web.db.withOrganization(acme, work);
const ask = async (assignee: Person, task: object = {}) =>
  (
    await insertRequest(web.db, acme, await insertTask(web.db, acme, server, task), {
      assignee: assignee.userId,
    })
  ).id;
const as = (who: Person, method: "GET" | "POST" | "PATCH" | "DELETE", path: string, body?: object) =>
  web.call(method, `/api/v1${path}`, { cookie: who.cookie, ...(body && { body }) });
const waitingFor = async (who: Person) =>
  requestCountsSchema.parse((await as(who, "GET", "/input-requests/counts")).body).waiting;
const holderOf = async (id: string) => {
  const { body } = await as(olga!, "GET", `/input-requests/${id}`);
  return { assigned: body.assignedTo?.name ?? null, note: body.assignment, claimed: body.claimedBy };
};
let bens = 0;
const approver = () => web.member(acme, `Ben ${++bens}`, "approver");
const NOBODY = { assigned: null, note: null, claimed: null };

/** Has the notices follow the lines that the request has got, and returns whether Cleo is told. */
async function isCleoTold(id: string): Promise<boolean> {
  await within(async (tx) => {
    const lines = await tx.event.findMany({
      where: { organizationId: acme, inputRequestId: id },
      orderBy: { seq: "asc" },
    });
    const events = lines.map((line) => ({
      type: line.type,
      actor: line.actor,
      taskId: line.taskId,
      inputRequestId: line.inputRequestId,
      data: line.data,
    }));
    const { own: _, ...subjects } = subjectsOf(events as Parameters<typeof subjectsOf>[0]);
    await syncNotices(tx, subjects, false);
  });
  const { body } = await as(cleo!, "GET", "/notices?limit=100");
  return body.items.some(
    (notice: { cause: string; inputRequestId: string | null }) =>
      notice.cause === "request.waiting" && notice.inputRequestId === id,
  );
}

test.each<[string, (member: Person) => Promise<{ status: number }>]>([
  ["becomes a viewer", (ben) => as(olga!, "PATCH", `/members/${ben.memberId}`, { role: "viewer" })],
  ["is removed", (ben) => as(olga!, "DELETE", `/members/${ben.memberId}`)],
])("who %s leaves nothing that waits for nobody", async (_what, change) => {
  const ben = await approver();
  const id = await ask(ben);
  expect((await as(ben, "POST", `/input-requests/${id}/claim`)).status).toBe(200);
  const before = await waitingFor(cleo!);
  expect((await change(ben)).status).toBeLessThan(300);
  expect(await holderOf(id)).toEqual(NOBODY);
  expect(await waitingFor(cleo!)).toBe(before + 1);
  const [line] = await within((tx) =>
    tx.event.findMany({ where: { inputRequestId: id, type: "request.assigned" } }),
  );
  expect(line).toMatchObject({ data: { userId: null, from: ben.userId }, taskId: expect.any(String) });
  expect(await isCleoTold(id)).toBe(true);
});

test("who is removed leaves no request behind that is answered by then and waits again", async () => {
  const ben = await approver();
  const id = await ask(ben);
  const { questionHash } = (await as(olga!, "GET", `/input-requests/${id}`)).body;
  const body = { action: "accept", questionHash, holdMs: 60_000 };
  expect((await as(olga!, "POST", `/input-requests/${id}/answer`, body)).status).toBe(202);
  const before = await waitingFor(cleo!);
  expect((await as(olga!, "DELETE", `/members/${ben.memberId}`)).status).toBe(204);
  expect((await as(olga!, "POST", `/input-requests/${id}/undo`)).status).toBeLessThan(300);
  expect(await holderOf(id)).toEqual(NOBODY);
  expect(await waitingFor(cleo!)).toBe(before + 1);
});

test("what is over stays as it was, whoever leaves then", async () => {
  const ben = await approver();
  const over = await ask(ben);
  await within(async (tx) => {
    const request = await tx.inputRequest.update({
      where: { organizationId_id: { organizationId: acme, id: over } },
      data: { state: "undeliverable", endedAt: new Date() },
    });
    await tx.task.updateMany({
      where: { organizationId: acme, id: request.taskId },
      data: { state: "completed", finishedAt: new Date(), watched: false },
    });
  });
  expect((await as(olga!, "DELETE", `/members/${ben.memberId}`)).status).toBe(204);
  const [row, lines] = await within(
    async (tx) =>
      [
        await tx.inputRequest.findFirst({ where: { organizationId: acme, id: over } }),
        await tx.event.count({ where: { inputRequestId: over, type: "request.assigned" } }),
      ] as const,
  );
  expect([row?.assigneeUserId, lines]).toEqual([ben.userId, 0]);
});

test("a change of role after which one may still answer leaves everything as it is", async () => {
  const ben = await approver();
  const id = await ask(ben);
  await as(olga!, "PATCH", `/members/${ben.memberId}`, { role: "operator" });
  expect(await holderOf(id)).toMatchObject({ assigned: expect.stringMatching(/^Ben/) });
});

test("requiring a second person frees what its own requester has, and nothing else", async () => {
  const own = await ask(dan!, { requester: dan!.userId });
  const claimed = await insertRequest(
    web.db,
    acme,
    await insertTask(web.db, acme, server, { requester: dan!.userId }),
  );
  const others = await ask(dan!, { requester: cleo!.userId });
  expect((await as(dan!, "POST", `/input-requests/${claimed.id}/claim`)).status).toBe(200);
  const rule = (fourEyes: boolean) => as(olga!, "PATCH", "/organization", { fourEyes });
  expect((await rule(true)).status).toBe(200);
  const after = await Promise.all([own, claimed.id, others].map(holderOf));
  const told = await isCleoTold(own);
  await rule(false);
  expect(after).toEqual([NOBODY, NOBODY, expect.objectContaining({ assigned: "Dan" })]);
  expect(told).toBe(true);
});

test("of an assignment and the loss of the role at once, neither leaves a request with a viewer", async () => {
  for (let round = 0; round < 8; round++) {
    const ben = await approver();
    const id = await ask(cleo!);
    await Promise.all([
      as(olga!, "POST", `/input-requests/${id}/assign`, { memberId: ben.memberId }),
      as(olga!, "PATCH", `/members/${ben.memberId}`, { role: "viewer" }),
    ]);
    expect((await holderOf(id)).assigned ?? "nobody").not.toMatch(/^Ben/);
  }
});
