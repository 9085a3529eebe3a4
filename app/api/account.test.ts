import { Secret, TOTP } from "otpauth";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { AuthBrowser } from "@/lib/testing/auth-browser.ts";
import { Authenticator } from "@/lib/testing/authenticator.ts";
import { ORIGIN, startWeb, type TestWeb } from "@/lib/testing/web.ts";
import { withClient } from "@/scripts/database/roles.ts";

// Passwords are slow to check, on purpose.
vi.setConfig({ testTimeout: 90_000 });

let web: TestWeb;
let acme: string;
let globex: string;
let handleAuth: typeof import("@/lib/web/auth.ts").handleAuth;

const PASSWORD = "correct horse battery";
let hash: string;

beforeAll(async () => {
  web = await startWeb(() => import("@/app/api/v1/openapi.json/paths.ts"), { NEXTAUTH_URL: ORIGIN });
  ({ handleAuth } = await import("@/lib/web/auth.ts"));
  const { hashPassword } = await import("@/lib/members/password.ts");
  hash = await hashPassword(PASSWORD);
  acme = await web.organization("acme");
  globex = await web.organization("globex");
});
afterAll(() => web.stop());

let people = 0;

/** Somebody with a password, and a browser of theirs that is signed in with it. */
async function person() {
  const name = `Pia${++people}`;
  const member = await web.member(acme, name, "approver");
  await sql(`UPDATE "user" SET password_hash = $1 WHERE id = $2`, [hash, member.userId]);
  await sql("DELETE FROM session WHERE user_id = $1", [member.userId]);
  const email = `${name.toLowerCase()}-${acme}@test.example`;
  const browser = newBrowser();
  expect(await browser.signIn("password", { email, password: PASSWORD })).toBe(null);
  return { ...member, email, browser, call: caller(browser) };
}

const newBrowser = () => new AuthBrowser(handleAuth, `10.0.2.${++people}`);

function caller(browser: AuthBrowser) {
  return (method: "GET" | "POST" | "DELETE", path: string, body?: unknown) =>
    web.call(method, `/api/v1/me${path}`, { cookie: browser.cookie(), ...(body !== undefined && { body }) });
}

describe("sessions", () => {
  test("are listed with browser, address and method, and end one by one or all but this", async () => {
    const pia = await person();
    const others = [newBrowser(), newBrowser()];
    for (const other of others) await other.signIn("password", { email: pia.email, password: PASSWORD });
    const { items } = (await pia.call("GET", "/sessions")).body;
    expect(items).toHaveLength(3);
    expect(items.map((item: { current: boolean }) => item.current)).toEqual([false, false, true]);
    expect(items[2]).toMatchObject({ method: "password", address: expect.stringMatching(/^10\.0\.2\./) });
    expect(JSON.stringify(items)).not.toMatch(/secret|hash/);

    expect((await pia.call("DELETE", `/sessions/${items[0].id}`)).status).toBe(204);
    expect((await caller(others[1]!)("GET", "/sessions")).status).toBe(401);
    expect((await caller(others[0]!)("GET", "/sessions")).status).toBe(200);
    expect((await pia.call("DELETE", `/sessions/${items[0].id}`)).status).toBe(404);
    expect((await pia.call("DELETE", "/sessions")).status).toBe(204);
    expect((await caller(others[0]!)("GET", "/sessions")).status).toBe(401);
    expect((await pia.call("GET", "/sessions")).body.items).toHaveLength(1);
  });

  test("of others are nobody's to see or end, and keys have none", async () => {
    const [ann, bob] = [await person(), await person()];
    const [session] = (await bob.call("GET", "/sessions")).body.items;
    expect((await ann.call("DELETE", `/sessions/${session.id}`)).status).toBe(404);
    expect((await bob.call("GET", "/sessions")).status).toBe(200);
    const key = await web.key(acme, "owner");
    for (const path of ["sessions", "security"])
      expect((await web.call("GET", `/api/v1/me/${path}`, { key })).status).toBe(403);
  });

  test("end two hours after the last request, and eight hours after signing in", async () => {
    const age = async (column: string, by: string) => {
      const pia = await person();
      await sql(`UPDATE session SET ${column} = ${column} - $2::interval WHERE user_id = $1`, [
        pia.userId,
        by,
      ]);
      return (await pia.call("GET", "/sessions")).status;
    };
    expect(await age("last_seen_at", "1 hour 59 minutes")).toBe(200);
    expect(await age("last_seen_at", "2 hours 1 minute")).toBe(401);
    expect(await age("expires_at", "7 hours 59 minutes")).toBe(200);
    expect(await age("expires_at", "8 hours 1 minute")).toBe(401);
  });

  test("leave no session behind that nobody holds, when somebody signs in again or out", async () => {
    const pia = await person();
    await pia.browser.signIn("password", { email: pia.email, password: PASSWORD });
    expect((await pia.call("GET", "/sessions")).body.items).toHaveLength(1);
    const cookie = pia.browser.cookie();
    await pia.browser.post("signout", {});
    expect((await web.call("GET", "/api/v1/me", { cookie })).status).toBe(401);
  });
});

