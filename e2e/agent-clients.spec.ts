/**
 * Agents' clients off the shelf at /mcp, each used as its documentation says: lists, calls a quick tool, calls a tool that
 * waits for a person, is killed meanwhile, comes back, and gets the result once Ben has approved in a browser.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Page } from "@playwright/test";
import { setUps } from "../lib/agents/set-up-words.ts";
import { installOwnPackage } from "../test/setup/own-package.ts";
import { type Intray, ownPort, startIntray } from "./fixtures/intray.ts";
import { expect, requestPane, SOON, test } from "./fixtures/test.ts";

const CLIENTS = [
  "@modelcontextprotocol/client",
  "@modelcontextprotocol/sdk",
  "@ai-sdk/mcp",
  "@langchain/mcp-adapters",
  "@openai/agents",
  "@mastra/mcp",
  "@modelcontextprotocol/inspector --cli",
];

test.describe.configure({ mode: "serial" });

let intray: Intray;
let everything: ChildProcess;
/** The folder in which the clients are installed. */
let place: string;
let run: string;
let key: string;
let ben: Page;

test.beforeAll(async ({ browser }) => {
  // The clients come from the registry the first time.
  test.setTimeout(600_000);
  place = installOwnPackage("agent-clients", ["clients.mjs", "run.mjs"]);
  run = join(place, "run.mjs");
  intray = await startIntray({ INTRAY_ALLOW_HOSTS: "127.0.0.1" });
  const port = await ownPort();
  const bin = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/dist/index.js");
  everything = spawn(process.execPath, [bin, "streamableHttp"], {
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  await once(everything.stderr!, "data");
  key = await intray.command("key", "create", "--org", "acme", "--role", "admin");
  const added = await api("POST", "/servers", { name: "Everything", url: `http://127.0.0.1:${port}/mcp` });
  expect(added).toMatchObject({ health: { state: "ok" } });
  // An agent is offered what its server has listed.
  for (const { id } of (await api("GET", "/servers")).items) await api("GET", `/servers/${id}/tools`);
  ben = await (await browser.newContext({ baseURL: intray.url })).newPage();
  await ben.goto("/sign-in");
  await ben.getByRole("button", { name: /^Ben\b/ }).click();
  await expect(ben.getByRole("navigation", { name: "Main" })).toBeVisible(SOON);
});
test.afterAll(async () => {
  everything.kill("SIGKILL");
  await intray.stop();
});

for (const [at, client] of CLIENTS.entries())
  test(`${client} lists, calls, is killed, comes back and gets the result`, async () => {
    const words = [
      "--grant",
      "Finance ERP:process_invoice",
      "--grant",
      "Everything:echo",
      "--hold-ms",
      "1000",
    ];
    const token = await intray.command("agent", "create", "--org", "acme", "--name", client, ...words);
    const args = (...rest: string[]) => [run, client, `${intray.url}/mcp`, token, ...rest];
    const ask = async (...rest: string[]) => {
      const { stdout } = await promisify(execFile)(process.execPath, args(...rest), { maxBuffer: 16 << 20 });
      return JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
    };

    const tools: string[] = await ask("list");
    const nameOf = (end: string) => tools.find((name) => name.endsWith(end)) ?? `no ${end}`;
    expect(tools).toEqual(
      expect.arrayContaining([nameOf("__process_invoice"), nameOf("__echo"), "wait_for_task"]),
    );
    // On a busy machine the call may outlast its hold of a second; the same call again joins it.
    const echo = () => ask("call", nameOf("__echo"), JSON.stringify({ message: "hello" }));
    await expect
      .poll(echo, { timeout: 180_000 })
      .toMatchObject({ text: expect.stringContaining("hello"), isError: false });

    const id = `INV-AGENT-${at}`;
    // What is due is paid at once.
    const due = new Date().toISOString();
    const lines = [{ description: "Paper", amount: 120, due_date: due }];
    const call = [
      "call",
      nameOf("__process_invoice"),
      JSON.stringify({ invoice: { invoice_id: id, customer: "ACME", lines } }),
    ];
    const tasks = async () => (await api("GET", `/tasks?q=${id}`)).items as { id: string; state: string }[];

    const killed = spawn(process.execPath, args(...call), { stdio: "ignore" });
    const ended = once(killed, "exit");
    await expect.poll(async () => (await tasks()).length, { ...SOON, intervals: [50] }).toBe(1);
    killed.kill("SIGKILL");
    // It was killed while it waited, and did not end by itself.
    expect(await ended).toEqual([null, "SIGKILL"]);

    const unfinished = await ask(...call);
    expect(unfinished.isError).toBe(false);
    const [task] = await tasks();
    expect(unfinished.text).toContain(task!.id);
    expect(await tasks()).toHaveLength(1);

    await expect.poll(async () => (await tasks())[0]?.state, SOON).toBe("input_required");
    const [request] = (await api("GET", `/input-requests?taskId=${task!.id}`)).items;
    await ben.goto(`/inbox/${request.id}`);
    await ben.getByRole("button", { name: "Approve" }).first().click();
    const wait = () => ask("call", "wait_for_task", JSON.stringify({ taskId: task!.id }));
    await expect.poll(async () => (await wait()).text, { timeout: 60_000 }).toContain("PAID");
    expect(await tasks()).toHaveLength(1);
  });

test("the set-up of the MCP Inspector lists the tools and asks people; run again, it gets the answer", async () => {
  const words = ["--grant", "Everything:echo", "--hold-ms", "1000"];
  const token = await intray.command("agent", "create", "--org", "acme", "--name", "Set-up", ...words);
  const { text } = setUps(`${intray.url}/mcp`, token).find(({ label }) => label === "MCP Inspector")!;
  // npx takes the version that is installed here.
  const run = async () => (await promisify(execFile)("sh", ["-c", text], { cwd: place })).stdout;
  const first = await run();
  expect(first).toContain("__echo");
  const requestId = /inbox\/([0-9a-f-]{36})/.exec(first)?.[1];
  await ben.goto(`/inbox/${requestId}`);
  await requestPane(ben)
    .getByRole("button", { name: /^Decline/ })
    .click();
  const decline = ben.getByRole("dialog");
  await decline.getByRole("textbox").fill("It does");
  await decline.getByRole("button", { name: "Decline", exact: true }).click();
  await expect.poll(run, { timeout: 60_000 }).toContain("It does");
});

async function api(method: string, path: string, body?: object) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const answer = await fetch(`${intray.url}/api/v1${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  expect(answer.ok, `${method} ${path}: ${answer.status}`).toBe(true);
  return answer.json();
}
