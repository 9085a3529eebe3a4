/** What reaches members by secret links: the calendar's address, and the link that turns the digest off. */
import { createHash } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { createSeal } from "@/lib/base/seal.ts";
import { unsubscribeToken } from "@/lib/outbound/digest/unsubscribe.ts";
import { insertRequest, insertServer, insertTask } from "@/test/fixtures/rows.ts";
import { type TestWeb, webForFile } from "@/test/web.ts";

type Person = Awaited<ReturnType<TestWeb["member"]>>;
/** As in startWeb's INTRAY_KEYS. */
const seal = createSeal([{ kid: "k1", key: Buffer.alloc(32, 1) }]);
const SECRET = "secret-of-the-question";
const DIGEST = { days: "all", hour: 8, zone: "Europe/Vienna" };
const web = webForFile();
let acme: string;
let ana: Person;
let ben: Person;
let made = 0;

beforeEach(async () => {
  acme = await web.organization(`acme-${++made}`);
  ana = await web.member(acme, "Ana", "owner");
  ben = await web.member(acme, "Ben", "approver");
});

const sql = (text: string, values: unknown[] = []) => web.database.sql(text, values);
const settings = ({ cookie }: Person, body?: unknown) =>
  web.call(body ? "PATCH" : "GET", "/api/v1/me/notifications", { cookie, body });
async function addressOf({ cookie }: Person): Promise<string> {
  const { status, body } = await web.call("POST", "/api/v1/me/calendar-feed", { cookie });
  expect(status).toBe(201);
  const { origin, pathname } = new URL(body.url);
  expect(origin).toBe("http://localhost:3000");
  expect(pathname).toMatch(/^\/api\/calendar\/[\w-]{43}\.ics$/);
  return pathname;
}
const feedOf = async ({ cookie }: Person) =>
  (await web.call("GET", "/api/v1/me/calendar-feed", { cookie })).body.feed;
const get = (path: string, headers: Record<string, string> = {}) => web.open("GET", path, { headers });
async function asked(more: Parameters<typeof insertRequest>[3] = {}, due = "2 days") {
  const server = await insertServer(web.db, acme);
  const task = await insertTask(web.db, acme, server, { arguments: { invoice_id: SECRET } });
  const request = await insertRequest(web.db, acme, task, { message: `Pay ${SECRET}?`, ...more });
  await sql("UPDATE input_request SET decide_by = now() + $1::interval WHERE id = $2", [due, request.id]);
  return request;
}

