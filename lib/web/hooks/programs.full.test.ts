/**
 * Tests published coding agents with a fake model that says what the test has written down. Each asks Intray before it
 * runs a command. It runs the command only if a rule or a person allows it, whatever happens to Intray meanwhile.
 * docs/hooks.md has the table of these tests.
 */
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createSharedAgentFixture } from "../../../test/fixtures/agents/agent-fixture.ts";
import {
  codex,
  copilot,
  gemini,
  type HookedProgram,
  headless,
  inTerminal,
  managed,
  opencode,
} from "../../../test/fixtures/agents/hooked-programs.ts";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { forFile } from "../../../test/for-file.ts";
import { startScriptedModel } from "../../../test/servers/agents/scripted-model.ts";
import { revokeAgent } from "../../agents/agent-writes.ts";
import { callRulesInputSchema } from "../../policy/call-rules/call-rule-schema.ts";
import { saveCallRules } from "../../policy/call-rules/call-rule-writes.ts";

const PROGRAMS = [headless, inTerminal, codex, gemini, copilot, opencode];
const here = PROGRAMS.filter(({ path }) => path !== null);

const fixture = forFile(() => createSharedAgentFixture());
beforeAll(async () => {
  const { within, operator } = fixture.organization;
  const { rules } = callRulesInputSchema.parse({
    rules: [
      ["Free", "allow"],
      ["Never", "deny"],
    ].map(([name, before]) => ({
      ...{ name, before, tools: ["Bash", "run_shell_command", "bash"] },
      when: `arguments.command.endsWith("# ${name?.toLowerCase()}")`,
    })),
  });
  await within((tx) => saveCallRules(tx, { ...operator, role: "admin" }, 0, { rules }));
});

/** An agent, and a place in which its program makes one call of its shell, and another one if it is asked to revise it. */
async function prepared(
  program: HookedProgram,
  {
    timeout = 600,
    remark = "",
    url = fixture.endpoint.url,
    knownSecret = true,
    byHelper = false,
    twoAtOnce = false,
  } = {},
) {
  const { id, secret } = await fixture.agent();
  const home = program.createHome();
  const [mark, revised] = [join(home.home, "ran"), join(home.home, "revised")];
  const { tool, argument, more } = program.shell;
  const call = (file: string) => ({
    name: tool,
    input: { ...more, [argument]: `touch ${file} ${remark}`.trim() },
  });
  const { helper } = program;
  const ofHelper = byHelper && helper ? [helper, call(mark)] : [];
  const model = await startScriptedModel((read) => {
    // A helper begins a conversation of its own, as if nothing was called yet.
    if (byHelper) return ofHelper.shift() ?? null;
    if (read.length === 0) return twoAtOnce ? [call(mark), call(revised)] : call(mark);
    return read.length === 1 && read[0]?.includes("to try again") ? call(revised) : null;
  });
  onTestFinished(() => model.close());
  const place = { home, url, secret: knownSecret ? secret : "ita_made-up", timeout, model };
  program.setUp(place);
  const tasks = async () => (await fixture.tasks()).filter(({ agentId }) => agentId === id);
  return {
    id,
    home: home.home,
    tasks,
    ran: () => existsSync(mark),
    ranRevised: () => existsSync(revised),
    /** What the model has read, as of its last turn. */
    read: () => model.turns.at(-1)?.read.join("\n") ?? "",
    async start(...args: string[]) {
      const run = await program.start(program.path ?? "", place, ...args);
      run.ended.catch(() => undefined); // a test kills it on purpose
      return run;
    },
    /** The open request of its n-th call. */
    async asked(n = 1) {
      const task = await until("there is a request", async () => (await tasks())[n - 1]);
      return fixture.openRequest(task.id);
    },
  };
}

const approve = { action: "accept", content: {} } as const;
const answer = (id: string, said: Parameters<typeof fixture.organization.answer>[1]) =>
  fixture.organization.answer(id, said);
const revoke = (agentId: string) => {
  const { within, operator } = fixture.organization;
  return within((tx) => revokeAgent(tx, { ...operator, role: "admin" }, agentId));
};

