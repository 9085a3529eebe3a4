/**
 * Tests the published Codex with a fake model that says what the test has written down. Codex itself may run
 * everything. The set-up's command asks Intray before each call, and lets it pass only if a rule or a person allows
 * it.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
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

const codex = codingAgent("codex");

describe.runIf(codex !== null)("Codex", () => {
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

  /** An agent, and a place in which its Codex makes one call of its shell. */
  async function prepared({ timeout = 600, remark = "", url = fixture.endpoint.url } = {}) {
    const { id, secret } = await fixture.agent();
    const home = mkdtempSync(join(tmpdir(), "intray-codex-"));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    mkdirSync(join(home, ".codex"));
    const { text } = hookSetUps(url, secret).find(({ label }) => label.startsWith("Codex"))!;
    const provider = `model = "scripted"\nmodel_provider = "scripted"
[model_providers.scripted]\nname = "scripted"\nbase_url = "${model.url}/v1"\nwire_api = "responses"\n`;
    const config = text.replaceAll("598", String(timeout - 2)).replaceAll("600", String(timeout));
    writeFileSync(join(home, ".codex/config.toml"), `${provider}\n${config}\n`);
    const mark = join(home, "ran");
    return {
      id,
      ran: () => existsSync(mark),
      async run() {
        call = { id: "call_1", name: "exec_command", input: { cmd: `touch ${mark} ${remark}`.trim() } };
        const { PATH, LANG } = process.env;
        const child = spawn(
          codex ?? "",
          [
            ...["exec", "--skip-git-repo-check", "--json", "go"],
            ...["--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox"],
          ],
          {
            cwd: home,
            env: {
              PATH,
              LANG,
              HOME: home,
              INTRAY_AGENT_SECRET: secret,
            } as unknown as NodeJS.ProcessEnv,
            stdio: ["ignore", "pipe", "ignore"],
          },
        );
        onTestFinished(() => void child.kill("SIGKILL"));
        let out = "";
        child.stdout.setEncoding("utf8").on("data", (text: string) => {
          out += text;
        });
        await once(child, "close");
        expect(out).toContain('"text":"Done."');
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

  test("runs what a rule allows, without a request", async () => {
    const agent = await prepared({ remark: "# free" });
    await agent.run();
    expect(agent.ran()).toBe(true);
    expect(await agent.tasks()).toEqual([]);
  });

  test("runs what a person approved, and not before", async () => {
    const agent = await prepared();
    const ended = agent.run();
    const { id } = await agent.asked();
    expect(agent.ran()).toBe(false);
    await fixture.organization.answer(id, { action: "accept", content: {} });
    await ended;
    expect(agent.ran()).toBe(true);
  });

  test("does not run what a person declined, or nobody decided in time", async () => {
    const declined = await prepared();
    const ended = declined.run();
    await fixture.organization.answer((await declined.asked()).id, { action: "decline" });
    await ended;
    const undecided = await prepared({ timeout: 6 });
    await undecided.run();
    expect([declined.ran(), undecided.ran()]).toEqual([false, false]);
  });

  test("does not run anything of a revoked agent", async () => {
    const agent = await prepared({ remark: "# free" });
    const { within, operator } = fixture.organization;
    await within((tx) => revokeAgent(tx, { ...operator, role: "admin" }, agent.id));
    await agent.run();
    expect(agent.ran()).toBe(false);
  });

  test("does not run a declined call whose answer breaks off on the way", async () => {
    const torn = createServer((_, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": 2_000 });
      const said = {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason: "x".repeat(900),
      };
      response.write(JSON.stringify({ hookSpecificOutput: said }).slice(0, 800), () => response.destroy());
    });
    onTestFinished(() => void torn.close());
    await once(torn.listen(0, "127.0.0.1"), "listening");
    const { port } = torn.address() as AddressInfo;
    const agent = await prepared({ url: `http://127.0.0.1:${port}/mcp` });
    await agent.run();
    expect(agent.ran()).toBe(false);
  });

  test("does not run anything while Intray is down, or dies while people are asked", async () => {
    const agent = await prepared();
    const ended = agent.run();
    await agent.asked();
    await fixture.endpoint.kill();
    await ended;
    await agent.run();
    expect(agent.ran()).toBe(false);
    await fixture.endpoint.start();
  });
});

if (codex === null)
  test("Codex is left out: it could not be installed here", () => {
    expect(codex).toBeNull();
  });