describe("a calendar's address", () => {
  test("shows what is due for its member, without a session, and never what is asked", async () => {
    const { id } = await asked();
    const { id: anas } = await asked({ assignee: ana.userId });
    const path = await addressOf(ben);
    expect(await feedOf(ben)).toEqual({ createdAt: expect.any(String), readAt: null });
    const response = await get(path);
    expect([response.status, response.headers.get("content-type")]).toEqual([
      200,
      "text/calendar; charset=utf-8",
    ]);
    expect(response.headers.get("cache-control")).toBe("private, no-cache");
    const text = await response.text();
    expect(text).toContain(`UID:${id}@localhost`);
    for (const never of [SECRET, anas]) expect(text).not.toContain(never);
    expect(await feedOf(ben)).toEqual({ createdAt: expect.any(String), readAt: expect.any(String) });
    // At rest there is only the secret's hash.
    const secret = path.split("/").at(-1)?.replace(".ics", "") ?? "";
    const [row] = await sql("SELECT f::text AS text, secret_hash FROM calendar_feed f WHERE user_id = $1", [
      ben.userId,
    ]);
    expect(row.text).not.toContain(secret);
    expect(row.secret_hash).toEqual(createHash("sha256").update(secret).digest());
  });

  test("is not sent again to who has it, until something changes", async () => {
    const { id } = await asked();
    const path = await addressOf(ben);
    const etag = String((await get(path)).headers.get("etag"));
    for (const tag of [etag, `W/${etag}`, `"x", ${etag}`]) {
      const again = await get(path, { "if-none-match": tag });
      expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", etag]);
    }
    await sql("UPDATE input_request SET decide_by = decide_by + interval '1 hour' WHERE id = $1", [id]);
    const moved = await get(path, { "if-none-match": etag });
    expect(moved.status).toBe(200);
    await sql("UPDATE input_request SET state = 'withdrawn', ended_at = now() WHERE id = $1", [id]);
    const decided = await get(path, { "if-none-match": String(moved.headers.get("etag")) });
    expect([decided.status, (await decided.text()).includes("VEVENT")]).toEqual([200, false]);
  });

  test("that is wrong, replaced, removed or of a former member gets one and the same answer", async () => {
    const answerTo = async (path: string, headers = {}) => {
      const response = await get(path, headers);
      const { requestId: _, ...problem } = await response.json();
      return { status: response.status, ...problem };
    };
    const wrong = await answerTo(`/api/calendar/${"A".repeat(43)}.ics`);
    expect(wrong).toMatchObject({ status: 404, code: "not_found" });
    const [first, second] = [await addressOf(ben), await addressOf(ben)];
    const anas = await addressOf(ana);
    expect((await get(second)).status).toBe(200);
    const halves = `${anas.slice(0, 40)}${second.slice(40)}`;
    for (const path of [
      first,
      second.replace(".ics", ""),
      second.replace(".ics", ".ICS"),
      "/api/calendar/.ics",
      halves,
    ])
      expect(await answerTo(path), path).toEqual(wrong);
    await web.call("DELETE", "/api/v1/me/calendar-feed", { cookie: ben.cookie });
    expect(await answerTo(second)).toEqual(wrong);
    expect(await feedOf(ben)).toBeNull();
    const third = await addressOf(ben);
    expect(
      (await web.call("POST", `/api/v1/members/${ben.memberId}/suspend`, { cookie: ana.cookie })).status,
    ).toBe(200);
    expect(await answerTo(third)).toEqual(wrong);
    await web.call("POST", `/api/v1/members/${ben.memberId}/reinstate`, { cookie: ana.cookie });
    expect(await answerTo(third)).toEqual(wrong);
    // From outside of the organization's networks.
    expect((await get(anas, { "x-forwarded-for": "203.0.113.7" })).status).toBe(200);
    await sql("UPDATE organization SET networks = ARRAY['203.0.113.0/24'] WHERE id = $1", [acme]);
    expect((await get(anas, { "x-forwarded-for": "203.0.113.7" })).status).toBe(200);
    expect(await answerTo(anas, { "x-forwarded-for": "198.51.100.7" })).toEqual(wrong);
  });

  test("is of one organization, and shows what its member's role of now may decide", async () => {
    await asked();
    const path = await addressOf(ben);
    const other = await web.organization(`other-${made}`);
    await sql(
      "INSERT INTO membership (organization_id, id, user_id, role) VALUES ($1, gen_random_uuid(), $2, 'owner')",
      [other, ben.userId],
    );
    const server = await insertServer(web.db, other);
    const { id } = await insertRequest(web.db, other, await insertTask(web.db, other, server));
    await sql("UPDATE input_request SET decide_by = now() WHERE id = $1", [id]);
    const text = await (await get(path)).text();
    expect([text.includes("VEVENT"), text.includes(id)]).toEqual([true, false]);
    await sql("UPDATE membership SET role = 'viewer' WHERE id = $1", [ben.memberId]);
    expect(await (await get(path)).text()).not.toContain("VEVENT");
  });

  test("is made by members with a session, and does nothing but be read", async () => {
    const key = await web.key(acme, "owner");
    for (const method of ["GET", "POST", "DELETE"] as const)
      expect((await web.call(method, "/api/v1/me/calendar-feed", { key })).status).toBe(403);
    const path = await addressOf(ben);
    for (const method of ["POST", "PUT", "PATCH", "DELETE"] as const)
      expect((await web.call(method, path, { body: {} })).status).toBe(405);
  });

  test("is looked for so often, and not more often, by one network", async () => {
    const headers = { "x-forwarded-for": "192.0.2.99" };
    const statuses: number[] = [];
    while (statuses.at(-1) !== 429 && statuses.length < 200)
      statuses.push((await get(`/api/calendar/${statuses.length}.ics`, headers)).status);
    expect(statuses.at(-1)).toBe(429);
    expect(statuses).toHaveLength(121);
  });
});