describe("a password", () => {
  test("is changed by who knows it, which ends the other sessions and open sign-ins", async () => {
    const pia = await person();
    const other = newBrowser();
    await other.signIn("password", { email: pia.email, password: PASSWORD });
    const change = (current: string, password: string) =>
      pia.call("POST", "/password", { current, password });
    expect((await change("a wrong password", "another password")).body).toMatchObject({
      code: "wrong_password",
      errors: [{ field: "current" }],
    });
    expect((await change(PASSWORD, "short")).status).toBe(422);
    const both = await Promise.all([
      change(PASSWORD, "another password"),
      change(PASSWORD, "one more password"),
    ]);
    expect(both.map((answer) => answer.status).sort()).toEqual([204, 422]);
    expect((await pia.call("GET", "/sessions")).status).toBe(200);
    expect((await caller(other)("GET", "/sessions")).status).toBe(401);
    expect(await newBrowser().signIn("password", { email: pia.email, password: PASSWORD })).toBe(
      "CredentialsSignin",
    );
  });

  test("of an older strength is kept under today's once it is given", async () => {
    const pia = await person();
    const weak = hash.replace("$3$", "$1$");
    const { scryptSync } = await import("node:crypto");
    const salt = Buffer.from(weak.split("$")[4] ?? "", "base64url");
    const old = scryptSync(PASSWORD, salt, 32, { N: 2 ** 15, r: 8, p: 1, maxmem: 2 ** 26 });
    const stored = [...weak.split("$").slice(0, 5), old.toString("base64url")].join("$");
    await sql(`UPDATE "user" SET password_hash = $1 WHERE id = $2`, [stored, pia.userId]);
    expect(await newBrowser().signIn("password", { email: pia.email, password: PASSWORD })).toBe(null);
    const [row] = await sql(`SELECT password_hash AS hash FROM "user" WHERE id = $1`, [pia.userId]);
    expect(row.hash).toMatch(/^scrypt\$15\$8\$3\$/);
    expect(await newBrowser().signIn("password", { email: pia.email, password: PASSWORD })).toBe(null);
  });

  test("says the same of an unknown account and of a wrong password", async () => {
    const pia = await person();
    const wrong = await newBrowser().post("callback/password", { email: pia.email, password: "wrong" });
    const unknown = await newBrowser().post("callback/password", { email: "x@y.example", password: "wrong" });
    expect(wrong).toBe(unknown);
  });
});