/** Answers that are none of Intray's. */
const FAILURES: [string, (response: ServerResponse) => void][] = [
  ["answers 500", (response) => response.writeHead(500).end('{"error":"down"}')],
  [
    "answers with a page",
    (response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>Sign in</html>"),
  ],
  ["does not answer in time", () => undefined],
  [
    "breaks off on the way",
    (response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": 2_000 });
      const said = {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason: "x".repeat(900),
      };
      response.write(JSON.stringify({ hookSpecificOutput: said }).slice(0, 800), () => response.destroy());
    },
  ],
];

const answers = (body: string) => (response: ServerResponse) =>
  response.writeHead(200, { "content-type": "application/json" }).end(body);
/** Answers of a 200 that decide nothing. Intray sends none, but a proxy might. */
const NOTHING: typeof FAILURES = [
  ["answers 200 with nothing", answers("")],
  ["answers 200 with JSON of another kind", answers('{"ok":true}')],
];

/** Starts what stands where Intray should be, and returns its `/mcp`. The test's end closes it. */
async function startInPlaceOfIntray(answers: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on("end", () => answers(response));
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

describe.each(here)("$name", (program) => {
  test("runs what a rule allows, without a request", async () => {
    const agent = await prepared(program, { remark: "# free" });
    await (await agent.start()).ended;
    expect(agent.ran()).toBe(true);
    expect(await agent.tasks()).toEqual([]);
  });

  test("does not run what a rule denies, and its model reads which", async () => {
    const agent = await prepared(program, { remark: "# never" });
    await (await agent.start()).ended;
    expect(agent.ran()).toBe(false);
    expect(agent.read()).toContain("Never");
    expect(await agent.tasks()).toEqual([]);
  });

  test("runs what a person approved, and not before", async () => {
    const agent = await prepared(program);
    const { ended } = await agent.start();
    const { id } = await agent.asked();
    expect(agent.ran()).toBe(false);
    await answer(id, approve);
    await ended;
    expect(agent.ran()).toBe(true);
  });

  if (program.takesChanges)
    test("runs a command as a person changed it, and not as it was asked", async () => {
      const agent = await prepared(program);
      const { ended } = await agent.start();
      const { id } = await agent.asked();
      const other = join(agent.home, "changed");
      const changed = { ...program.shell.more, command: `touch ${other}` };
      await answer(id, { action: "accept", content: { arguments: changed } });
      await ended;
      expect([agent.ran(), existsSync(other)]).toEqual([false, true]);
      expect(agent.read()).toContain(program.tellsOfChanges);
    });
  else
    test("offers people no changes, which it would not take", async () => {
      const agent = await prepared(program);
      const { ended } = await agent.start();
      const { id } = await agent.asked();
      const changed = { action: "accept", content: { arguments: { command: "true" } } } as const;
      await expect(answer(id, changed)).rejects.toMatchObject({ code: "invalid_content" });
      await answer(id, { action: "decline" });
      await ended;
      expect(agent.ran()).toBe(false);
    });

  test("does not run what a person declined, and its model reads why", async () => {
    const agent = await prepared(program);
    const { ended } = await agent.start();
    await answer((await agent.asked()).id, { action: "decline", comment: "Not on a Friday" });
    await ended;
    expect(agent.ran()).toBe(false);
    expect(agent.read()).toContain("Ben declined it in Intray: Not on a Friday");
  });

  test("tries again as a person asked it to, and asks about that call", async () => {
    const agent = await prepared(program);
    const { ended } = await agent.start();
    const said = { action: "decline", revise: true, comment: "Use the staging table" } as const;
    await answer((await agent.asked()).id, said);
    await answer((await agent.asked(2)).id, approve);
    await ended;
    expect(agent.read()).toContain("Use the staging table");
    expect([agent.ran(), agent.ranRevised()]).toEqual([false, true]);
  });

  if (program.helper)
    test("asks about a call of its helper, as about its own", async () => {
      const agent = await prepared(program, { byHelper: true });
      const { ended } = await agent.start();
      await answer((await agent.asked()).id, approve);
      const { id } = await agent.asked(2);
      expect(agent.ran()).toBe(false);
      await answer(id, approve);
      await ended;
      expect(agent.ran()).toBe(true);
    });

  test("asks about each of two calls at once, and runs only the one that a person approved", async () => {
    const agent = await prepared(program, { twoAtOnce: true });
    const { ended } = await agent.start();
    await answer((await agent.asked()).id, approve);
    await answer((await agent.asked(2)).id, { action: "decline" });
    await ended;
    expect([agent.ran(), agent.ranRevised()].toSorted()).toEqual([false, true]);
  });

  test("killed while people are asked, does not run the call", async () => {
    const agent = await prepared(program);
    const { kill } = await agent.start();
    const { id, taskId } = await agent.asked();
    await kill();
    await answer(id, approve);
    await fixture.inState(taskId, "completed");
    expect(agent.ran()).toBe(false);
  });

  test("does not run anything of a revoked agent, while it is asked about and afterwards", async () => {
    const agent = await prepared(program);
    const { ended } = await agent.start();
    await agent.asked();
    await revoke(agent.id);
    await ended;
    await (await agent.start()).ended;
    expect(agent.ran()).toBe(false);
  });

  test("does not run anything while Intray is down, or dies while people are asked", async () => {
    const agent = await prepared(program);
    const { ended } = await agent.start();
    await agent.asked();
    await fixture.endpoint.kill();
    await ended;
    await (await agent.start()).ended;
    expect(agent.ran()).toBe(false);
    await fixture.endpoint.start();
  });

  test("does not run anything with a secret that Intray does not know", async () => {
    const agent = await prepared(program, { remark: "# free", knownSecret: false });
    await (await agent.start()).ended;
    expect(agent.ran()).toBe(false);
  });

  test.each(FAILURES)("does not run anything where Intray %s", async (_what, fail) => {
    const url = await startInPlaceOfIntray(fail);
    const agent = await prepared(program, { url, timeout: 6 });
    await (await agent.start()).ended;
    expect(agent.ran()).toBe(false);
  });

  // Claude Code takes it for a hook that has nothing to say, whatever onFailure says.
  test.each(NOTHING)(
    "where Intray %s, only a hook of Claude Code's own lets the call pass",
    async (_what, say) => {
      const url = await startInPlaceOfIntray(say);
      const agent = await prepared(program, { url });
      await (await agent.start()).ended;
      expect(agent.ran()).toBe(program.passesOnNothing);
    },
  );
});

if (here.includes(headless))
  describe("claude -p with the managed set-up", () => {
    test("runs what a rule allows", async () => {
      const agent = await prepared(managed, { remark: "# free" });
      await (await agent.start()).ended;
      expect(agent.ran()).toBe(true);
    });

    test("runs a command as a person changed it, and ends with a call deferred that nobody decided", async () => {
      const agent = await prepared(managed, { timeout: 8 });
      const first = (await (await agent.start()).ended) as Record<string, string>;
      expect(first).toMatchObject({ stop_reason: "tool_deferred" });
      const other = join(agent.home, "changed");
      const changed = { action: "accept", content: { arguments: { command: `touch ${other}` } } } as const;
      await answer((await agent.asked()).id, changed);
      await (await agent.start("--resume", first.session_id ?? "")).ended;
      expect([agent.ran(), existsSync(other)]).toEqual([false, true]);
    });

    test("does not run anything while Intray is down, or with a wrong secret", async () => {
      const wrong = await prepared(managed, { remark: "# free", knownSecret: false });
      await (await wrong.start()).ended;
      const away = await prepared(managed, { remark: "# free", url: "http://127.0.0.1:9/mcp" });
      await (await away.start()).ended;
      expect([wrong.ran(), away.ran()]).toEqual([false, false]);
    });

    test.each([...FAILURES, ...NOTHING])("does not run anything where Intray %s", async (_what, fail) => {
      const url = await startInPlaceOfIntray(fail);
      const agent = await prepared(managed, { url, timeout: 6 });
      await (await agent.start()).ended;
      expect(agent.ran()).toBe(false);
    });
  });

describe("when the time is over", () => {
  if (here.includes(headless))
    test("claude -p ends with the call deferred, and runs it once it is resumed after an approval", async () => {
      const agent = await prepared(headless, { timeout: 6 });
      const first = (await (await agent.start()).ended) as Record<string, string>;
      expect(first).toMatchObject({ stop_reason: "tool_deferred", deferred_tool_use: { name: "Bash" } });
      expect(agent.ran()).toBe(false);
      await answer((await agent.asked()).id, approve);
      await (await agent.start("--resume", first.session_id ?? "")).ended;
      expect(agent.ran()).toBe(true);
      expect(await agent.tasks()).toHaveLength(1);
    });

  if (here.includes(inTerminal))
    test("Claude Code asks the person at the terminal, who reads where it can be decided, and runs nothing before", async () => {
      const agent = await prepared(inTerminal, { timeout: 6 });
      const { terminal } = await agent.start();
      const { id } = await agent.asked();
      const screen = await terminal!.shows(/Do you want to proceed/);
      expect(screen.replaceAll(/\s/g, "")).toContain(`/inbox/${id}`);
      expect(agent.ran()).toBe(false);
      await terminal!.press("Escape");
      await terminal!.shows(/rejected|interrupted|Interrupted/i);
      expect(agent.ran()).toBe(false);
    });

  const rest = here.filter((program) => program !== headless && program !== inTerminal);
  test.each(rest)("$name does not run the call", async (program) => {
    const agent = await prepared(program, { timeout: 6 });
    await (await agent.start()).ended;
    expect(agent.ran()).toBe(false);
    expect(agent.read()).toMatch(/Nobody (has decided yet|approved it in Intray in time)/);
  });
});

for (const { name } of PROGRAMS.filter((program) => !here.includes(program)))
  test(`${name} is left out: it could not be installed here, or there is no tmux`, () => {
    expect(here.map((program) => program.name)).not.toContain(name);
  });
