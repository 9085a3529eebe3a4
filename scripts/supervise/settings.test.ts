import { expect, test } from "vitest";
import { parseEnvironment } from "../../lib/env.ts";
import { decideDemo, isLoopback } from "./settings.ts";

const external = "postgresql://owner@db.example.com/intray";

test.each([
  { name: "the embedded database, not set up", variables: {}, setupDone: false, demo: true },
  { name: "set up", variables: {}, setupDone: true, demo: false },
  { name: "set up, though asked for", variables: { INTRAY_DEMO: "1" }, setupDone: true, demo: false },
  { name: "declined", variables: { INTRAY_DEMO: "0" }, setupDone: false, demo: false },
  { name: "a database of one's own", variables: { DATABASE_URL: external }, setupDone: false, demo: false },
])("demo mode: $name → $demo", ({ variables, setupDone, demo }) => {
  expect(decideDemo(parseEnvironment(variables), setupDone)).toBe(demo);
});

test("a demonstration is never shown to the network", () => {
  const settings = parseEnvironment({ HOST: "0.0.0.0" });
  expect(() => decideDemo(settings, false)).toThrow("to the network");
  expect(decideDemo(settings, true)).toBe(false);
});

test.each([
  ["localhost", true],
  ["127.0.0.1", true],
  ["127.1.2.3", true],
  ["::1", true],
  ["0.0.0.0", false],
  ["::", false],
  ["127.0.0.1.example.com", false],
  ["192.168.1.2", false],
])("loopback: %s → %s", (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});