describe("two-step sign-in", () => {
  test("begins with the password, and counts from the first right code on", async () => {
    const pia = await person();
    expect((await pia.call("POST", "/second-factor", {})).body.code).toBe("wrong_password");
    const started = await start(pia);
    expect(started.uri).toMatch(/^otpauth:\/\/totp\/Intray:/);
    expect(started.modules.length).toBe(started.modules[0].length);
    expect(await newBrowser().signIn("password", { email: pia.email, password: PASSWORD })).toBe(null);
    expect((await pia.call("POST", "/second-factor/confirm", { code: "000000" })).body.code).toBe(
      "wrong_code",
    );
    const { recoveryCodes } = await confirm(pia, started.secret);
    expect(new Set(recoveryCodes).size).toBe(10);
    expect((await pia.call("GET", "/security")).body.secondFactor).toEqual({
      active: true,
      recoveryCodesLeft: 10,
    });
    expect((await pia.call("POST", "/second-factor", { currentPassword: PASSWORD })).body.code).toBe(
      "second_factor_on",
    );

    const stored = await sql("SELECT sealed_secret FROM second_factor WHERE user_id = $1", [pia.userId]);
    expect(stored[0].sealed_secret).not.toContain(started.secret);
    expect(stored[0].sealed_secret).toMatch(/^v1\./);
  });

  test("opens nothing for the password alone, and a session for the code after it", async () => {
    const { email, secret } = await withSecondFactor();
    const browser = newBrowser();
    expect(await browser.signIn("password", { email, password: PASSWORD })).toBe("second_factor");
    expect((await web.call("GET", "/api/v1/me", { cookie: browser.cookie() })).status).toBe(401);
    // The code belongs to the browser that gave the password.
    expect(await newBrowser().signIn("code", { code: codeAt(secret, 1) })).toBe("sign_in_again");
    expect(await browser.signIn("code", { code: codeAt(secret, 1) })).toBe(null);
    expect((await web.call("GET", "/api/v1/me", { cookie: browser.cookie() })).status).toBe(200);
    expect(browser.cookie()).not.toContain("intray.sign-in");
    // Finished: not once more.
    expect(await browser.signIn("code", { code: codeAt(secret, 1) })).toBe("sign_in_again");
  });

  test("takes a code once: of two sign-ins at once with the same code, one gets in", async () => {
    const { email, secret, userId } = await withSecondFactor();
    const both = [newBrowser(), newBrowser()];
    for (const one of both) await one.signIn("password", { email, password: PASSWORD });
    await sql("DELETE FROM session WHERE user_id = $1", [userId]);
    const code = codeAt(secret, 1);
    const results = await Promise.all(both.map((one) => one.signIn("code", { code })));
    expect(results.sort()).toEqual([null, "wrong_code"].sort());
    expect(await sql("SELECT id FROM session WHERE user_id = $1", [userId])).toHaveLength(1);
  });

  test("of one sign-in finished twice at once opens one session", async () => {
    const { email, secret, userId } = await withSecondFactor();
    const browser = newBrowser();
    await browser.signIn("password", { email, password: PASSWORD });
    await sql("DELETE FROM session WHERE user_id = $1", [userId]);
    const code = codeAt(secret, 1);
    await Promise.all([1, 2].map(() => browser.signIn("code", { code })));
    expect(await sql("SELECT id FROM session WHERE user_id = $1", [userId])).toHaveLength(1);
  });

  test("takes codes of one step to either side, and none that is older than the last", async () => {
    const { takeCode } = await import("@/lib/accounts/second-factor.ts");
    const { database } = await import("@/lib/web/database.ts");
    const { sealing } = await import("@/lib/web/sealing.ts");
    const { secret, userId } = await withSecondFactor();
    const db = await database();
    const base = Date.now() + 3_600_000;
    const take = (at: number, steps: number) =>
      takeCode(db, sealing(), userId, codeAt(secret, steps, base), at);
    expect(await take(base, -2)).toBe(false);
    expect(await take(base, 2)).toBe(false);
    expect(await take(base, -1)).toBe(true);
    expect(await take(base, 1)).toBe(true);
    expect(await take(base, 0)).toBe(false);
    expect(await take(base, 1)).toBe(false);
  });

  test("asks for the password again after five wrong codes, and says so in the history", async () => {
    const { email, secret, userId } = await withSecondFactor();
    const browser = newBrowser();
    await browser.signIn("password", { email, password: PASSWORD });
    const tries = [];
    for (let n = 0; n < 6; n++) tries.push(await browser.signIn("code", { code: "123" }));
    expect(tries).toEqual([...Array(5).fill("wrong_code"), "sign_in_again"]);
    expect(await browser.signIn("code", { code: codeAt(secret, 1) })).toBe("sign_in_again");
    const refusals = await sql(
      "SELECT data FROM event WHERE type = 'session.refused' AND actor->>'id' = $1",
      [userId],
    );
    expect(refusals.map((row) => row.data)).toEqual(Array(5).fill({ reason: "wrong_code" }));
  });

  test("ends an unfinished sign-in after five minutes", async () => {
    const { email, secret, userId } = await withSecondFactor();
    const browser = newBrowser();
    await browser.signIn("password", { email, password: PASSWORD });
    await sql(
      "UPDATE pending_sign_in SET expires_at = expires_at - interval '5 minutes' WHERE user_id = $1",
      [userId],
    );
    expect(await browser.signIn("code", { code: codeAt(secret, 1) })).toBe("sign_in_again");
  });

  test("takes each recovery code once, and new ones take the place of all", async () => {
    const { email, secret, recoveryCodes, call } = await withSecondFactor();
    const [first = "", second = ""] = recoveryCodes;
    const use = async (code: string) => {
      const browser = newBrowser();
      await browser.signIn("password", { email, password: PASSWORD });
      return browser.signIn("code", { code });
    };
    expect(await use(first.toUpperCase().replaceAll("-", " "))).toBe(null);
    expect(await use(first)).toBe("wrong_code");
    expect((await call("GET", "/security")).body.secondFactor.recoveryCodesLeft).toBe(9);
    expect((await call("POST", "/second-factor/recovery-codes", { code: "nonsense" })).body.code).toBe(
      "wrong_code",
    );
    const fresh = (await call("POST", "/second-factor/recovery-codes", { code: codeAt(secret, 1) })).body;
    expect(fresh.recoveryCodes).toHaveLength(10);
    expect(await use(second)).toBe("wrong_code");
    expect(await use(fresh.recoveryCodes[0])).toBe(null);
  });

  test("is turned off with a code, and asks for none from then on", async () => {
    const { email, secret, call } = await withSecondFactor();
    expect((await call("POST", "/second-factor/remove", { code: "000000" })).body.code).toBe("wrong_code");
    expect((await call("POST", "/second-factor/remove", { code: codeAt(secret, 1) })).status).toBe(204);
    expect(await newBrowser().signIn("password", { email, password: PASSWORD })).toBe(null);
    expect((await call("POST", "/second-factor/remove", { code: codeAt(secret, 1) })).body.code).toBe(
      "second_factor_off",
    );
  });

  test("cannot be guessed: ten codes a minute for one account, over all its sign-ins", async () => {
    const { email } = await withSecondFactor();
    const results = [];
    for (let n = 0; n < 3; n++) {
      const browser = newBrowser();
      await browser.signIn("password", { email, password: PASSWORD });
      for (let m = 0; m < 4; m++) results.push(await browser.signIn("code", { code: "123456" }));
    }
    // One was used to turn it on.
    expect(results.slice(0, 9)).toEqual(Array(9).fill("wrong_code"));
    expect(results.slice(9)).toEqual(Array(3).fill("throttled"));
  });
});

