import { expect, test } from "vitest";
import { ConfigurationError } from "../base/env.ts";
import { parseServersFile } from "./operator-file.ts";

const file = (mcpServers: unknown) => JSON.stringify({ mcpServers });

test("a command and an address, as other hosts write them", () => {
  const servers = parseServersFile(
    file({
      ledger: {
        command: "node",
        args: ["ledger.js"],
        env: { TOKEN: "s3cret" },
        organizations: ["acme"],
        era: "2025-11-25",
      },
      erp: {
        type: "streamable-http",
        name: "Finance ERP",
        url: "https://erp.example/mcp?key=s3cret",
        headers: { "X-Key": "s3cret" },
        organizations: ["acme", "globex"],
      },
      plain: { command: "plain", type: "stdio" },
    }),
  );
  expect([...servers.values()]).toEqual([
    {
      entry: "ledger",
      name: "ledger",
      era: "2025-11-25",
      organizations: new Set(["acme"]),
      endpoint: { command: "node", args: ["ledger.js"], env: { TOKEN: "s3cret" } },
      recipes: [],
    },
    {
      entry: "erp",
      name: "Finance ERP",
      era: "auto",
      organizations: new Set(["acme", "globex"]),
      endpoint: { url: "https://erp.example/mcp?key=s3cret", headers: { "x-key": "s3cret" } },
      recipes: [],
    },
    {
      entry: "plain",
      name: "plain",
      era: "auto",
      organizations: new Set(),
      endpoint: { command: "plain", args: [], env: {} },
      recipes: [],
    },
  ]);
});

test("recipes of a server, and what is wrong with one", () => {
  const recipe = {
    name: "pay",
    start: { tool: "submit", handle: "result.text" },
    status: { tool: "look", state: "result.text", completed: ["DONE"] },
  };
  const parse = (...recipes: unknown[]) =>
    parseServersFile(file({ ap: { command: "ap", recipes } }))
      .get("ap")
      ?.recipes.map(({ name, status }) => [name, status.everyMs]);
  expect(parse(recipe)).toEqual([["pay", 5_000]]);
  expect(() => parse(recipe, recipe)).toThrow('entry "ap": recipe pay: another one has this name.');
  expect(() => parse({ ...recipe, start: { tool: "submit", handle: "hndle" } })).toThrow(
    'entry "ap": recipe pay: start.handle: Unknown name `hndle` (at character 1).',
  );
  expect(() => parse({ ...recipe, statsu: {} })).toThrow(/entry "ap": recipes\.0: .*statsu/);
});

test("a disabled entry is for nobody", () => {
  const servers = parseServersFile(file({ a: { command: "a", organizations: ["acme"], disabled: true } }));
  expect(servers.get("a")?.organizations.size).toBe(0);
});

test.each([
  ["neither a command nor a url", { a: { organizations: ["acme"] } }, "a"],
  ["both a command and a url", { a: { command: "s3cret", url: "https://s3cret.example" } }, "a"],
  ["an entry that is no object", { a: "s3cret" }, "a"],
  ["a type that fits another kind", { a: { command: "s3cret", type: "http" } }, "a"],
  ["a type that is not spoken", { a: { url: "https://s3cret.example", type: "sse" } }, "a"],
  ["a key that nobody knows", { a: { command: "s3cret", cwd: "/s3cret" } }, "cwd"],
  ["headers of a command", { a: { command: "s3cret", headers: { x: "s3cret" } } }, "headers"],
  ["an environment that is not text", { a: { command: "s3cret", env: { PORT: 3000 } } }, "env.PORT"],
  ["a variable's name with =", { a: { command: "s3cret", env: { "A=B": "s3cret" } } }, "env"],
  ["arguments that are one text", { a: { command: "s3cret", args: "s3cret" } }, "args"],
  ["a command with a NUL", { a: { command: "s3cret\0" } }, "command"],
  [
    "a header with a line break",
    { a: { url: "https://x.example", headers: { x: "s3cret\r\ny: z" } } },
    "headers.x",
  ],
  ["credentials in the address", { a: { url: "https://me:s3cret@x.example" } }, "url"],
  ["an address of another scheme", { a: { url: "file:///s3cret" } }, "url"],
  [
    "an organization that is no slug",
    { a: { command: "s3cret", organizations: ["The S3cret"] } },
    "organizations.0",
  ],
  ["organizations that are one text", { a: { command: "s3cret", organizations: "s3cret" } }, "organizations"],
  ["an era that is none", { a: { command: "s3cret", era: "s3cret" } }, "era"],
  ["an entry without a name", { "": { command: "s3cret" } }, "mcpServers"],
])("%s is refused, in one sentence that keeps values to itself", (_what, servers, named) => {
  const parse = () => parseServersFile(file(servers));
  expect(parse).toThrow(ConfigurationError);
  expect(parse).toThrow(/^INTRAY_SERVERS_FILE: .*[^.]\.$/);
  expect(parse).toThrow(named);
  expect(parse).not.toThrow(/s3cret/i);
});

test.each([
  ["what is not JSON", '{"mcpServers": {"a": {"command": "s3cret" "args": []}}}', "is not JSON"],
  ["nothing", "", "is not JSON"],
  ["another shape", '{"servers": {}}', "mcpServers"],
  ["another shape beside it", '{"mcpServers": {}, "inputs": []}', "inputs"],
])("%s is refused", (_what, text, named) => {
  const parse = () => parseServersFile(text);
  expect(parse).toThrow(ConfigurationError);
  expect(parse).toThrow(named);
  expect(parse).not.toThrow("s3cret");
});
