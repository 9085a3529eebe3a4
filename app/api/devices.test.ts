/** A member's devices by the API: in whose hands they are, and what ends them. */
import { createECDH, randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { acme, newBrowser, PASSWORD, person, sql, startAccounts, web } from "@/test/fixtures/accounts.ts";

beforeAll(() => startAccounts());
afterAll(() => web.stop());

function subscription(endpoint = `https://push.test.example/${randomBytes(6).toString("hex")}`) {
  const keys = createECDH("prime256v1");
  return { endpoint, p256dh: keys.generateKeys("base64url"), auth: randomBytes(16).toString("base64url") };
}
const count = async (userId: string) =>
  (await sql("SELECT count(*)::integer AS count FROM push_device WHERE user_id = $1", [userId]))[0].count;

test("a browser becomes a device, is chosen for, tested and removed; its secrets are told to nobody", async () => {
  const pia = await person();
  const given = subscription();
  const added = await pia.call("POST", "/devices", given);
  expect([added.status, added.body]).toEqual([201, { id: expect.any(String) }]);
  const { id } = added.body;
  const listed = async () => (await pia.call("GET", "/devices")).body;
  const { items, publicKey, textAllowed } = await listed();
  expect(items).toMatchObject([{ id, current: true, showsText: false, test: null, failure: null }]);
  expect(Buffer.from(publicKey, "base64url")).toHaveLength(65);
  expect(textAllowed).toBe(false);
  const [row] = await sql(
    "SELECT sealed_subscription, endpoint_digest::text FROM push_device WHERE id = $1",
    [id],
  );
  for (const secret of [given.endpoint, given.p256dh, given.auth])
    for (const text of [JSON.stringify(items), JSON.stringify(row)]) expect(text).not.toContain(secret);

  expect((await pia.call("PATCH", `/devices/${id}`, { showsText: true })).status).toBe(204);
  expect((await pia.call("POST", `/devices/${id}/test`)).status).toBe(202);
  const [{ showsText, test: asked }] = (await listed()).items;
  expect([showsText, asked.sentAt, asked.shownAt]).toEqual([true, null, null]);
  expect((await pia.call("POST", `/devices/${id}/shown`, { testId: crypto.randomUUID() })).status).toBe(404);
  expect((await pia.call("POST", `/devices/${id}/shown`, { testId: asked.id })).status).toBe(204);
  expect((await listed()).items[0].test.shownAt).toEqual(expect.any(String));

  expect((await pia.call("PUT", "/devices", { endpoint: given.endpoint })).body).toEqual({ id });
  expect((await pia.call("PUT", "/devices", { endpoint: subscription().endpoint })).body).toEqual({
    id: null,
  });
  expect((await pia.call("DELETE", `/devices/${id}`)).status).toBe(204);
  expect((await listed()).items).toEqual([]);
});

test("what is no subscription, or leads inside, is refused", async () => {
  const pia = await person();
  for (const bad of [
    { ...subscription(), p256dh: "AAAA" },
    { ...subscription(), auth: "short" },
    { ...subscription(), endpoint: "ftp://push.test.example" },
    { ...subscription(), endpoint: "https://10.0.0.1/x" },
    { ...subscription(), endpoint: "http://push.test.example/x" },
    { ...subscription(), more: true },
  ])
    expect((await pia.call("POST", "/devices", bad)).status, JSON.stringify(bad)).toBe(422);
  expect(await count(pia.userId)).toBe(0);
});

test("a device is nobody else's, and no key has one", async () => {
  const [ann, bob] = [await person(), await person()];
  const { id } = (await bob.call("POST", "/devices", subscription())).body;
  for (const [method, path, body] of [
    ["PATCH", `/devices/${id}`, { showsText: true }],
    ["POST", `/devices/${id}/test`, undefined],
    ["DELETE", `/devices/${id}`, undefined],
  ] as const)
    expect((await ann.call(method, path, body)).status, path).toBe(404);
  expect((await ann.call("GET", "/devices")).body.items).toEqual([]);
  const key = await web.key(acme, "owner");
  expect((await web.call("GET", "/api/v1/me/devices", { key })).status).toBe(403);
});

describe("a device goes", () => {
  test("by signing out, and with a session that another one ends", async () => {
    const pia = await person();
    const other = newBrowser();
    await other.signIn("password", { email: pia.email, password: PASSWORD });
    await pia.call("POST", "/devices", subscription());
    const { csrfToken } = await (await pia.browser.send("/api/auth/csrf")).json();
    await pia.browser.send("/api/auth/signout", { csrfToken, json: "true" });
    expect(await count(pia.userId)).toBe(0);

    const ann = await person();
    const third = newBrowser();
    await third.signIn("password", { email: ann.email, password: PASSWORD });
    await ann.call("POST", "/devices", subscription());
    const ended = await web.call("DELETE", "/api/v1/me/sessions", { cookie: third.cookie() });
    expect([ended.status, await count(ann.userId)]).toEqual([204, 0]);
  });

  test("with the membership, also where it is only suspended", async () => {
    const owner = await web.member(acme, "Otto", "owner");
    const ben = await web.member(acme, "Bendix", "approver");
    const added = await web.call("POST", "/api/v1/me/devices", { cookie: ben.cookie, body: subscription() });
    expect([added.status, await count(ben.userId)]).toEqual([201, 1]);
    await web.call("POST", `/api/v1/members/${ben.memberId}/suspend`, { cookie: owner.cookie });
    expect(await count(ben.userId)).toBe(0);
  });
});