describe("a digest", () => {
  test("is off until a member chooses it, and keeps what was chosen", async () => {
    expect((await settings(ben)).body.digest).toBeNull();
    const saved = await settings(ben, { digest: DIGEST });
    expect(saved.body.digest).toEqual({ ...DIGEST, sentAt: null, failure: null });
    expect((await settings(ana)).body.digest).toBeNull();
    const [{ due, later }] = await sql(
      `SELECT to_char(due_at AT TIME ZONE 'Europe/Vienna', 'HH24:MI') AS due, due_at > now() AS later FROM daily_digest
        WHERE user_id = $1`,
      [ben.userId],
    );
    expect([due, later]).toEqual(["08:00", true]);
    for (const wrong of [
      { hour: 24 },
      { hour: 7.5 },
      { zone: "+02:00" },
      { zone: "Europe/Nowhere" },
      { days: "sometimes" },
    ])
      expect((await settings(ben, { digest: { ...DIGEST, ...wrong } })).status, JSON.stringify(wrong)).toBe(
        422,
      );
    expect((await settings(ben, {})).status).toBe(422);
  });

  const turnOff = (token: string, body: string, type: string) =>
    post(
      `/api/unsubscribe/${token}`,
      new Request("http://x", { method: "POST", body, headers: { "content-type": type } }),
    );
  const FORM = "application/x-www-form-urlencoded";
  const isOff = async () => (await settings(ben)).body.digest.days === "off";

  test.each([
    ["a form", "List-Unsubscribe=One-Click", FORM],
    [
      "multipart",
      '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n',
      "multipart/form-data; boundary=b",
    ],
  ])("is turned off by one POST of %s, without a session, and stays off", async (_, body, type) => {
    await settings(ben, { digest: DIGEST });
    await settings(ana, { digest: DIGEST });
    const token = unsubscribeToken(seal, { organizationId: acme, userId: ben.userId });
    for (let count = 0; count < 2; count++) expect(await turnOff(token, body, type)).toBe(204);
    expect((await settings(ben)).body.digest).toMatchObject({ days: "off", hour: 8 });
    expect((await settings(ana)).body.digest.days).toBe("all");
  });

  test("is not turned off by a link that is looked at, by other bodies, or by a forged link", async () => {
    await settings(ben, { digest: DIGEST });
    const token = unsubscribeToken(seal, { organizationId: acme, userId: ben.userId });
    const page = await get(`/api/unsubscribe/${token}`);
    expect([page.status, page.headers.get("location")]).toEqual([
      303,
      `http://localhost:3000/unsubscribe#token=${token}`,
    ]);
    // As Next decodes it.
    const { GET } = await import("@/app/api/unsubscribe/[token]/route.ts");
    const odd = await GET(new Request("http://localhost:3000/api/unsubscribe/x%0D%0Ay"), {
      params: Promise.resolve({ token: "x\r\ny" }),
    });
    expect([odd.status, odd.headers.get("location")]).toEqual([
      303,
      "http://localhost:3000/unsubscribe#token=x%0D%0Ay",
    ]);
    for (const [body, type, status] of [
      ["", FORM, 422],
      ["List-Unsubscribe=Two-Click", FORM, 422],
      ['{"List-Unsubscribe":"One-Click"}', "application/json", 415],
      ["no parts", "multipart/form-data; boundary=b", 415],
      [`List-Unsubscribe=One-Click&x=${"x".repeat(5_000)}`, FORM, 413],
    ] as const)
      expect(await turnOff(token, body, type), body.slice(0, 40)).toBe(status);
    const anas = unsubscribeToken(seal, { organizationId: acme, userId: ana.userId });
    const others = createSeal([{ kid: "k1", key: Buffer.alloc(32, 2) }]);
    for (const forged of [
      `${token.slice(0, 43)}${anas.slice(43)}`,
      unsubscribeToken(others, { organizationId: acme, userId: ben.userId }),
      "x",
    ])
      expect(await turnOff(forged, "List-Unsubscribe=One-Click", FORM)).toBe(404);
    expect(await isOff()).toBe(false);
  });

  /** As the route gets a form; `web.call` sends JSON alone. */
  async function post(path: string, { body, headers }: Request): Promise<number> {
    const { POST } = await import("@/app/api/unsubscribe/[token]/route.ts");
    const request = new Request(`http://localhost:3000${path}`, {
      method: "POST",
      body,
      headers,
      duplex: "half",
    } as RequestInit);
    return (await POST(request, { params: Promise.resolve({ token: path.split("/").at(-1) ?? "" }) })).status;
  }
});

test("why the last mail was not sent is shown until one is", async () => {
  const mail = (state: string, error: string | null) =>
    sql(
      `INSERT INTO mail (organization_id, id, user_id, state, not_before, error, ended_at)
        VALUES ($1, gen_random_uuid(), $2, $3, now(), $4, CASE WHEN $3 = 'waiting' THEN NULL ELSE now() END)`,
      [acme, ben.userId, state, error],
    );
  const shown = async () => (await settings(ben)).body.email.failure;
  expect(await shown()).toBeNull();
  await mail("failed", "The mail server answered 550.");
  expect(await shown()).toEqual({ error: "The mail server answered 550.", since: expect.any(String) });
  await mail("dropped", null);
  expect(await shown()).not.toBeNull();
  await mail("sent", null);
  expect(await shown()).toBeNull();
  await mail("waiting", null);
  expect(await shown()).toBeNull();
  await sql("UPDATE mail SET error = 'The mail server answered 451.' WHERE state = 'waiting'");
  expect((await shown()).error).toBe("The mail server answered 451.");
  expect((await settings(ana)).body.email.failure).toBeNull();
});
