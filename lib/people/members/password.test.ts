import { randomBytes, scryptSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { AppError } from "../../base/errors.ts";
import { inScope } from "../../base/process/scope.ts";
import { hashPassword, isDated, verifyPassword } from "./password.ts";

test("a hash is made at a cost that OWASP names, whatever the other tests make theirs at", async () => {
  // By this path it is the product's own: the tests' configuration replaces the one that password.ts imports.
  expect(await import("../members/password-cost.ts")).toMatchObject({ LOG2_N: 15, R: 8, P: 3 });
});

test("a password is known by its hash, and no other one, nor one of an account without", async () => {
  const hash = await hashPassword("correct horse battery");
  expect(await verifyPassword("correct horse battery", hash)).toBe(true);
  expect(await verifyPassword("correct horse batterY", hash)).toBe(false);
  expect(await verifyPassword("correct horse battery", null)).toBe(false);
  expect(await hashPassword("correct horse battery")).not.toBe(hash);
});

test("a hash of another cost still counts, and is known as dated", async () => {
  const salt = randomBytes(16);
  const key = scryptSync("correct horse battery", salt, 32, { N: 2 ** 9, r: 8, p: 1 });
  const stored = `scrypt$9$8$1$${salt.toString("base64url")}$${key.toString("base64url")}`;
  expect(await verifyPassword("correct horse battery", stored)).toBe(true);
  expect(isDated(stored)).toBe(true);
  expect(isDated(await hashPassword("correct horse battery"))).toBe(false);
});

test("many at once wait for each other, and each gets its own answer", async () => {
  const stored = await hashPassword("correct horse");
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => verifyPassword(n % 2 ? "correct horse" : `wrong ${n}`, stored)),
  );
  expect(answers).toEqual(Array.from({ length: 20 }, (_, n) => n % 2 === 1));
  await expect(verifyPassword("x", "plain")).rejects.toThrow("not in our format");
  expect(await verifyPassword("correct horse", stored)).toBe(true);
});

describe("a line of passwords", () => {
  const CHEAP = `scrypt$4$1$1$${randomBytes(16).toString("base64url")}$${randomBytes(32).toString("base64url")}`;
  /** Begins a check for each of these networks; `ended` has what became of them, in order. */
  function checks() {
    const ended: string[] = [];
    const check = (network: string, left = new AbortController().signal, knownAs?: string) =>
      inScope({ requestId: null, trace: null, caller: { network, left } }, () =>
        verifyPassword("x", CHEAP, knownAs),
      ).then(
        () => ended.push(knownAs ?? network),
        (error: unknown) =>
          ended.push(error instanceof AppError ? `${network} ${error.code}` : String(error)),
      );
    return { ended, check };
  }

  test("has a place for a person of another network while ten networks fill it", async () => {
    const { ended, check } = checks();
    const flood = Array.from({ length: 600 }, (_, n) => check(`flood ${Math.floor(n / 60)}`));
    await Promise.all([...flood, check("person")]);
    expect(ended.filter((each) => each.endsWith("throttled"))).toHaveLength(601 - 102);
    const done = ended.filter((each) => !each.endsWith("throttled"));
    // After the two that run, one of each other network, and one that ends while the person's runs.
    expect(done.indexOf("person")).toBeLessThanOrEqual(13);
  });

  test("lets people who are known pass strangers of any number of networks, and no flood of one account", async () => {
    const { ended, check } = checks();
    const flood = Array.from({ length: 300 }, (_, n) => check(`flood ${n}`));
    const one = Array.from({ length: 60 }, () => check("flood 1", undefined, "one account"));
    await Promise.all([...flood, ...one, check("flood 2", undefined, "person")]);
    expect(ended.filter((each) => each.endsWith("throttled"))).toHaveLength(300 - 102 + 60 + 1 - 40);
    const done = ended.filter((each) => !each.endsWith("throttled"));
    // After the two that run: two of the account, two strangers, and one that ends while the person's runs.
    expect(done.indexOf("person")).toBeLessThanOrEqual(7);
  });

  test("says when to come back", async () => {
    const all = await Promise.allSettled(Array.from({ length: 103 }, () => verifyPassword("x", CHEAP)));
    expect(all.flatMap((one) => (one.status === "rejected" ? [one.reason] : []))).toMatchObject([
      { code: "throttled", status: 429, retryAfterMs: 5_000 },
    ]);
  });

  test("is left by who has gone", async () => {
    const { ended, check } = checks();
    const gone = new AbortController();
    const first = Array.from({ length: 2 }, () => check("a"));
    const leaving = Array.from({ length: 40 }, () => check("b", gone.signal));
    gone.abort();
    const after = Array.from({ length: 40 }, () => check("b"));
    await Promise.all([...first, ...leaving, ...after, check("b", gone.signal)]);
    const count = (what: string) => ended.filter((each) => each === what).length;
    expect([count("a"), count("b"), count("b caller_left"), ended.length]).toEqual([2, 40, 41, 83]);
  });
});
