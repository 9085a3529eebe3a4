import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  addPasskey,
  caller,
  newBrowser,
  PASSWORD,
  person,
  signInChallenge,
  signInWith,
  sql,
  startAccounts,
  web,
  withSecondFactor,
} from "@/test/fixtures/accounts.ts";
import { Authenticator } from "@/test/fixtures/authenticator.ts";
import { ORIGIN } from "@/test/web.ts";

beforeAll(() => startAccounts());
afterAll(() => web.stop());

describe("passkeys", () => {
  test("are added with the password, named, and sign in alone: also past two-step sign-in", async () => {
    const pia = await withSecondFactor();
    expect((await pia.call("POST", "/passkeys/options", {})).body.code).toBe("wrong_password");
    const device = new Authenticator(ORIGIN);
    const added = await addPasskey(pia, device, "Laptop");
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

  test("show again that it is the person: their own, not another's", async () => {
    const pia = await withSecondFactor();
    const [device, foreign] = [new Authenticator(ORIGIN), new Authenticator(ORIGIN)];
    await addPasskey(pia, device);
    await addPasskey(await person(), foreign);
    await sql("UPDATE session SET factor_at = now() - interval '1 hour'");
    const show = async (by: Authenticator) =>
      pia.call("POST", "/step-up", { passkey: by.answer(await signInChallenge()) });
    const fresh = async () => (await pia.call("GET", "/step-up")).body;
    expect(await fresh()).toEqual({ fresh: false, ways: ["code", "passkey"] });
    expect((await show(foreign)).body.code).toBe("passkey_refused");
    expect((await fresh()).fresh).toBe(false);
    expect((await show(device)).status).toBe(204);
    expect((await fresh()).fresh).toBe(true);
  });

  test("are one person's: neither added twice nor removed by another", async () => {
    const [ann, bob] = [await person(), await person()];
    const device = new Authenticator(ORIGIN);
    const { body } = await addPasskey(ann, device);
    expect((await addPasskey(bob, device)).body.code).toBe("passkey_known");
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
    await addPasskey(await person(), device);
    device.counter = 7;
    expect(await signInWith(newBrowser(), device)).toBe(null);
    device.counter = 8;
    expect(await signInWith(newBrowser(), device, answer)).toBe("passkey_refused");
    // The same device without the fault: proves that the fault caused the refusal.
    device.counter = 9;
    device.flags = 0x05;
    expect(await signInWith(newBrowser(), device)).toBe(null);
  });

  test("answer a challenge once, within five minutes, and only one that was for them", async () => {
    const pia = await person();
    const device = new Authenticator(ORIGIN);
    await addPasskey(pia, device);
    const challenge = await signInChallenge();
    const answer = JSON.stringify(device.answer(challenge));
    const both = await Promise.all([1, 2].map(() => newBrowser().signIn("passkey", { answer })));
    expect(both.sort()).toEqual([null, "passkey_refused"].sort());

    const late = await signInChallenge();
    await sql("UPDATE passkey_challenge SET expires_at = expires_at - interval '5 minutes'");
    expect(await newBrowser().signIn("passkey", { answer: JSON.stringify(device.answer(late)) })).toBe(
      "passkey_refused",
    );

    // A registration challenge does not sign in, a sign-in challenge does not register, and another person's
    // does neither.
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
