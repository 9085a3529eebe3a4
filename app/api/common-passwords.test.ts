/** Passwords that are common, or were in breaches, are refused wherever one is set; those set before still sign in. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makePasswordLinkFor } from "@/lib/people/accounts/password.ts";
import { hashPassword } from "@/lib/people/members/password.ts";
import { newBrowser, PASSWORD, person, sql, startAccounts, web } from "@/test/fixtures/accounts.ts";

const SENTENCE = "This password is easy to guess: use several words, or let your browser make one";
const GOOD = "purple otter drinks tea";
const errorsOf = ({ status, body }: { status: number; body: { code: string; errors: unknown } }) => [
  status,
  body.code,
  body.errors,
];
const REFUSED = [422, "invalid_input", [{ field: "password", message: SENTENCE }]];
const post = (path: string, body: object, cookie?: string) =>
  web.call("POST", path, { body, ...(cookie && { cookie }) });

beforeAll(() => startAccounts());
afterAll(() => web.stop());

describe("a password that is easy to guess is refused, and a good one taken", () => {
  test("at a change", async () => {
    const pia = await person();
    for (const password of ["Password123!", `${pia.email}1`])
      expect(errorsOf(await pia.call("POST", "/password", { current: PASSWORD, password }))).toEqual(REFUSED);
    expect((await pia.call("POST", "/password", { current: PASSWORD, password: GOOD })).status).toBe(204);
  });

  test("by a link, which is not used up by a refusal", async () => {
    const pia = await person();
    const token = await makePasswordLinkFor(web.db, pia.email, 60_000);
    expect(errorsOf(await post("/api/set-password", { token, password: "Password123!" }))).toEqual(REFUSED);
    expect((await post("/api/set-password", { token, password: GOOD })).status).toBe(204);
    expect(await newBrowser().signIn("password", { email: pia.email, password: GOOD })).toBe(null);
  });

  test("of a new account that joins", async () => {
    const ana = await person();
    await sql("UPDATE membership SET role = 'admin' WHERE user_id = $1", [ana.userId]);
    const email = "nia.novak@test.example";
    const invited = await post("/api/v1/invitations", { email, role: "viewer" }, ana.browser.cookie());
    const token = new URLSearchParams(new URL(invited.body.url).hash.slice(1)).get("token");
    for (const password of ["Password123!", "Nia.Novak1"])
      expect(errorsOf(await post("/api/join/account", { token, name: "Nia Novak", password }))).toEqual(
        REFUSED,
      );
    expect((await post("/api/join/account", { token, name: "Nia Novak", password: GOOD })).status).toBe(201);
  });
});

test("a password of before still signs in, however common it is", async () => {
  const pia = await person();
  await sql(`UPDATE "user" SET password_hash = $1 WHERE id = $2`, [
    await hashPassword("password1234"),
    pia.userId,
  ]);
  expect(await newBrowser().signIn("password", { email: pia.email, password: "password1234" })).toBe(null);
});
