import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { hookSetUps } from "./hook-set-up-words.ts";
import { PLACEHOLDER } from "./set-up-words.ts";

const URL_OF_MCP = "https://intray.example/mcp";
// biome-ignore lint/suspicious/noExplicitAny: settings of any shape
const hookOf = (text: string): any => JSON.parse(text).hooks.PreToolUse[0].hooks[0];

test("every hook of Claude Code blocks where it fails, and its address names its own time-out", () => {
  const all = hookSetUps(URL_OF_MCP, "ita_abc").filter(({ label }) => label.startsWith("Claude Code"));
  expect(all).toHaveLength(3);
  for (const { text } of all) {
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
    const { headers, allowedEnvVars } = hookOf(each?.text ?? "");
    const named = Object.values<string>(headers).flatMap((value) => value.match(/(?<=\$)\w+/g) ?? []);
    expect(allowedEnvVars).toEqual(named);
  }
  for (const { text, next } of hookSetUps(URL_OF_MCP, null)) expect(`${text} ${next}`).toContain(PLACEHOLDER);
});

describe("the command of Codex lets nothing pass but an answer", () => {
  const command =
    /^command = '''\n(.*)\n'''$/ms.exec(hookSetUps(URL_OF_MCP, null).at(-1)?.text ?? "")?.[1] ?? "";
  /** Runs the command with a curl that prints this, or fails. */
  const run = (curl: string) =>
    spawnSync("sh", ["-c", `curl() { ${curl}; }\n${command}`], { input: "{}", encoding: "utf8" });
  const allowed = '{"hookSpecificOutput":{"hookEventName":"PreToolUse"}}';

  test("an answer is printed as it is", () => {
    const { status, stdout } = run(`printf '%s' '${allowed}'`);
    expect([status, stdout]).toEqual([0, allowed]);
  });

  test.each([
    ["curl fails", "return 7"],
    ["curl is not there", "return 127"],
    ["an empty answer", "true"],
    ["a page of a proxy", "echo '<html>Sign in</html>'"],
    ["a refusal", `printf '%s' '{"refused":"No such agent"}'`],
  ])("%s blocks, and says so", (_, curl) => {
    const { status, stdout, stderr } = run(curl);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^Intray did not allow it\./);
  });
});