describe("passkeys", () => {
  test("are added with the password, named, and sign in alone: also past two-step sign-in", async () => {
    const pia = await withSecondFactor();
    expect((await pia.call("POST", "/passkeys/options", {})).body.code).toBe("wrong_password");
    const device = new Authenticator(ORIGIN);
    const added = await add(pia, device, "Laptop");
    expect(added).toMatchObject({ status: 201, body: { name: "Laptop", lastUsedAt: null } });
    const browser = newBrowser();
    expect(await signInWith(browser, device)).toBe(null);
    expect((await web.call("GET", "/api/v1/me", { cookie: browser.cookie() })).body.user.id).toBe(pia.userId);
    const { items } = (await caller(browser)("GET", "/sessions")).body;
    expect(items[0].method).toBe("passkey");

    expect((await pia.call("DELETE", `/passkeys/${added.body.id}`)).status).toBe(204);
    expect((await pia.call("DELETE", `/passkeys/${added.body.id}`)).status).toBe(404);
    expect(await signInWith(newBrowser(), device)).toBe("passkey_refused");
  });

  test("are one person's: neither added twice nor removed by another", async () => {
    const [ann, bob] = [await person(), await person()];
    const device = new Authenticator(ORIGIN);
    const { body } = await add(ann, device);
    expect((await add(bob, device)).body.code).toBe("passkey_known");
    expect((await bob.call("DELETE", `/passkeys/${body.id}`)).status).toBe(404);
    expect(await signInWith(newBrowser(), device)).toBe(null);
  });

  test.each<[string, (device: Authenticator, challenge: string) => unknown]>([
    ["of another site", (device, challenge) => device.answer(challenge, "https://evil.example")],
    ["to a challenge that we did not give", (device) => device.answer("AAAA")],
    [
      "without the person being verified",
      (device, challenge) => Object.assign(device, { flags: 0x01 }).answer(challenge),
    ],
    [
      "with a counter that went back",
      (device, challenge) => Object.assign(device, { counter: 3 }).answer(challenge),
    ],
    [
      "of another key",
      (device, challenge) => ({
        ...new Authenticator(ORIGIN).answer(challenge),
        id: device.id,
        rawId: device.id,
      }),
    ],
    ["of a key that nobody has", (_, challenge) => new Authenticator(ORIGIN).answer(challenge)],
    ["that is none", () => ({ id: "x" })],
  ])("do not sign in with an answer %s", async (_what, answer) => {
    const device = new Authenticator(ORIGIN);
    await add(await person(), device);
    device.counter = 7;
    expect(await signInWith(newBrowser(), device)).toBe(null);
    device.counter = 8;
    expect(await signInWith(newBrowser(), device, answer)).toBe("passkey_refused");
    // The same device with nothing wrong: the refusal was for what was.
    device.counter = 9;
    device.flags = 0x05;
    expect(await signInWith(newBrowser(), device)).toBe(null);
  });

  test("answer a challenge once, within five minutes, and only one that was for them", async () => {
    const pia = await person();
    const device = new Authenticator(ORIGIN);
    await add(pia, device);
    const challenge = await signInChallenge();
    const answer = JSON.stringify(device.answer(challenge));
    const both = await Promise.all([1, 2].map(() => newBrowser().signIn("passkey", { answer })));
    expect(both.sort()).toEqual([null, "passkey_refused"].sort());

    const late = await signInChallenge();
    await sql("UPDATE passkey_challenge SET expires_at = expires_at - interval '5 minutes'");
    expect(await newBrowser().signIn("passkey", { answer: JSON.stringify(device.answer(late)) })).toBe(
      "passkey_refused",
    );

    // One for registering does not sign in, and one for signing in does not register; nor does another person's.
    const forAdding = (await pia.call("POST", "/passkeys/options", { currentPassword: PASSWORD })).body
      .options.challenge;
    expect(await newBrowser().signIn("passkey", { answer: JSON.stringify(device.answer(forAdding)) })).toBe(
      "passkey_refused",
    );
    const other = new Authenticator(ORIGIN);
    const register = (challenge: string) =>
      pia.call("POST", "/passkeys", { name: "x", response: other.register(challenge) });
    expect((await register(await signInChallenge())).body.code).toBe("passkey_refused");
    const stranger = await person();
    const theirs = (await stranger.call("POST", "/passkeys/options", { currentPassword: PASSWORD })).body
      .options.challenge;
    expect((await register(theirs)).body.code).toBe("passkey_refused");
  });

  test("with certificates are not looked at: following them leads to addresses of the sender's", async () => {
    const pia = await person();
    const { options } = (await pia.call("POST", "/passkeys/options", { currentPassword: PASSWORD })).body;
    const statement = { alg: -7, sig: Buffer.from("x"), x5c: [Buffer.from("a certificate")] };
    const response = new Authenticator(ORIGIN).register(options.challenge, { format: "packed", statement });
    expect((await pia.call("POST", "/passkeys", { name: "x", response })).body.code).toBe("passkey_refused");
    const again = await sql("SELECT 1 FROM passkey_challenge WHERE user_id = $1", [pia.userId]);
    expect(again).toHaveLength(1); // refused before anything was read of it
  });
});

