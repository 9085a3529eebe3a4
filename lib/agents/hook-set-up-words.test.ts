import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { hookSetUps } from "./hook-set-up-words.ts";
import { PLACEHOLDER } from "./set-up-words.ts";

const URL_OF_MCP = "https://intray.example/mcp";
const setUp = (label: string) =>
  hookSetUps(URL_OF_MCP, null).find((each) => each.label.startsWith(label))?.text ?? "";
// biome-ignore lint/suspicious/noExplicitAny: settings of any shape
const hookOf = (text: string): any => JSON.parse(text).hooks.PreToolUse[0].hooks[0];

test("a hook that Claude Code calls itself blocks where it fails, and its address names its own time-out", () => {
  for (const { text } of hookSetUps(URL_OF_MCP, "ita_abc").slice(0, 2)) {
    const { type, url, timeout, onFailure } = hookOf(text);
    expect([type, onFailure]).toEqual(["http", "block"]);
    expect(url).toBe(`https://intray.example/hooks/claude-code?timeout=${timeout}`);
  }
});

test("the secret stands in a person's own file alone, and what the header names may be read", () => {
  const [own, project, managed, codex] = hookSetUps(URL_OF_MCP, "ita_abc");
  expect(codex?.text).not.toContain("ita_abc");
  expect(hookOf(own?.text ?? "").headers.Authorization).toBe("Bearer ita_abc");
  for (const each of [project, managed]) {
    expect(each?.text).not.toContain("ita_abc");
    expect(each?.next).toContain("INTRAY_AGENT_SECRET=ita_abc");
  }
  const { headers, allowedEnvVars } = hookOf(project?.text ?? "");
  const named = Object.values<string>(headers).flatMap((value) => value.match(/(?<=\$)\w+/g) ?? []);
  expect(allowedEnvVars).toEqual(named);
  for (const { text, next } of hookSetUps(URL_OF_MCP, null)) expect(`${text} ${next}`).toContain(PLACEHOLDER);
});

describe.each([
  [
    "Codex",
    "codex",
    /^command = '''\n(.*)\n'''$/ms.exec(setUp("Codex"))?.[1] ?? "",
    '{"hookSpecificOutput":{"hookEventName":"PreToolUse"}}',
  ],
  [
    "Claude Code, managed",
    "claude-code",
    hookOf(setUp("Claude Code, managed")).command,
    '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}',
  ],
  [
    "Gemini CLI",
    "gemini-cli",
    JSON.parse(setUp("Gemini CLI")).hooks.BeforeTool[0].hooks[0].command,
    '{"decision":"allow","reason":"Ben","from":"Intray"}',
  ],
  [
    "Copilot CLI",
    "copilot",
    JSON.parse(setUp("Copilot CLI")).hooks.preToolUse[0].bash,
    '{"permissionDecision":"allow","permissionDecisionReason":"Ben","from":"Intray"}',
  ],
])("the command of %s lets nothing pass but an answer", (_, path, command, allowed) => {
  /** Runs the command with a curl that prints this, or fails. */
  const run = (curl: string) =>
    spawnSync("sh", ["-c", `curl() { ${curl}; }\n${command}`], {
      ...{ input: "{}", encoding: "utf8" },
      env: { ...process.env, INTRAY_AGENT_SECRET: "ita_abc", CLAUDE_CODE_ENTRYPOINT: "cli" },
    });

  test("names no variable of the environment, whose value Gemini CLI would put in its place", () => {
    const names = [...command.matchAll(/\$\{?(\w+)/g)].map(([, name]) => name);
    expect(names.filter((name) => name !== "answer" && name !== "CLAUDE_CODE_ENTRYPOINT")).toEqual([]);
  });

  test("an answer is printed as it is", () => {
    const { status, stdout } = run(`printf '%s' '${allowed}'`);
    expect([status, stdout]).toEqual([0, allowed]);
  });

  test("curl reads the secret from a file, and is not called with it", () => {
    const { stderr } = run(`echo "called with $*"; cat /dev/fd/3`);
    expect(stderr).toContain(`https://intray.example/hooks/${path}?timeout=600\n`);
    expect(stderr).toContain('header = "Authorization: Bearer ita_abc"');
    expect(/called with (.*)/.exec(stderr)?.[1]).not.toContain("ita_abc");
  });

  test.each([
    ["curl fails", "return 7"],
    ["curl is not there", "return 127"],
    ["an empty answer", "true"],
    ["a page of a proxy", "echo '<html>Sign in</html>'"],
    ["JSON that decides nothing", `printf '%s' '{"ok":{"a":{}}}'`],
    ["an answer that breaks off", `printf '%s' '{"hookSpecificOutput":{"hookEventName":"PreTool'`],
    ["one of Gemini CLI", `printf '%s' '{"decision":"deny","reason":"Use {}'`],
    ["one of Copilot CLI", `printf '%s' '{"permissionDecision":"deny","permissionDecisionReason":"Use {}'`],
    ["a refusal", `printf '%s' '{"refused":"No such agent"}'`],
  ])("%s blocks, and says so", (_, curl) => {
    const { status, stdout, stderr } = run(curl);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^Intray did not allow it\./);
  });
});
