import { describe, expect, test } from "vitest";
import { passwordSchema } from "./member-schema.ts";
import { hashPassword, verifyPassword } from "./password.ts";

const taken = (password: string) => passwordSchema.safeParse(password).success;

describe("a password", () => {
  test("has ten to two hundred characters, of any kind", () => {
    for (const password of ["only letters", "0123456789", "  spaces  ", "Пароль и пароль", "🙂".repeat(10)])
      expect(taken(password), password).toBe(true);
    expect(taken("x".repeat(9))).toBe(false);
    expect(taken("x".repeat(10))).toBe(true);
    expect(taken("x".repeat(200))).toBe(true);
    expect(taken("x".repeat(201))).toBe(false);
  });

  test("is taken as it was typed: nothing is cut off, trimmed or changed in its case", async () => {
    const typed = `  Mixed Case ${"x".repeat(185)}.a`;
    expect(passwordSchema.parse(typed)).toBe(typed);
    const hash = await hashPassword(typed);
    expect(await verifyPassword(typed, hash)).toBe(true);
    for (const other of [typed.trim(), typed.toLowerCase(), typed.slice(0, -1), `${typed.slice(0, -1)}b`])
      expect(await verifyPassword(other, hash), other).toBe(false);
  });
});
