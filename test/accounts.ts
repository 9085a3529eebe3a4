/** People with passwords, and what they do to sign in, for the tests of accounts. One database a test file. */
import { Secret, TOTP } from "otpauth";
import { expect } from "vitest";
import { withClient } from "../scripts/database/roles.ts";
import { AuthBrowser } from "./auth-browser.ts";
import type { Authenticator } from "./authenticator.ts";
import { ORIGIN, startWeb, type TestWeb } from "./web.ts";

export const PASSWORD = "correct horse battery";

export let web: TestWeb;
/** Where everybody is. */
export let acme: string;
let handleAuth: typeof import("../lib/web/auth/auth.ts").handleAuth;
let hash: string;

export async function startAccounts(load: Parameters<typeof startWeb>[0]): Promise<void> {
  web = await startWeb(load, { NEXTAUTH_URL: ORIGIN });
  ({ handleAuth } = await import("../lib/web/auth/auth.ts"));
  const { hashPassword } = await import("../lib/members/password.ts");
  hash = await hashPassword(PASSWORD);
  acme = await web.organization("acme");
}

let people = 0;

/** Somebody with a password, and a browser of theirs that is signed in with it. */
export async function person() {
  const name = `Pia${++people}`;
  const member = await web.member(acme, name, "approver");
  await sql(`UPDATE "user" SET password_hash = $1 WHERE id = $2`, [hash, member.userId]);
  await sql("DELETE FROM session WHERE user_id = $1", [member.userId]);
  const email = `${name.toLowerCase()}-${acme}@test.example`;
  const browser = newBrowser();
  expect(await browser.signIn("password", { email, password: PASSWORD })).toBe(null);
  return { ...member, email, browser, call: caller(browser) };
}
export type Person = Awaited<ReturnType<typeof person>>;

export const newBrowser = () => new AuthBrowser(handleAuth, `10.0.2.${++people}`);

/** Calls below `/api/v1/me`. */
export function caller(browser: AuthBrowser) {
  return (method: "GET" | "POST" | "DELETE", path: string, body?: unknown) =>
    web.call(method, `/api/v1/me${path}`, { cookie: browser.cookie(), ...(body !== undefined && { body }) });
}

export async function startSecondFactor(pia: Person) {
  const answer = await pia.call("POST", "/second-factor", { currentPassword: PASSWORD });
  expect(answer.status).toBe(200);
  return answer.body;
}

export async function confirmSecondFactor(pia: Person, secret: string): Promise<{ recoveryCodes: string[] }> {
  const answer = await pia.call("POST", "/second-factor/confirm", { code: codeAt(secret, 0) });
  expect(answer.status).toBe(200);
  return answer.body;
}

/** Turned on with this step's code, so that the next one's is there to be used. */
export async function withSecondFactor() {
  const pia = await person();
  const { secret } = await startSecondFactor(pia);
  return { ...pia, secret: secret as string, ...(await confirmSecondFactor(pia, secret)) };
}

/** The code of a step from now. */
export function codeAt(secret: string, steps: number, now = Date.now()): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: now + steps * 30_000 });
}

export async function addPasskey(pia: Person, device: Authenticator, name = "Key") {
  const { options } = (await pia.call("POST", "/passkeys/options", { currentPassword: PASSWORD })).body;
  return pia.call("POST", "/passkeys", { name, response: device.register(options.challenge) });
}

export async function signInChallenge(): Promise<string> {
  return (await web.call("POST", "/api/sign-in/passkey", {})).body.options.challenge;
}

/** Null: signed in; else the code of what is wrong. */
export async function signInWith(
  browser: AuthBrowser,
  device: Authenticator,
  answer: (device: Authenticator, challenge: string) => unknown = (one, challenge) => one.answer(challenge),
) {
  return browser.signIn("passkey", { answer: JSON.stringify(answer(device, await signInChallenge())) });
}

/** As a superuser: what is in the tables, whoever may see it. */
export async function sql(text: string, values: unknown[] = []) {
  const { rows } = await withClient(web.database.adminUrl, (client) => client.query(text, values));
  return rows;
}