test("what happens to an account is in the history of each organization of the person's, and of no other", async () => {
  const pia = await withSecondFactor();
  await web.db.withOrganization(globex, (tx) =>
    tx.membership.create({
      data: { organizationId: globex, id: crypto.randomUUID(), userId: pia.userId, role: "viewer" },
    }),
  );
  const initech = await web.organization("initech");
  const { body: passkey } = await add(pia, new Authenticator(ORIGIN), "Laptop");
  await pia.call("DELETE", `/passkeys/${passkey.id}`);
  const browser = newBrowser();
  await browser.signIn("password", { email: pia.email, password: PASSWORD });
  await browser.signIn("code", { code: "000000" });
  await browser.signIn("code", { code: pia.recoveryCodes[0] ?? "" });
  await pia.call("POST", "/second-factor/remove", { code: codeAt(pia.secret, 1) });
  await pia.call("POST", "/password", { current: PASSWORD, password: "another password" });
  const types = [
    "account.passkey_added",
    "account.passkey_removed",
    "session.refused",
    "account.recovery_code_used",
    "session.opened",
    "account.second_factor_removed",
    "account.password_changed",
  ];
  for (const [place, expected] of [
    [globex, types],
    [initech, []],
  ] as const) {
    const lines = await sql(
      `SELECT type, actor FROM event WHERE organization_id = $1 AND actor->>'id' = $2 ORDER BY seq`,
      [place, pia.userId],
    );
    expect(lines.map((line) => line.type)).toEqual(expected);
    const key = await web.key(place, "owner");
    expect((await web.call("GET", "/api/v1/events/verify", { key })).body.ok).toBe(true);
  }
  const { describeEvent } = await import("@/lib/format/events.ts");
  const { body } = await web.call("GET", "/api/v1/events?limit=200", { key: await web.key(acme, "owner") });
  const words = body.items.map((event: never) => describeEvent(event).text);
  expect(words).toContainEqual(expect.stringMatching(/^Pia\d+ turned two-step sign-in off$/));
  expect(words).toContainEqual(
    expect.stringMatching(/^A sign-in as Pia\d+ was refused: the code was wrong$/),
  );
});

