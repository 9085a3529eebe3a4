/** Sealed values by themselves, without a database. */
import { randomBytes, randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { createSeal, type Seal } from "../seal.ts";
import { type Content, createContent, UNOPENED, UNOPENED_TEXT } from "./content.ts";

const ACME = randomUUID();
const GLOBEX = randomUUID();
const [KID, OLD] = [randomUUID(), randomUUID()];
const KEY = randomBytes(32);
const seal = (kid: string, key = KEY): Seal => createSeal([{ kid, key }]);
const contentOf = (organizationId: string, seals: [string, Seal | null][], current: string | null): Content =>
  createContent({ organizationId, seals: new Map(seals), current });
const acme = contentOf(ACME, [[KID, seal(KID)]], KID);
const id = randomUUID();

test("a value opens in a row that names its own, and nowhere else", () => {
  const label = acme.text("task.label", id, "secret");
  expect(label).not.toContain("secret");
  expect(acme.open([{ id, label }])).toEqual([{ id, label: "secret" }]);
  expect(acme.open([{ nested: { id, deep: [{ label }] } }])).toEqual([
    { nested: { id, deep: [{ label: "secret" }] } },
  ]);
  expect(() => acme.open([{ id: randomUUID(), label }])).toThrow("content_unavailable");
  const elsewhere = label.replace("task.label", "task.outcome");
  expect(() => acme.open([{ id, label: elsewhere }])).toThrow("content_unavailable");
});

test("another organization opens nothing, by its own key or by the same one", () => {
  const label = acme.text("task.label", id, "secret");
  for (const key of [randomBytes(32), KEY]) {
    const globex = contentOf(GLOBEX, [[KID, seal(KID, key)]], KID);
    expect(() => globex.open([{ id, label }])).toThrow("content_unavailable");
  }
  const keyless = contentOf(GLOBEX, [[OLD, seal(OLD, randomBytes(32))]], OLD);
  expect(() => keyless.open([{ id, label }])).toThrow("content_unavailable");
});

test("a key that does not open refuses, marks or leaves blank what it sealed, and seals nothing", () => {
  const stored = {
    id,
    label: acme.text("task.label", id, "secret"),
    arguments: acme.json("task.arguments", id, { note: "secret" }),
    error: acme.json("task.error", id, { code: "lost", message: "secret" }, { code: "lost" }),
  };
  const broken = contentOf(ACME, [[KID, null]], KID);
  const copy = () => [structuredClone(stored)];
  expect(() => broken.open(copy())).toThrow("content_unavailable");
  expect(broken.open(copy(), "mark")).toEqual([
    { id, label: UNOPENED_TEXT, arguments: UNOPENED, error: UNOPENED },
  ]);
  expect(broken.open(copy(), "blank")).toEqual([
    { id, label: UNOPENED_TEXT, arguments: null, error: { code: "lost", message: UNOPENED_TEXT } },
  ]);
  expect(() => broken.text("task.label", id, "new")).toThrow("content_unavailable");
  expect(broken.opens).toBe(false);
});

test("equal texts of one place are equal stored, of two places not", () => {
  expect(acme.text("task.label", id, "same")).toBe(acme.text("task.label", id, "same"));
  const body = (sealed: string) => sealed.split(".").at(-1);
  expect(body(acme.text("task.label", id, "same"))).not.toBe(body(acme.text("task.outcome", id, "same")));
  expect(body(acme.text("task.label", id, "same"))).not.toBe(
    body(acme.text("task.label", randomUUID(), "same")),
  );
});

test("a hash is keyed once, and known in each of its forms", () => {
  const sha = randomBytes(32).toString("hex");
  const keyed = acme.hash(sha);
  expect(keyed).toMatch(/^[0-9a-f]{64}$/);
  expect(keyed).not.toBe(sha);
  expect(acme.hash(keyed)).toBe(keyed);
  const later = contentOf(
    ACME,
    [
      [KID, seal(KID)],
      [OLD, seal(OLD, randomBytes(32))],
    ],
    OLD,
  );
  expect(later.hash(keyed)).toBe(keyed);
  for (const stored of [sha, keyed, later.hash(sha)]) expect(later.isSameHash(sha, stored)).toBe(true);
  expect(later.isSameHash(randomBytes(32).toString("hex"), keyed)).toBe(false);
});
