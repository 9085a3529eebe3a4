/**
 * Tests the published Claude Code with a fake model that says what the test has written down. Claude Code asks Intray
 * before it runs a command. It runs the command only if a rule or a person allows it, whatever happens to Intray
 * meanwhile.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createSharedAgentFixture } from "../../../test/fixtures/agents/agent-fixture.ts";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { type ScriptedCall, startScriptedModel } from "../../../test/servers/agents/scripted-model.ts";
import { codingAgent } from "../../../test/setup/coding-agents.ts";
import { revokeAgent } from "../../agents/agent-writes.ts";
import { hookSetUps } from "../../agents/hook-set-up-words.ts";
import { callRulesInputSchema } from "../../policy/call-rules/call-rule-schema.ts";
import { saveCallRules } from "../../policy/call-rules/call-rule-writes.ts";

const claude = codingAgent("claude");

describe.runIf(claude !== null)("Claude Code", () => {
  let fixture: Awaited<ReturnType<typeof createSharedAgentFixture>>;
  let model: Awaited<ReturnType<typeof startScriptedModel>>;
  let call: ScriptedCall;
  beforeAll(async () => {
    fixture = await createSharedAgentFixture();
    model = await startScriptedModel(() => call);
    const { within, operator } = fixture.organization;
    const free = {
      name: "Free",
      tools: ["Bash"],
      when: 'arguments.command.endsWith("# free")',
      before: "allow",
    };
    const { rules } = callRulesInputSchema.parse({ rules: [free] });
    await within((tx) => saveCallRules(tx, { ...operator, role: "admin" }, 0, { rules }));
  });
  afterAll(async () => {
    await model?.close();
    await fixture?.close();
  });

  let calls = 0;
  /** An agent, and a place in which its Claude Code makes one call of Bash. */
  async function prepared({ timeout = 600, remark = "" } = {}) {
    const { id, secret } = await fixture.agent();
    const home = mkdtempSync(join(tmpdir(), "intray-claude-"));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    mkdirSync(join(home, ".claude"));
    const { text } = hookSetUps(fixture.endpoint.url, secret)[0]!;
    writeFileSync(join(home, ".claude/settings.json"), text.replaceAll("600", String(timeout)));
    const mark = join(home, "ran");
    const own = {
      id: `toolu_${++calls}`,
      name: "Bash",
      input: { command: `touch ${mark} ${remark}`.trim() },
    };
    return {
      id,
      mark,
      ran: () => existsSync(mark),
      /** `claude -p`, which itself may run every command: only the hook can stop one. */
      run(...args: string[]) {
        call = own;
        const { PATH, LANG } = process.env;
        const child = spawn(
          claude ?? "",
          ["-p", ...(args.length === 0 ? ["go"] : args), "--output-format", "json", "--allowedTools", "Bash"],
          {
            cwd: home,
            env: {
              PATH,
              LANG,
              HOME: home,
              ANTHROPIC_BASE_URL: model.url,
              ANTHROPIC_API_KEY: "none",
              CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
            } as unknown as NodeJS.ProcessEnv,
            stdio: ["ignore", "pipe", "pipe"],
          },
        );
        onTestFinished(() => void child.kill("SIGKILL"));
        const ended = (async () => {
          let out = "";
          child.stdout.setEncoding("utf8").on("data", (text: string) => {
            out += text;
          });
          let trouble = "";
          child.stderr.setEncoding("utf8").on("data", (text: string) => {
            trouble += text;
          });
          await once(child, "close");
          if (!out.trim().startsWith("{")) throw new Error(`Claude Code said: ${out}${trouble}`);
          return JSON.parse(out);
        })();
        ended.catch(() => undefined);
        return { child, ended };
      },
      tasks: async () => (await fixture.tasks()).filter(({ agentId }) => agentId === id),
      async asked() {
        const [task] = await until("there is a request", async () => {
          const found = (await fixture.tasks()).filter(({ agentId }) => agentId === id);
          return found.length > 0 && found;
        });
        return fixture.openRequest(task?.id);
      },
    };
  }
  const approve = { action: "accept", content: {} } as const;

  test("runs what a rule allows, without a request", async () => {
    const agent = await prepared({ remark: "# free" });
    expect(await agent.run().ended).toMatchObject({ subtype: "success", result: "Done." });
    expect(agent.ran()).toBe(true);
    expect(await agent.tasks()).toEqual([]);
  });

  test("runs what a person approved, and not before", async () => {
    const agent = await prepared();
    const { ended } = agent.run();
    const { id } = await agent.asked();
    expect(agent.ran()).toBe(false);
    await fixture.organization.answer(id, approve);
    expect(await ended).toMatchObject({ result: "Done." });
    expect(agent.ran()).toBe(true);
  });

  test("runs a command as a person changed it, and not as it was asked", async () => {
    const agent = await prepared();
    const { ended } = agent.run();
    const { id } = await agent.asked();
    const other = `${agent.mark}-changed`;
    const content = { arguments: { command: `touch ${other}` } };
    await fixture.organization.answer(id, { action: "accept", content });
    expect(await ended).toMatchObject({ result: "Done." });
    expect([agent.ran(), existsSync(other)]).toEqual([false, true]);
  });

  test("does not run what a person declined", async () => {
    const agent = await prepared();
    const { ended } = agent.run();
    const { id } = await agent.asked();
    await fixture.organization.answer(id, { action: "decline", comment: "No" });
    await ended;
    expect(agent.ran()).toBe(false);
  });

  test("ends with the call deferred when the time is over, and runs it once it is resumed after an approval", async () => {
    const agent = await prepared({ timeout: 6 });
    const first = await agent.run().ended;
    expect(first).toMatchObject({ stop_reason: "tool_deferred", deferred_tool_use: { name: "Bash" } });
    expect(agent.ran()).toBe(false);
    const { id } = await agent.asked();
    await fixture.organization.answer(id, approve);
    await agent.run("--resume", first.session_id).ended;
    expect(agent.ran()).toBe(true);
    expect(await agent.tasks()).toHaveLength(1);
  });

  test("killed while people are asked, does not run the call", async () => {
    const agent = await prepared();
    const { child, ended } = agent.run();
    const { id, taskId } = await agent.asked();
    child.kill("SIGKILL");
    await ended.catch(() => undefined);
    await fixture.organization.answer(id, approve);
    await fixture.inState(taskId, "completed");
    expect(agent.ran()).toBe(false);
  });

  test("does not run anything of a revoked agent, while it is asked about and afterwards", async () => {
    const agent = await prepared();
    const { ended } = agent.run();
    await agent.asked();
    const { within, operator } = fixture.organization;
    await within((tx) => revokeAgent(tx, { ...operator, role: "admin" }, agent.id));
    await ended;
    await agent.run().ended;
    expect(agent.ran()).toBe(false);
  });

  test("does not run anything while Intray is down, or dies while people are asked", async () => {
    const agent = await prepared();
    const { ended } = agent.run();
    await agent.asked();
    await fixture.endpoint.kill();
    await ended;
    await agent.run().ended;
    expect(agent.ran()).toBe(false);
    await fixture.endpoint.start();
  });
});

if (claude === null)
  test("Claude Code is left out: it could not be installed here", () => {
    expect(claude).toBeNull();
  });