test("what goes wrong inside is told to nobody in an address", async () => {
  const pia = await person();
  await sql("ALTER FUNCTION gate.user_by_email(text) RENAME TO away");
  try {
    const url = await newBrowser().post("callback/password", { email: pia.email, password: PASSWORD });
    expect(new URL(url).searchParams.get("error")).toBe("unavailable");
    expect(url).not.toMatch(/gate|function|prisma/i);
  } finally {
    await sql("ALTER FUNCTION gate.away(text) RENAME TO user_by_email");
  }
});

test("people of the same organizations who sign in at once do not wait for each other for ever", async () => {
  const { openSession } = await import("@/lib/web/sessions.ts");
  const people = [await web.member(acme, "Xa", "viewer"), await web.member(globex, "Xb", "viewer")];
  for (const [at, organizationId] of [globex, acme].entries())
    await web.db.withOrganization(organizationId, (tx) =>
      tx.membership.create({
        data: { organizationId, id: crypto.randomUUID(), userId: people[at]?.userId ?? "", role: "viewer" },
      }),
    );
  const before = await sessionLines();
  const opened = Array.from({ length: 20 }, (_, n) =>
    openSession(people[n % 2]?.userId ?? "", "password", { userAgent: null, address: null }),
  );
  await Promise.all(opened);
  expect((await sessionLines()) - before).toBe(40);

  async function sessionLines() {
    const [row] = await sql("SELECT count(*)::integer AS lines FROM event WHERE type = 'session.opened'");
    return row.lines as number;
  }
});

test("cookies are plain on loopback, HttpOnly and Lax", async () => {
  const pia = await person();
  for (const { name, attributes } of pia.browser.cookies()) {
    expect(name).toMatch(/^next-auth\./);
    expect(attributes).toMatch(/HttpOnly/);
    expect(attributes).toMatch(/SameSite=Lax/i);
    expect(attributes).not.toMatch(/Domain=|Secure/i);
  }
});

type Person = Awaited<ReturnType<typeof person>>;

async function start(pia: Person) {
  const answer = await pia.call("POST", "/second-factor", { currentPassword: PASSWORD });
  expect(answer.status).toBe(200);
  return answer.body;
}

async function confirm(pia: Person, secret: string): Promise<{ recoveryCodes: string[] }> {
  const answer = await pia.call("POST", "/second-factor/confirm", { code: codeAt(secret, 0) });
  expect(answer.status).toBe(200);
  return answer.body;
}

/** Turned on with this step's code, so that the next one's is there to be used. */
async function withSecondFactor() {
  const pia = await person();
  const { secret } = await start(pia);
  return { ...pia, secret: secret as string, ...(await confirm(pia, secret)) };
}

/** The code of a step from now. */
function codeAt(secret: string, steps: number, now = Date.now()): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: now + steps * 30_000 });
}

async function add(pia: Person, device: Authenticator, name = "Key") {
  const { options } = (await pia.call("POST", "/passkeys/options", { currentPassword: PASSWORD })).body;
  return pia.call("POST", "/passkeys", { name, response: device.register(options.challenge) });
}

async function signInChallenge(): Promise<string> {
  return (await web.call("POST", "/api/sign-in/passkey", {})).body.options.challenge;
}

async function signInWith(
  browser: AuthBrowser,
  device: Authenticator,
  answer: (device: Authenticator, challenge: string) => unknown = (one, challenge) => one.answer(challenge),
) {
  return browser.signIn("passkey", { answer: JSON.stringify(answer(device, await signInChallenge())) });
}

async function sql(text: string, values: unknown[] = []) {
  const { rows } = await withClient(web.database.adminUrl, (client) => client.query(text, values));
  return rows;
}
