import { expect, test } from "vitest";
import { parseEnvironment } from "../../lib/base/env.ts";
import { decideDemo, setupLines } from "./settings.ts";

const external = "postgresql://owner@db.example.com/intray";
const named = "https://intray.example";

test.each([
  { name: "the embedded database, not set up", variables: {}, setupDone: false, demo: true },
  { name: "asked for", variables: { INTRAY_DEMO: "1" }, setupDone: false, demo: true },
  {
    name: "an address of this machine",
    variables: { INTRAY_URL: "http://127.0.0.1:80" },
    setupDone: false,
    demo: true,
  },
  { name: "set up", variables: {}, setupDone: true, demo: false },
  { name: "set up, though asked for", variables: { INTRAY_DEMO: "1" }, setupDone: true, demo: false },
  { name: "declined", variables: { INTRAY_DEMO: "0" }, setupDone: false, demo: false },
  { name: "a database of one's own", variables: { DATABASE_URL: external }, setupDone: false, demo: false },
  { name: "listening on the network", variables: { HOST: "0.0.0.0" }, setupDone: false, demo: false },
  { name: "a name on the network", variables: { INTRAY_URL: named }, setupDone: false, demo: false },
])("demo mode: $name → $demo", ({ variables, setupDone, demo }) => {
  expect(decideDemo(parseEnvironment(variables), setupDone)).toBe(demo);
});

test.each([
  { name: "listening on the network", variables: { HOST: "0.0.0.0" } },
  { name: "a name on the network", variables: { INTRAY_URL: named } },
  { name: "both", variables: { HOST: "::", INTRAY_URL: named } },
])("a demonstration that is asked for is never shown to the network: $name", ({ variables }) => {
  const settings = parseEnvironment({ INTRAY_DEMO: "1", ...variables });
  expect(() => decideDemo(settings, false)).toThrow("to the network");
  expect(decideDemo(settings, true)).toBe(false);
});

test("the token that Intray made is printed behind a #, and one that the operator chose is not", () => {
  const made = setupLines(parseEnvironment({ INTRAY_URL: named }), "made-token").join("\n");
  expect(made).toContain(`${named}/setup#token=made-token`);
  expect(made).not.toContain("?");
  const chosen = { INTRAY_URL: named, INTRAY_SETUP_TOKEN: "of the operator's" };
  const lines = setupLines(parseEnvironment(chosen), chosen.INTRAY_SETUP_TOKEN).join("\n");
  expect(lines).toContain(`${named}/setup`);
  expect(lines).not.toContain(chosen.INTRAY_SETUP_TOKEN);
});
