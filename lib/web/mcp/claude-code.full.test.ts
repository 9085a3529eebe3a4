/**
 * Tests the published Claude Code as a client of `/mcp`, with a fake model that says what the test has written down. In a
 * terminal, a call becomes a task in its background, which outlives the program. `claude -p` keeps the call open.
 */
import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { createSharedAgentFixture } from "../../../test/fixtures/agents/agent-fixture.ts";
import { createClaudeHome, openClaude, runClaude } from "../../../test/fixtures/agents/coding-agents.ts";
import { HAS_TERMINAL, type Terminal } from "../../../test/fixtures/agents/terminal.ts";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { forFile } from "../../../test/for-file.ts";
import { type ScriptedCall, startScriptedModel } from "../../../test/servers/agents/scripted-model.ts";
import { codingAgent } from "../../../test/setup/coding-agents.ts";
import type { CreateAgent } from "../../agents/agent-schema.ts";
import { revokeAgent } from "../../agents/agent-writes.ts";
import { claudeCodeCommand } from "../../agents/set-up-words.ts";

const claude = codingAgent("claude");
const run = promisify(execFile);

const fixture = forFile(() => createSharedAgentFixture());

const ask = (input: object): ScriptedCall => ({ name: "mcp__intray__request_approval", input: { ...input } });
const DEPLOY = { action: "Deploy 4.2 to production" };

/** What the program tells its model when a task in its background has ended. */
const notified = (read: string[]) => read.filter((text) => text.includes("<task-notification>"));

