import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { PLACEHOLDER, setUps } from "./set-up-words.ts";

const URL_OF_MCP = "https://intray.example/mcp";
const of = (secret: string | null, label: string) =>
  setUps(URL_OF_MCP, secret).find((one) => one.label === label)?.text ?? "";

test("every text names the address, and the secret only while it is known", () => {
  const known = setUps(URL_OF_MCP, "ita_abc");
  expect(known.map(({ label }) => label)).toEqual([
    "Claude Code",
    "VS Code",
    "Cursor",
    "Codex",
    "LangChain",
    "OpenAI Agents",
    "Vercel AI SDK",
    "TypeScript SDK",
    "MCP Inspector",
    "curl",
  ]);
  for (const { text } of known) expect(text).toContain(URL_OF_MCP);
  // VS Code asks for it, so that it is in no file of the project.
  for (const { label, text } of known)
    expect([label, text.includes("ita_abc")]).toEqual([label, label !== "VS Code"]);
  for (const { label, text } of setUps(URL_OF_MCP, null))
    expect([label, text.includes(PLACEHOLDER)]).toEqual([label, label !== "VS Code"]);
});

test("files are of their format", () => {
  expect(JSON.parse(of("ita_abc", "Cursor"))).toEqual({
    mcpServers: { intray: { url: URL_OF_MCP, headers: { Authorization: "Bearer ita_abc" } } },
  });
  const { inputs, servers } = JSON.parse(of("ita_abc", "VS Code"));
  // biome-ignore lint/suspicious/noTemplateCurlyInString: VS Code asks for it
  expect(servers.intray.headers.Authorization).toBe("Bearer ${input:intray}");
  expect(inputs[0].id).toBe("intray");
});

test("every text says what becomes of a call that waits for a person", () => {
  for (const { label, next } of setUps(URL_OF_MCP, null))
    expect([label, next]).toEqual([
      label,
      expect.stringMatching(
        /calls? wait_for_task with this id to get the (result|answer)\b.* Repeating the call before its result was read makes no second task/i,
      ),
    ]);
});

test("curl's headers say what its bodies do", () => {
  const bodies = [...of("ita_abc", "curl").matchAll(/-d '(.*)'$/gm)].map(([, body]) =>
    JSON.parse(body ?? ""),
  );
  expect(bodies.map(({ method }) => method)).toEqual(["tools/list", "tools/call"]);
  const [list, call] = bodies;
  const version = list.params._meta["io.modelcontextprotocol/protocolVersion"];
  expect(of("ita_abc", "curl")).toContain(
    `-H "MCP-Protocol-Version: ${version}" -H "Mcp-Method: tools/list" \\`,
  );
  expect(of("ita_abc", "curl")).toContain(
    `-H "Mcp-Method: tools/call" -H "Mcp-Name: ${call.params.name}" \\`,
  );
});

test("the Inspector is the version that the tests run", () => {
  const path = new URL("../../test/agent-clients/package.json", import.meta.url);
  const { dependencies } = JSON.parse(readFileSync(path, "utf8"));
  const name = "@modelcontextprotocol/inspector";
  const named = of(null, "MCP Inspector").match(/@modelcontextprotocol\/inspector@\S+/g);
  expect(named).toEqual([`${name}@${dependencies[name]}`, `${name}@${dependencies[name]}`]);
});

test("Python is a whole program: await stands in an async function, which is run", () => {
  for (const label of ["LangChain", "OpenAI Agents"]) {
    const lines = of("ita_abc", label).split("\n");
    const main = lines.indexOf("async def main():");
    const awaits = lines.flatMap((line, at) => (/\bawait\b|async with/.test(line) ? [at] : []));
    expect(awaits.length).toBeGreaterThan(0);
    for (const at of awaits) expect([at > main, lines[at]?.startsWith("    ")]).toEqual([true, true]);
    expect(lines.at(-1)).toBe("asyncio.run(main())");
  }
});
