/** The conformance suite's scenarios for authorization servers, with a member in the place of the person at the browser. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "@/scripts/ports.ts";
import { type AgentIntray, startAgentIntray } from "@/test/fixtures/agents/agent-oauth-fixture.ts";

const SUITE = fileURLToPath(
  new URL("../../../node_modules/@modelcontextprotocol/conformance/dist/index.js", import.meta.url),
);
let intray: AgentIntray;
let cookie: string;

beforeAll(async () => {
  intray = await startAgentIntray();
  const acme = await intray.web.organization("acme");
  ({ cookie } = await intray.web.member(acme, "Ola", "operator"));
});
afterAll(() => intray.close());

test.each(["2025-11-25", "2026-07-28"])("all of %s pass", async (version) => {
  const port = await freePort();
  const clientId = await intray.register({ redirect_uris: [`http://127.0.0.1:${port}/callback`] });
  const args = [
    ...[SUITE, "authorization", "--url", `${intray.url}/agents/oauth`],
    ...["--client-id", clientId, "--resource", intray.mcp, "--port", String(port)],
    ...["--spec-version", version, "--verbose"],
  ];
  const suite = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(suite, "exit");
  const output: string[] = [];
  suite.stderr.on("data", (chunk: Buffer) => output.push(String(chunk)));
  for await (const line of createInterface(suite.stdout)) {
    output.push(line);
    if (!line.startsWith(`${intray.url}/agents/oauth/auth?`)) continue;
    const back = await intray.browser(cookie).allow(line.trim());
    await fetch(back);
  }
  const [code] = await ended;
  const text = output.join("\n");
  expect(code, text).toBe(0);
  expect(text).toMatch(/^Total: 3 passed, 0 failed$/m);
  expect(text).not.toMatch(/warning/i);
});
