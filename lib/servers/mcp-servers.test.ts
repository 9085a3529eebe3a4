import { expect, test } from "vitest";
import { type Pasted, readPasted } from "./mcp-servers.ts";

const block = (mcpServers: unknown) => JSON.stringify({ mcpServers });
const nothing = { block: true, servers: [], commands: [], refused: [] };
const server = (name: string, url: string, auth: object = { kind: "none" }) => ({
  name,
  url,
  era: "auto",
  auth,
});

test.each<[string, string, Pasted]>([
  [
    "an address",
    "  https://mcp.acme.example/mcp\n",
    {
      ...nothing,
      block: false,
      // Called by its own name, once it was asked.
      servers: [{ url: "https://mcp.acme.example/mcp", era: "auto", auth: { kind: "none" } }],
    },
  ],
  [
    "a block",
    block({ erp: { type: "http", url: "https://erp.example/mcp" } }),
    { ...nothing, servers: [server("erp", "https://erp.example/mcp")] as never },
  ],
  [
    "a block without its braces, cut out of a file",
    `"mcpServers": { "erp": { "url": "https://erp.example/mcp" } },`,
    { ...nothing, servers: [server("erp", "https://erp.example/mcp")] as never },
  ],
  [
    "a token, and what other hosts write beside it",
    block({
      erp: {
        url: "https://erp.example/mcp",
        headers: { AUTHORIZATION: "bearer abc.def" },
        disabled: false,
        alwaysAllow: ["pay"],
        timeout: 60,
      },
    }),
    {
      ...nothing,
      servers: [server("erp", "https://erp.example/mcp", { kind: "bearer", token: "abc.def" })] as never,
    },
  ],
  [
    "commands",
    block({
      files: { command: "npx", args: ["-y", "files"], env: { KEY: "secret" } },
      git: { command: "git-mcp" },
    }),
    { ...nothing, commands: ["files", "git"] },
  ],
])("%s", (_name, text, expected) => {
  expect(readPasted(text)).toEqual(expected);
});

test("of several, each is sorted by itself", () => {
  const pasted = readPasted(
    block({ a: { url: "https://a.example/" }, b: { command: "b" }, c: { url: "not an address" }, d: 1 }),
  );
  expect(pasted).toMatchObject({
    servers: [{ name: "a" }],
    commands: ["b"],
    refused: [{ name: "c" }, { name: "d", why: "needs either a url or a command" }],
  });
});

test.each([
  ["another header", { "X-Api-Key": "sesame-sesame" }, "the header X-Api-Key"],
  [
    "a header beside the token",
    { Authorization: "Bearer x", "X-Tenant": "sesame-sesame" },
    "the header X-Tenant",
  ],
  ["another kind of credentials", { Authorization: "Basic sesame-sesame" }, "other than a Bearer token"],
  ["no token", { Authorization: "Bearer " }, "other than a Bearer token"],
  ["a placeholder", { Authorization: "Bearer \x24{input:key}" }, "placeholder"],
  ["no header at all", { "no header": "sesame-sesame" }, "headers"],
])("%s is refused in words that hold no secret", (_name, headers, why) => {
  const pasted = readPasted(block({ erp: { url: "https://erp.example/mcp", headers } }));
  expect(pasted).toMatchObject({
    servers: [],
    refused: [{ name: "erp", why: expect.stringContaining(why) }],
  });
  expect(JSON.stringify(pasted)).not.toContain("sesame");
});

test.each([
  ["both kinds", { url: "https://a.example", command: "a" }, "either"],
  ["the old transport", { type: "sse", url: "https://a.example/sse" }, "Streamable HTTP"],
  ["credentials in the address", { url: "https://user:sesame@a.example" }, "not in the address"],
  ["another protocol", { url: "file:///etc/passwd" }, "http"],
])("%s is refused", (_name, entry, why) => {
  const pasted = readPasted(block({ erp: entry }));
  expect(pasted).toMatchObject({ servers: [], refused: [{ why: expect.stringContaining(why) }] });
  expect(JSON.stringify(pasted)).not.toContain("sesame");
});

test.each([
  ["nothing", "  ", "Paste"],
  ["words", "the finance server", "neither an address"],
  ["another protocol", "ftp://a.example", "neither an address"],
  ["a script", "javascript:alert(1)", "neither an address"],
  ["credentials in an address", "https://user:sesame@a.example", "not in the address"],
  ["no JSON", `{ "mcpServers": { "a": { "url": "sesame" } }`, "not JSON"],
  ["another JSON", `{ "servers": {} }`, "no mcpServers block"],
  ["a list", "[1]", "no mcpServers block"],
  ["no server", block({}), "names no server"],
])("%s is a problem that is said", (_name, text, why) => {
  const pasted = readPasted(text);
  expect(pasted).toEqual({ problem: expect.stringContaining(why) });
  expect(JSON.stringify(pasted)).not.toContain("sesame");
});
