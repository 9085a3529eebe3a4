import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { ConfigurationError, parseEnvironment } from "./env.ts";
import { uuidv7 } from "./ids.ts";
import { openKeyRing, readKeys } from "./key-ring.ts";
import { createSeal } from "./seal.ts";

const folder = mkdtempSync(join(tmpdir(), "intray-keys-"));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, "keys");
const one = `one:${randomBytes(32).toString("base64")}`;
const two = `two:${randomBytes(32).toString("base64")}`;
const place = { organizationId: uuidv7(), table: "task", row: uuidv7(), column: "sealed_handle" };

test("a setting, a file and what a command prints are one and the same list", () => {
  writeFileSync(path, `${one},${two}\n`);
  const [setting, file, command] = [
    { INTRAY_KEYS: `${one},${two}` },
    { INTRAY_KEYS_FILE: path },
    { INTRAY_KEYS_COMMAND: `cat '${path}'` },
  ].map((variables) => readKeys(parseEnvironment(variables)));
  expect(setting?.map(({ kid }) => kid)).toEqual(["one", "two"]);
  expect(file).toEqual(setting);
  expect(command).toEqual(setting);
  expect(readKeys(parseEnvironment({}))).toBeUndefined();
});

describe.each([
  ["a file", { INTRAY_KEYS_FILE: path }],
  ["a command", { INTRAY_KEYS_COMMAND: `cat '${path}'` }],
])("keys from %s", (_, variables) => {
  test("change under who seals with them", async () => {
    writeFileSync(path, one);
    const ring = openKeyRing(parseEnvironment(variables));
    const seal = createSeal(ring.keys);
    const before = seal.seal(place, "before");
    const [known] = ring.keys();

    writeFileSync(path, `${two},${one}`);
    await ring.readAgain();
    expect(seal.kid).toBe("two");
    expect(seal.seal(place, "after")).toMatch(/^v1\.two\./);
    expect(seal.open(place, before)).toBe("before");
    expect(ring.keys().at(-1)).toBe(known);

    writeFileSync(path, two);
    await ring.readAgain();
    expect(() => seal.open(place, before)).toThrow('the key "one" is not in INTRAY_KEYS');
  });

  test.each([
    ["is gone", () => rmSync(path)],
    ["is cut off", () => writeFileSync(path, one.slice(0, 20))],
    ["is empty", () => writeFileSync(path, "\n")],
  ])("stay as they were while what holds them %s", async (__, harm) => {
    writeFileSync(path, one);
    const ring = openKeyRing(parseEnvironment(variables));
    harm();
    const failure = await ring.readAgain().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ConfigurationError);
    expect(String(failure)).not.toContain(one.slice(4, 16));
    expect(ring.keys().map(({ kid }) => kid)).toEqual(["one"]);
    expect(() => openKeyRing(parseEnvironment(variables))).toThrow(ConfigurationError);
  });
});

test("two sources at once stop the start, and none does so too", () => {
  const both = parseEnvironment({ INTRAY_KEYS: one, INTRAY_KEYS_FILE: path });
  expect(() => openKeyRing(both)).toThrow(
    "Only one of INTRAY_KEYS, INTRAY_KEYS_FILE and INTRAY_KEYS_COMMAND",
  );
  expect(() => openKeyRing(parseEnvironment({}))).toThrow(
    "INTRAY_KEYS is not set, and this process needs it.",
  );
});

test("a command gets no secret of Intray's", () => {
  process.env.AUTH_SECRET = "0123456789abcdef";
  const command = `test -z "$AUTH_SECRET" && echo '${one}'`;
  expect(readKeys(parseEnvironment({ INTRAY_KEYS_COMMAND: command }))).toHaveLength(1);
  delete process.env.AUTH_SECRET;
});
