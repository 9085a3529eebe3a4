import { randomBytes, scryptSync } from "node:crypto";
import { expect, test } from "vitest";
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
