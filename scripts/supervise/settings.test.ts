import { readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { parseEnvironment } from "../../lib/base/env.ts";
import { decideDemo, keySettings, partEnvironments, setupLines } from "./settings.ts";

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

test("each part is given every variable that docs/configuration.md says it reads, and none the owner's address", () => {
  const rows = readFileSync("docs/configuration.md", "utf8")
    .split("\n")
    .filter((line) => /^\| `[A-Z]/.test(line))
    .map((line) => line.split("|").map((cell) => cell.trim()));
  const namesOf = ([, cell = ""]: string[]) =>
    [...cell.matchAll(/`([A-Z_]+)`/g)].map(([, name = ""]) => name);
  const readBy = (column: 2 | 3) => rows.filter((row) => row[column]).flatMap(namesOf);
  const variables = rows.flatMap(namesOf);
  expect(variables.length).toBeGreaterThan(20);
  for (const name of variables) vi.stubEnv(name, EXAMPLES[name] ?? "of the operator's");

  const { web, engine } = partEnvironments({
    demo: false,
    setupToken: EXAMPLES.INTRAY_SETUP_TOKEN,
    appDatabaseUrl: external,
    engineDatabaseUrl: external,
    databasePort: 5432,
    keys: keySettings("own"),
    authSecret: "of the operator's",
  });
  expect(readBy(2).filter((name) => !(name in web))).toEqual([]);
  expect(readBy(3).filter((name) => !(name in engine))).toEqual([]);
  expect({ ...web, ...engine }).not.toHaveProperty("DATABASE_URL");
});

/** Where not every text will do. */
const EXAMPLES: Record<string, string> = {
  INTRAY_URL: named,
  INTRAY_SLACK_URL: "https://slack-gov.com",
  INTRAY_TEAMS_CLOUD: "usgov",
  DATABASE_URL: external,
  APP_DATABASE_URL: external,
  ENGINE_DATABASE_URL: external,
  APP_DATABASE_DIRECT_URL: external,
  ENGINE_DATABASE_DIRECT_URL: external,
  INTRAY_NAMED_STATEMENTS: "0",
  INTRAY_KEYS: `k1:${Buffer.alloc(32, 7).toString("base64")}`,
  PORT: "4000",
  HOST: "127.0.0.1",
  INTRAY_SETUP_TOKEN: "of the operator's",
  INTRAY_COMMAND_USER: "10002:10002",
  INTRAY_KEEP_AT_LEAST_DAYS: "365",
  INTRAY_RATE_LIMIT: "1000",
  INTRAY_DRAFTS: "1",
  INTRAY_TRUSTED_PROXIES: "1",
  INTRAY_ALLOW_HOSTS: "10.0.0.0/8",
  INTRAY_DENY_PORTS: "8080",
  OIDC_ISSUER: named,
  SMTP_URL: "smtps://mail.example.com",
  OTEL_EXPORTER_OTLP_ENDPOINT: named,
  LOG_LEVEL: "info",
};
