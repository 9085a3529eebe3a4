/** The set-up texts that need nothing but a shell or this repository's packages, run as they are copied. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { createSharedAgentFixture } from "../../../test/fixtures/agents/agent-fixture.ts";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { forFile } from "../../../test/for-file.ts";
import { PLACEHOLDER, setUps } from "../../agents/set-up-words.ts";

const fixture = forFile(() => createSharedAgentFixture());

const run = promisify(execFile);

type Run = (text: string, secret: string) => Promise<string>;

const inShell: Run = async (text) => (await run("sh", ["-c", text])).stdout;

/** As somebody does who has installed the package in a folder. */
const asModule: Run = async (text, secret) => {
  const folder = await mkdtemp(join(tmpdir(), "intray-set-up-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await symlink(join(import.meta.dirname, "../../../node_modules"), join(folder, "node_modules"));
  await writeFile(join(folder, "agent.mjs"), text);
  const env = { ...process.env, INTRAY_AGENT_SECRET: secret };
  const { stdout } = await run(process.execPath, ["agent.mjs"], { cwd: folder, env });
  return stdout;
};

test.each<[string, Run]>([
  ["curl", inShell],
  ["TypeScript SDK", asModule],
])("%s lists the tools and asks people; run again, it gets the answer", async (label, runText) => {
  const { id, secret } = await fixture.agent({ holdMs: 1_000 });
  const { text } = setUps(fixture.endpoint.url, secret).find((each) => each.label === label)!;
  const first = await runText(text, secret);
  expect(first).toContain("erp__quick");
  const task = await until("the question is a task", async () =>
    (await fixture.tasks()).find(({ agentId }) => agentId === id),
  );
  expect(first).toContain(task.id);
  const { id: requestId } = await fixture.openRequest(task.id);
  await fixture.organization.answer(requestId, { action: "decline", comment: "It does" });
  await fixture.inState(task.id, "completed");
  const second = await runText(text, secret);
  expect(second).toContain("It does");
  expect((await fixture.tasks()).filter(({ agentId }) => agentId === id)).toHaveLength(1);
});

test("the README's curl asks for an approval; run again, it gets the answer", async () => {
  const { id, secret } = await fixture.agent({ holdMs: 1_000 });
  const readme = await readFile("README.md", "utf8");
  const [, text = ""] = /```sh\n(curl [^`]*"tools\/call"[^`]*)```/.exec(readme) ?? [];
  const command = text
    .replace("http://localhost:3000/mcp", fixture.endpoint.url)
    .replace(PLACEHOLDER, secret);
  const task = async () => (await fixture.tasks()).find(({ agentId }) => agentId === id);
  expect(await inShell(command, secret)).toContain("Not finished yet");
  const asked = await task();
  await fixture.organization.answer((await fixture.openRequest(asked?.id)).id, {
    action: "accept",
    content: {},
    comment: "Go ahead",
  });
  await fixture.inState(asked!.id, "completed");
  expect(await inShell(command, secret)).toContain("Go ahead");
});
