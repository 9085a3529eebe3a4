import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { uuidv7 } from "./ids.ts";
import { createSeal } from "./seal.ts";

const old = { kid: "old", key: randomBytes(32) };
const current = { kid: "new", key: randomBytes(32) };
const place = { organizationId: uuidv7(), table: "task", row: uuidv7(), column: "sealed_handle" };

test("opens what it sealed, also after a new key came first", () => {
  const sealed = createSeal([old]).seal(place, "secret ✓");
  expect(sealed).toMatch(/^v1\.old\.[\w-]+$/);
  expect(createSeal([current, old]).open(place, sealed)).toBe("secret ✓");
});

test.each([
  { moved: "to another organization", to: { ...place, organizationId: uuidv7() } },
  { moved: "to another row", to: { ...place, row: uuidv7() } },
  { moved: "to another column", to: { ...place, column: "sealed_session" } },
  { moved: "to another table", to: { ...place, table: "connection" } },
])("does not open a value that was moved $moved", ({ to }) => {
  const seal = createSeal([current]);
  expect(() => seal.open(to, seal.seal(place, "secret"))).toThrow();
});

test("does not open an altered value, or one of a key that is gone", () => {
  const seal = createSeal([current]);
  const sealed = seal.seal(place, "secret");
  const flipped = sealed.slice(0, -2) + (sealed.endsWith("AA") ? "BB" : "AA");
  expect(() => seal.open(place, flipped)).toThrow();
  expect(() => createSeal([old]).open(place, sealed)).toThrow(/not in INTRAY_KEYS/);
});

test("ids sort by the time of their making", () => {
  const ids = [1_000, 2_000, 3_000_000_000_000].map((at) => uuidv7(at));
  expect([...ids].sort()).toEqual(ids);
  expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
