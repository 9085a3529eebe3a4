import { expect, test } from "vitest";
import { PLACEHOLDER, setUps } from "./agent-set-up.ts";

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

test("curl sends a call that a server of 2026-07-28 takes without a session", () => {
  const text = of("ita_abc", "curl");
  const body = JSON.parse(/-d '(.*)'$/.exec(text)?.[1] ?? "");
  const said = body.params._meta["io.modelcontextprotocol/protocolVersion"];
  expect(text).toContain(`-H "MCP-Protocol-Version: ${said}" -H "Mcp-Method: ${body.method}"`);
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
