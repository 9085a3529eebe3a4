import { expect, test } from "vitest";
import { ConfigurationError, parseEnvironment } from "./env.ts";

const key = Buffer.alloc(32, 7).toString("base64");

test("nothing is required to parse, and the defaults are for one machine", () => {
  expect(parseEnvironment({})).toMatchObject({
    port: 3000,
    host: "127.0.0.1",
    url: "http://localhost:3000",
    dataDir: ".data",
    demo: false,
    allowHosts: [],
    denyPorts: [3000],
    logLevel: "info",
  });
});

test("an empty variable counts as unset", () => {
  expect(parseEnvironment({ PORT: "", INTRAY_KEYS: "", DATABASE_URL: "" })).toMatchObject({
    port: 3000,
    keys: undefined,
    databaseUrl: undefined,
  });
});

test("keys keep their order: the first one seals", () => {
  const { keys } = parseEnvironment({ INTRAY_KEYS: `new:${key}, old:${key}` });
  expect(keys?.map(({ kid, key }) => [kid, key.length])).toEqual([
    ["new", 32],
    ["old", 32],
  ]);
});

test("lists are split, and the public address has no slash at its end", () => {
  const parsed = parseEnvironment({
    INTRAY_ALLOW_HOSTS: "10.0.0.0/8, mcp.internal:8080",
    INTRAY_DENY_PORTS: "5432,3000",
    INTRAY_URL: "https://intray.example.com/",
  });
  expect(parsed.allowHosts).toEqual(["10.0.0.0/8", "mcp.internal:8080"]);
  expect(parsed.denyPorts).toEqual([5432, 3000]);
  expect(parsed.url).toBe("https://intray.example.com");
});

test.each([
  ["PORT", "http"],
  ["PORT", "70000"],
  ["DATABASE_URL", "mysql://root:hunter2@localhost/x"],
  ["INTRAY_KEYS", "k1:c2hvcnQ="],
  ["INTRAY_KEYS", key],
  ["AUTH_SECRET", "hunter2"],
  ["INTRAY_DEMO", "maybe"],
  ["INTRAY_URL", "javascript:hunter2"],
  ["LOG_LEVEL", "loud"],
])("a wrong %s is one sentence that names it and keeps its value to itself", (name, value) => {
  const parse = () => parseEnvironment({ [name]: value });
  expect(parse).toThrow(ConfigurationError);
  expect(parse).toThrow(new RegExp(`^${name}\\b.*\\.$`));
  expect(parse).not.toThrow("hunter2");
});

test("our own ports are known to a process that is started alone", () => {
  const { denyPorts } = parseEnvironment({
    PORT: "8080",
    APP_DATABASE_URL: "postgresql://intray_app:x@db.internal:6543/intray",
    DATABASE_URL: "postgresql://owner:x@db.internal/intray",
  });
  expect(denyPorts.sort()).toEqual([5432, 6543, 8080]);
});