interface Mode {
  name: string;
  isHere: boolean;
  /** The words with which its model reads the ends of its calls, in their order. */
  ends(read: string[]): string[];
}
const inTerminal: Mode = {
  name: "Claude Code in a terminal",
  isHere: claude !== null && HAS_TERMINAL,
  ends: notified,
};
/** What a model reads of a call that has not ended when its time is over: in the text, or in JSON. */
const UNFINISHED = /Call wait_for_task with \{\\?"taskId\\?": \\?"([\w-]+)/;
const headless: Mode = {
  name: "claude -p",
  isHere: claude !== null,
  ends: (read) => read.filter((text) => !UNFINISHED.test(text)),
};
const MODES = [inTerminal, headless];

/** An agent whose Claude Code knows Intray by the set-up's command. `calls`: its model makes each once it has read the end of the one before, and waits as it is told to. */
async function prepared({ name, ends }: Mode, calls: ScriptedCall[], input: Partial<CreateAgent> = {}) {
  const { id, secret } = await fixture.agent(input);
  const home = createClaudeHome();
  await run("sh", ["-c", claudeCodeCommand(fixture.endpoint.url, secret)], {
    cwd: home.project,
    env: {
      PATH: `${dirname(claude ?? "")}:${process.env.PATH}`,
      HOME: home.home,
    } as unknown as NodeJS.ProcessEnv,
  });
  const model = await startScriptedModel((read) => {
    const [, taskId] = UNFINISHED.exec(read.at(-1) ?? "") ?? [];
    if (taskId) return { name: "mcp__intray__wait_for_task", input: { taskId } };
    const made = read.length - notified(read).length;
    return (ends(read).length === made && calls[made]) || null;
  });
  onTestFinished(() => model.close());
  const read = () => model.turns.at(-1)?.read ?? [];
  const tasks = async () => (await fixture.tasks()).filter(({ agentId }) => agentId === id);
  const open = (...args: string[]) => openClaude(claude ?? "", home, model.url, [...args, ...ALLOWED]);
  return {
    id,
    tasks,
    read,
    open,
    /** Waits until the model has read something, and returns it. */
    hasRead: () => until("the model reads of its call", async () => read().length > 0 && read()),
    /** Waits until the conversation on disk, which `--continue` reads, has a text. */
    async written(text: string) {
      const files = () => globSync("**/*.jsonl", { cwd: join(home.home, ".claude/projects") });
      const has = (file: string) =>
        readFileSync(join(home.home, ".claude/projects", file), "utf8").includes(text);
      await until("the conversation is on disk", async () => files().some(has));
    },
    /** Waits until the model has read the end of its n-th call, and returns the words. */
    ended: (n = 1) => until("the model reads the end", async () => ends(read())[n - 1]),
    /** Tells Claude Code to go. In a terminal: until its model makes the call, since its servers may come later than the prompt. */
    async start(): Promise<Terminal | undefined> {
      if (name === headless.name) {
        runClaude(claude ?? "", home, model.url, ["go", ...ALLOWED]);
        return undefined;
      }
      const terminal = await open();
      do {
        const before = model.turns.length;
        await terminal.enter("go");
        await until("the model answers", async () => model.turns.length > before);
      } while (model.turns.every(({ call }) => call === null));
      return terminal;
    },
    /** The open request of its n-th call. */
    async asked(n = 1) {
      const task = await until("there is a request", async () => (await tasks())[n - 1]);
      return fixture.openRequest(task.id);
    },
  };
}

const ALLOWED = ["--permission-mode", "default", "--allowedTools", "mcp__intray"];
const approve = { action: "accept", content: {}, comment: "After six" } as const;
const answer = (id: string, said: Parameters<typeof fixture.organization.answer>[1]) =>
  fixture.organization.answer(id, said);

describe.each(MODES.filter(({ isHere }) => isHere))("$name", (mode) => {
  test("tells its model that a person approved, and what they said", async () => {
    const agent = await prepared(mode, [ask(DEPLOY)]);
    await agent.start();
    await answer((await agent.asked()).id, approve);
    const end = await agent.ended();
    expect(end).toContain("Ben approved");
    expect(end).toContain("After six");
    expect(await agent.tasks()).toHaveLength(1);
  });

  test("tells its model that a person declined, and why", async () => {
    const agent = await prepared(mode, [ask(DEPLOY)]);
    await agent.start();
    await answer((await agent.asked()).id, { action: "decline", comment: "Not on a Friday" });
    expect(await agent.ended()).toContain("Ben declined: Not on a Friday");
  });

  test("tells its model that nobody decided in time", async () => {
    const expiresAt = new Date(Date.now() + 3600_000).toISOString();
    const agent = await prepared(mode, [ask({ ...DEPLOY, expiresAt })]);
    await agent.start();
    const { id } = await agent.asked();
    await fixture.organization.sql(
      "UPDATE input_request SET expires_at = date_trunc('milliseconds', now()) WHERE id = $1",
      [id],
    );
    expect(await agent.ended()).toContain("Nobody decided in time. Silence is no consent");
  });

  test("calls again as a person asked it to, and is told how they changed that call", async () => {
    const quick = (table: string): ScriptedCall => ({ name: "mcp__intray__erp__quick", input: { table } });
    const grants = [{ serverId: fixture.serverId, before: "ask" as const }];
    const agent = await prepared(mode, [quick("production"), quick("staging")], { grants });
    const before = fixture.server.calls.length;
    await agent.start();
    const sentBack = { action: "decline", revise: true, comment: "Use the staging table" } as const;
    await answer((await agent.asked()).id, sentBack);
    const first = await agent.ended();
    expect(first).toContain("Ben asks to revise this call: Use the staging table");
    expect(first).toContain("Nothing was called. Change the arguments as asked");
    const changed = { arguments: { table: "orders" } };
    await answer((await agent.asked(2)).id, { action: "accept", content: changed });
    const second = await agent.ended(2);
    expect(second).toContain("Ben changed the arguments before approving the call.");
    expect(second).toContain("orders");
    expect(fixture.server.calls.slice(before)).toMatchObject([
      { name: "quick", arguments: { table: "orders" } },
    ]);
  });
});

/** As a person does who wants to know how a task in the background is. */
async function lookAtTask(terminal: Terminal | undefined) {
  await terminal?.shows(/1 MCP task/);
  await terminal?.press("Down");
  await terminal?.shows(/enter to view tasks/);
  await terminal?.press("Enter");
}

describe.runIf(inTerminal.isHere)("Claude Code in a terminal", () => {
  test("has the call in its background: its model reads where people answer, and the person sees the task", async () => {
    const agent = await prepared(inTerminal, [ask(DEPLOY)]);
    const terminal = await agent.start();
    const { id, taskId } = await agent.asked();
    const [placeholder] = await agent.hasRead();
    expect(placeholder).toContain(taskId);
    expect(placeholder).toContain("running in the background");
    expect(placeholder).toContain(`waits for a person to answer "${DEPLOY.action}" at http`);
    expect(placeholder).toContain(`/inbox/${id}`);
    await lookAtTask(terminal);
    const screen = await terminal?.shows(/request_approval waits for a person to answer/);
    expect(screen?.replaceAll(/\s/g, "")).toContain(`/inbox/${id}`);
    await terminal?.press("Escape");
    await answer(id, approve);
    await agent.ended();
    await terminal?.shows(/MCP task .* completed/);
  });

  test("killed while people are asked, gets the answer once the conversation is continued", async () => {
    const agent = await prepared(inTerminal, [ask(DEPLOY)]);
    const terminal = await agent.start();
    const { id, taskId } = await agent.asked();
    await agent.hasRead();
    await agent.written(taskId);
    await terminal?.kill();
    await answer(id, approve);
    await fixture.inState(taskId, "completed");
    await agent.open("--continue");
    expect(await agent.ended()).toContain("After six");
    expect(await agent.tasks()).toHaveLength(1);
  });

  test("gets the answer though Intray was killed meanwhile", async () => {
    const agent = await prepared(inTerminal, [ask(DEPLOY)]);
    await agent.start();
    const { id } = await agent.asked();
    await agent.hasRead();
    await fixture.endpoint.kill();
    await fixture.endpoint.start();
    await answer(id, approve);
    expect(await agent.ended()).toContain("After six");
    expect(await agent.tasks()).toHaveLength(1);
  });

  test("gets no answer once its agent is revoked", async () => {
    const agent = await prepared(inTerminal, [ask(DEPLOY)]);
    const terminal = await agent.start();
    const { id } = await agent.asked();
    const { within, operator } = fixture.organization;
    await within((tx) => revokeAgent(tx, { ...operator, role: "admin" }, agent.id));
    await answer(id, approve);
    await lookAtTask(terminal);
    await terminal?.shows(/status requests come back with errors/);
    expect(notified(agent.read())).toEqual([]);
  });
});

describe.runIf(headless.isHere)("claude -p", () => {
  test("reads where people answer once the call's time is over, and gets the answer by wait_for_task", async () => {
    const agent = await prepared(headless, [ask(DEPLOY)], { holdMs: 1_000 });
    await agent.start();
    const { id, taskId } = await agent.asked();
    const [unfinished] = await agent.hasRead();
    expect(unfinished).toContain(`/inbox/${id}`);
    expect(unfinished).toContain(taskId);
    await answer(id, approve);
    expect(await agent.ended()).toContain("After six");
    expect(await agent.tasks()).toHaveLength(1);
  });
});

for (const { name } of MODES.filter(({ isHere }) => !isHere))
  test(`${name} is left out: it could not be installed here, or there is no tmux`, () => {
    expect(MODES.some((mode) => mode.name === name && mode.isHere)).toBe(false);
  });
