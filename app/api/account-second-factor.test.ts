import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  codeAt,
  confirmSecondFactor,
  newBrowser,
  PASSWORD,
  person,
  sql,
  startAccounts,
  startSecondFactor,
  web,
  withSecondFactor,
} from "@/test/fixtures/accounts.ts";

beforeAll(() => startAccounts());
afterAll(() => web.stop());

describe("two-step sign-in", () => {
  test("begins with the password, and counts from the first right code on", async () => {
    const pia = await person();
    expect((await pia.call("POST", "/second-factor", {})).body.code).toBe("wrong_password");
    const started = await startSecondFactor(pia);
    expect(started.uri).toMatch(/^otpauth:\/\/totp\/Intray:/);
    expect(started.modules.length).toBe(started.modules[0].length);
    expect(await newBrowser().signIn("password", { email: pia.email, password: PASSWORD })).toBe(null);
    expect((await pia.call("POST", "/second-factor/confirm", { code: "000000" })).body.code).toBe(
      "wrong_code",
    );
    const { recoveryCodes } = await confirmSecondFactor(pia, started.secret);
    expect(new Set(recoveryCodes).size).toBe(10);
    expect((await pia.call("GET", "/security")).body.secondFactor).toEqual({
      active: true,
      recoveryCodesLeft: 10,
      recoveryCodesDated: 0,
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
    expect(await newBrowser().signIn("code", { code: codeAt(secret, 0) })).toBe("sign_in_again");
    expect(await browser.signIn("code", { code: codeAt(secret, 0) })).toBe(null);
    expect((await web.call("GET", "/api/v1/me", { cookie: browser.cookie() })).status).toBe(200);
    expect(browser.cookie()).not.toContain("intray.sign-in");
    // The sign-in is finished, so the code is not accepted again.
    expect(await browser.signIn("code", { code: codeAt(secret, 0) })).toBe("sign_in_again");
  });

  test("takes a code once: of two sign-ins at once with the same code, one gets in", async () => {
    const { email, secret, userId } = await withSecondFactor();
    const both = [newBrowser(), newBrowser()];
    for (const one of both) await one.signIn("password", { email, password: PASSWORD });
    await sql("DELETE FROM session WHERE user_id = $1", [userId]);
    const code = codeAt(secret, 0);
    const results = await Promise.all(both.map((one) => one.signIn("code", { code })));
    expect(results.sort()).toEqual([null, "wrong_code"].sort());
    expect(await sql("SELECT id FROM session WHERE user_id = $1", [userId])).toHaveLength(1);
  });

  test("of one sign-in finished twice at once opens one session", async () => {
    const { email, secret, userId } = await withSecondFactor();
    const browser = newBrowser();
    await browser.signIn("password", { email, password: PASSWORD });
    await sql("DELETE FROM session WHERE user_id = $1", [userId]);
    const code = codeAt(secret, 0);
    await Promise.all([1, 2].map(() => browser.signIn("code", { code })));
    expect(await sql("SELECT id FROM session WHERE user_id = $1", [userId])).toHaveLength(1);
  });

  test("takes codes of this step and the one before, and none that is older than the last", async () => {
    const { takeCode } = await import("@/lib/people/accounts/second-factor.ts");
    const { database } = await import("@/lib/web/database.ts");
    const { sealing } = await import("@/lib/web/services.ts");
    const { secret, userId } = await withSecondFactor();
    const db = await database();
    const base = Date.now() + 3_600_000;
    const take = (at: number, steps: number) =>
      takeCode(db, sealing(), userId, codeAt(secret, steps, base), at);
    expect(await take(base, -2)).toBe("wrong");
    expect(await take(base, 1)).toBe("wrong");
    expect(await take(base, -1)).toBe("taken");
    expect(await take(base, 0)).toBe("taken");
    expect(await take(base, -1)).toBe("wrong");
    expect(await take(base, 0)).toBe("wrong");
  });

  test("waits ever longer after wrong codes, however many come at once, while a recovery code is taken", async () => {
    const { takeCode } = await import("@/lib/people/accounts/second-factor.ts");
    const { database } = await import("@/lib/web/database.ts");
    const { sealing } = await import("@/lib/web/services.ts");
    const { secret, userId, recoveryCodes } = await withSecondFactor();
    const db = await database();
    const wrong = codeAt(secret, 50);
    const take = (code: string) => takeCode(db, sealing(), userId, code);
    const many = await Promise.all(Array.from({ length: 20 }, () => take(wrong)));
    expect(many.filter((result) => result === "wrong")).toHaveLength(5);
    expect(many.filter((result) => result === "wait")).toHaveLength(15);
    expect(await take(codeAt(secret, 0))).toBe("wait");
    const [recovery = "", another = ""] = recoveryCodes;
    expect(await take(recovery)).toBe("taken");

    const pass = (minutes: number) =>
      sql("UPDATE second_factor SET tried_at = tried_at - $2 * interval '1 minute' WHERE user_id = $1", [
        userId,
        minutes,
      ]);
    await pass(1);
    expect([await take(wrong), await take(wrong)]).toEqual(["wrong", "wait"]);
    await pass(1);
    expect(await take(wrong)).toBe("wait");
    await pass(1);
    // A right code ends the row of wrong ones; a recovery code does not.
    expect(await take(another)).toBe("taken");
    expect(await take(codeAt(secret, 0))).toBe("taken");
    expect([await take(wrong), await take(wrong)]).toEqual(["wrong", "wrong"]);
  });

  test("asks for the password again after five wrong codes, and says so in the account's history", async () => {
    const { email, secret, userId } = await withSecondFactor();
    const browser = newBrowser();
    await browser.signIn("password", { email, password: PASSWORD });
    const tries = [];
    for (let n = 0; n < 6; n++) tries.push(await browser.signIn("code", { code: "123" }));
    expect(tries).toEqual([...Array(5).fill("wrong_code"), "sign_in_again"]);
    expect(await browser.signIn("code", { code: codeAt(secret, 0) })).toBe("sign_in_again");
    const refusals = await sql(
      "SELECT data, times FROM account_event WHERE type = 'session.refused' AND user_id = $1",
      [userId],
    );
    expect(refusals).toEqual([{ data: { reason: "wrong_code" }, times: 5 }]);
  });

  test("ends an unfinished sign-in after five minutes", async () => {
    const { email, secret, userId } = await withSecondFactor();
    const browser = newBrowser();
    await browser.signIn("password", { email, password: PASSWORD });
    await sql(
      "UPDATE pending_sign_in SET expires_at = expires_at - interval '5 minutes' WHERE user_id = $1",
      [userId],
    );
    expect(await browser.signIn("code", { code: codeAt(secret, 0) })).toBe("sign_in_again");
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
    const fresh = (await call("POST", "/second-factor/recovery-codes", { code: codeAt(secret, 0) })).body;
    expect(fresh.recoveryCodes).toHaveLength(10);
    expect(await use(second)).toBe("wrong_code");
    expect(await use(fresh.recoveryCodes[0])).toBe(null);
  });

  test("keeps recovery codes as slow hashes of all but a selector, and compares a try with one of them", async () => {
    const { userId, recoveryCodes } = await withSecondFactor();
    const rows = await sql("SELECT * FROM slow_recovery_code WHERE user_id = $1", [userId]);
    expect(rows).toHaveLength(10);
    for (const row of rows) {
      expect(row).toMatchObject({ slow_hash: expect.stringMatching(/^scrypt\$/) });
      expect(row.selector).toMatch(/^[a-z2-7]{4}$/);
    }
    for (const code of recoveryCodes) {
      expect(code).toMatch(/^([a-z2-7]{4}-){4}[a-z2-7]{4}$/);
      expect(JSON.stringify(rows)).not.toContain(code.replaceAll("-", "").slice(4));
    }
    const { takeCode } = await import("@/lib/people/accounts/second-factor.ts");
    const { database } = await import("@/lib/web/database.ts");
    const { sealing } = await import("@/lib/web/services.ts");
    const db = await database();
    const take = (code = "") => takeCode(db, sealing(), userId, code);
    const [first = "", second = "", third = ""] = recoveryCodes;
    // The selector alone, with another code's secret, or with a wrong one.
    expect(await take(first.slice(0, 4))).toBe("wrong");
    expect(await take(first.slice(0, 4) + second.slice(4))).toBe("wrong");
    expect(await take(`${first.slice(0, -1)}${first.endsWith("a") ? "b" : "a"}`)).toBe("wrong");
    expect((await Promise.all([take(third), take(third)])).sort()).toEqual(["taken", "wrong"]);
    expect(await take(first)).toBe("taken");
  });

  test("takes recovery codes of before once, says that there are such, and keeps none of them beside new ones", async () => {
    const { email, secret, userId, call } = await withSecondFactor();
    const dated = ["abcd-efgh-2345-klmn", "aaaa-bbbb-cccc-dddd"];
    // As a web process of before keeps them.
    await sql(
      `SELECT gate.replace_recovery_codes($1, ARRAY[sha256('abcdefgh2345klmn'::bytea),
      sha256('aaaabbbbccccdddd'::bytea)])`,
      [userId],
    );
    const state = async () => (await call("GET", "/security")).body.secondFactor;
    expect(await state()).toEqual({ active: true, recoveryCodesLeft: 2, recoveryCodesDated: 2 });
    const use = async (code = "") => {
      const browser = newBrowser();
      await browser.signIn("password", { email, password: PASSWORD });
      return browser.signIn("code", { code });
    };
    expect([await use(dated[0]), await use(dated[0])]).toEqual([null, "wrong_code"]);
    expect(await state()).toEqual({ active: true, recoveryCodesLeft: 1, recoveryCodesDated: 1 });
    expect((await call("POST", "/second-factor/recovery-codes", { code: codeAt(secret, 0) })).status).toBe(
      200,
    );
    expect(await state()).toEqual({ active: true, recoveryCodesLeft: 10, recoveryCodesDated: 0 });
    expect(await use(dated[1])).toBe("wrong_code");
  });

  test("is turned off with a code, and asks for none from then on", async () => {
    const { email, secret, call } = await withSecondFactor();
    expect((await call("POST", "/second-factor/remove", { code: "000000" })).body.code).toBe("wrong_code");
    expect((await call("POST", "/second-factor/remove", { code: codeAt(secret, 0) })).status).toBe(204);
    expect(await newBrowser().signIn("password", { email, password: PASSWORD })).toBe(null);
    expect((await call("POST", "/second-factor/remove", { code: codeAt(secret, 0) })).body.code).toBe(
      "second_factor_off",
    );
  });

  test("says how long the next code of the app really has to wait, signed in or not", async () => {
    const { email, userId, call } = await withSecondFactor();
    await sql("UPDATE second_factor SET wrong_codes = 8, tried_at = now() WHERE user_id = $1", [userId]);
    const browser = newBrowser();
    await browser.signIn("password", { email, password: PASSWORD });
    const [code, seconds] = (await browser.signIn("code", { code: "123456" }))?.split(":") ?? [];
    // A minute, and twice as long three times.
    expect([code, Number(seconds) > 420, Number(seconds) <= 480]).toEqual(["throttled", true, true]);
    await sql("UPDATE second_factor SET wrong_codes = 30, tried_at = now() WHERE user_id = $1", [userId]);
    const refused = await call("POST", "/second-factor/remove", { code: "123456" });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(3_500);
    expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(3_600);
  });

  test("takes a recovery code although somebody elsewhere, who has the password, tries codes all the time", async () => {
    const { email, recoveryCodes } = await withSecondFactor();
    const thief = newBrowser();
    for (let n = 0; n < 4; n++) {
      await thief.signIn("password", { email, password: PASSWORD });
      for (let m = 0; m < 4; m++) await thief.signIn("code", { code: "no-such-code" });
    }
    const browser = newBrowser();
    await browser.signIn("password", { email, password: PASSWORD });
    expect(await browser.signIn("code", { code: recoveryCodes[0] ?? "" })).toBe(null);
  });

  test("cannot be guessed: after five wrong codes, over all its sign-ins, each further one waits", async () => {
    const { email } = await withSecondFactor();
    const results = [];
    for (let n = 0; n < 3; n++) {
      const browser = newBrowser();
      await browser.signIn("password", { email, password: PASSWORD });
      for (let m = 0; m < 4; m++) results.push(await browser.signIn("code", { code: "123456" }));
    }
    expect(results.slice(0, 5)).toEqual(Array(5).fill("wrong_code"));
    // Counted down while the tries come in.
    for (const result of results.slice(5)) expect(result).toMatch(/^throttled:(60|[1-5]\d)$/);
  });
});
