/** How the hooks of coding agents are told of Intray, to be copied. */
import { PLACEHOLDER, type SetUp } from "./set-up-words.ts";

/** The environment variable that the texts read the secret from. */
const VARIABLE = "INTRAY_AGENT_SECRET";
/** How long a hook waits for people, in seconds. Its address says the same, so that Intray answers in time. */
const TIMEOUT = 600;

const NEXT =
  "Claude Code asks before each call of a tool. Calls that a call rule allows go on at once, those that a rule denies are blocked, and all others wait in the inbox.";
const WAITS = `Nobody decided within ${TIMEOUT / 60} minutes: claude -p ends with “tool_deferred”, and asks again with --resume. In a terminal you are asked instead.`;

/** `url`: that of `/mcp`. `secret`: the agent's, or null once it is not known any more. */
export function hookSetUps(url: string, secret: string | null): SetUp[] {
  const base = url.replace(/\/mcp$/, "");
  const inFile = claudeCode(base, `Bearer ${secret ?? PLACEHOLDER}`, []);
  const fromVariable = claudeCode(base, `Bearer $${VARIABLE}`, [VARIABLE]);
  const inShell = `In the environment of Claude Code: ${VARIABLE}=${secret ?? PLACEHOLDER}`;
  return [
    {
      label: "Claude Code, for you",
      hook: "claude-code",
      where: "Add to ~/.claude/settings.json",
      text: json({ hooks: fromHook(inFile) }),
      next: `${NEXT} ${WAITS}`,
      note: "Needs Claude Code 2.1.295 or newer: earlier versions ignore “onFailure” and go on while Intray can’t be reached.",
    },
    {
      label: "Claude Code, for a project",
      hook: "claude-code",
      where: "Add to .claude/settings.json of the project",
      text: json({ hooks: fromHook(fromVariable) }),
      next: `${inShell}. ${NEXT} ${WAITS}`,
      note: "Without the variable every call is blocked. People can switch a project’s hooks off: to enforce them, use managed settings.",
    },
    {
      label: "Claude Code, managed",
      hook: "claude-code",
      where:
        "Save as managed-settings.json: in /etc/claude-code on Linux, /Library/Application Support/ClaudeCode on macOS, C:\\Program Files\\ClaudeCode on Windows",
      text: json({ allowManagedHooksOnly: true, hooks: fromHook(claudeCodeCommand(base)) }),
      next: `${inShell}. ${NEXT} ${WAITS}`,
      note: "Nobody but an administrator of the machine can change these settings. Other hooks no longer run. Needs curl and a POSIX shell.",
    },
    {
      label: "Codex, for you",
      hook: "codex",
      where: "Add to ~/.codex/config.toml",
      text: codex(base),
      next: `In the environment of Codex: ${VARIABLE}=${secret ?? PLACEHOLDER}. Then type /hooks in Codex and trust the hook: until then it does not run. ${OF_CODEX}`,
      note: "Needs curl and a POSIX shell. Codex asks its own questions too, where its settings say so.",
    },
  ];
}

const OF_CODEX = `Codex asks before each call of a tool. A call that nobody decided within ${TIMEOUT / 60} minutes is not made.`;

/**
 * A shell command that asks Intray. The programs take exit code 2 with a reason for a no, and any other failure for leave to go on.
 * So whatever does not begin and end as an answer of Intray's is a no, such as the page of a proxy, or an answer that breaks off.
 * curl reads the secret from a file of its own, because other people of the machine can read arguments.
 */
function asking(address: string, begins: string, header = ""): string {
  return `answer=$(curl -sSf --max-time ${TIMEOUT - 2} -K /dev/fd/3 -H "Content-Type: application/json"${header} \
  --data-binary @- "${address}?timeout=${TIMEOUT}" 3<<END
header = "Authorization: Bearer $${VARIABLE}"
END
) || answer="Intray could not be reached."
case $answer in
'${begins}'*'}}') printf '%s' "$answer" ;;
*) echo "Intray did not allow it. $answer" >&2; exit 2 ;;
esac`;
}

function codex(base: string): string {
  return `[[hooks.PreToolUse]]
[[hooks.PreToolUse.hooks]]
type = "command"
timeout = ${TIMEOUT}
command = '''
${asking(`${base}/hooks/codex`, '{"hookSpecificOutput":')}
'''`;
}

/** Also blocks after a 200 that decides nothing, as a proxy may send one. A hook of type `http` lets the call pass then. */
function claudeCodeCommand(base: string) {
  const begins = '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":';
  const header = ' -H "X-Claude-Code-Entrypoint: $CLAUDE_CODE_ENTRYPOINT"';
  return {
    type: "command",
    timeout: TIMEOUT,
    command: asking(`${base}/hooks/claude-code`, begins, header),
  };
}

function claudeCode(base: string, authorization: string, variables: string[]) {
  return {
    type: "http",
    url: `${base}/hooks/claude-code?timeout=${TIMEOUT}`,
    timeout: TIMEOUT,
    onFailure: "block",
    headers: {
      Authorization: authorization,
      "X-Claude-Code-Entrypoint": "$CLAUDE_CODE_ENTRYPOINT",
    },
    allowedEnvVars: [...variables, "CLAUDE_CODE_ENTRYPOINT"],
  };
}

const fromHook = (hook: object) => ({ PreToolUse: [{ hooks: [hook] }] });
const json = (value: unknown) => JSON.stringify(value, null, 2);
