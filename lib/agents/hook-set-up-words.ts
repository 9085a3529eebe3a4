/** How the hooks of coding agents are told of Intray, to be copied. */
import { FROM_INTRAY } from "./hook-programs.ts";
import { PLACEHOLDER, type SetUp } from "./set-up-words.ts";

/** The environment variable that the texts read the secret from. */
const VARIABLE = "INTRAY_AGENT_SECRET";
/** How long a hook waits for people, in seconds. Its address says the same, so that Intray answers in time. */
const TIMEOUT = 600;

const NEXT =
  "Claude Code asks before each call of a tool. Calls that a call rule allows run at once, calls that a rule denies are blocked, and all others wait in the inbox.";
const WAITS = `Nobody decided within ${TIMEOUT / 60} minutes: claude -p ends with “tool_deferred”, and asks again with --resume. In a terminal you are asked instead.`;

/** `url`: that of `/mcp`. `secret`: the agent's, or null once it is not known any more. */
export function hookSetUps(url: string, secret: string | null): SetUp[] {
  const base = url.replace(/\/mcp$/, "");
  const inFile = claudeCode(base, `Bearer ${secret ?? PLACEHOLDER}`, []);
  const fromVariable = claudeCode(base, `Bearer $${VARIABLE}`, [VARIABLE]);
  const inEnvironment = (program: string) =>
    `In the environment of ${program}: ${VARIABLE}=${secret ?? PLACEHOLDER}`;
  const inShell = inEnvironment("Claude Code");
  return [
    {
      label: "Claude Code, for you",
      hook: "claude-code",
      where: "Add to ~/.claude/settings.json",
      text: json({ hooks: fromHook(inFile) }),
      next: `${NEXT} ${WAITS}`,
      note: "Needs Claude Code 2.1.295 or newer: earlier versions ignore “onFailure” and make the call while Intray can’t be reached.",
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
      next: `${inEnvironment("Codex")}. Then type /hooks in Codex and trust the hook: until then it does not run. ${asks("Codex")}`,
      note: "Needs curl and a POSIX shell. Codex asks its own questions too, if its settings say so.",
    },
    {
      label: "Gemini CLI",
      hook: "gemini-cli",
      where:
        "Add to ~/.gemini/settings.json. For everybody on a machine: /etc/gemini-cli/settings.json on Linux, /Library/Application Support/GeminiCli/settings.json on macOS",
      text: json({ hooks: { BeforeTool: [{ hooks: [geminiCli(base)] }] } }),
      next: `${inEnvironment("Gemini CLI")}. ${asks("Gemini CLI")}`,
      note: "Needs curl and a POSIX shell. Gemini CLI asks its own questions too, if its settings say so.",
    },
    {
      label: "Copilot CLI",
      hook: "copilot",
      where:
        "Save as ~/.copilot/hooks/intray.json. For everybody on a machine: /etc/github-copilot/policy.d/intray.json on Linux and macOS, owned by root",
      text: json({ version: 1, hooks: { preToolUse: [copilot(base)] } }),
      next: `${inEnvironment("Copilot CLI")}. ${asks("Copilot CLI")}`,
      note: "Needs curl and a POSIX shell: on Windows it does not run. After an approval, Copilot CLI does not ask its own question.",
    },
    {
      label: "opencode",
      hook: "opencode",
      where: "Save as ~/.config/opencode/plugins/intray.js",
      text: opencode(base),
      next: `${inEnvironment("opencode")}. ${asks("opencode")}`,
      note: "For opencode 1. opencode asks its own questions too, where its settings say so. With --pure it loads no plugin.",
    },
  ];
}

const asks = (program: string) =>
  `${program} asks before each call of a tool. A call that nobody decided within ${TIMEOUT / 60} minutes is not made.`;

/**
 * A shell command that asks Intray. The programs take exit code 2 with a reason for a no, and any other failure for leave to go on.
 * So whatever does not begin and end as an answer of Intray's is a no, such as the page of a proxy, or an answer that breaks off.
 * curl reads the secret from a file of its own, because other people of the machine can read arguments. It is asked of `printenv`,
 * because Gemini CLI puts the values of variables in the place of their names in its settings.
 */
function asking(address: string, [begins, ends]: Frame, header = ""): string {
  return `answer=$(curl -sSf --max-time ${TIMEOUT - 2} -K /dev/fd/3 -H "Content-Type: application/json"${header} \
  --data-binary @- "${address}?timeout=${TIMEOUT}" 3<<END
header = "Authorization: Bearer $(printenv ${VARIABLE})"
END
) || answer="Intray could not be reached."
case $answer in
'${begins}'*'${ends}') printf '%s' "$answer" ;;
*) echo "Intray did not allow it. $answer" >&2; exit 2 ;;
esac`;
}

/** How an answer begins and ends. */
type Frame = [begins: string, ends: string];

/** No text within an answer has its quotation marks without backslashes, so an answer that breaks off does not end like this. */
const END_OF_ANSWER = `,${JSON.stringify(FROM_INTRAY).slice(1)}`;

function codex(base: string): string {
  return `[[hooks.PreToolUse]]
[[hooks.PreToolUse.hooks]]
type = "command"
timeout = ${TIMEOUT}
command = '''
${asking(`${base}/hooks/codex`, ['{"hookSpecificOutput":', "}}"])}
'''`;
}

/** A plugin: opencode calls it before each tool, and makes no call for which it throws. */
function opencode(base: string): string {
  return `// Asks Intray before each call of a tool.
const ADDRESS = "${base}/hooks/opencode?timeout=${TIMEOUT}";

async function ask(event) {
  const response = await fetch(ADDRESS, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Authorization: \`Bearer \${process.env.${VARIABLE}}\`,
    },
    body: JSON.stringify(event),
    redirect: "error",
    signal: AbortSignal.timeout(${TIMEOUT - 2}_000),
    timeout: false,
  });
  return response.status === 200 ? response.json() : null;
}

export default {
  id: "intray",
  server: async ({ directory }) => {
    const notes = new Map();
    return {
      "tool.execute.before": async ({ tool, sessionID: session, callID: call }, output) => {
        const { args } = output;
        const answer = await ask({ session, call, directory, tool, args }).catch(() => null);
        if (answer?.decision !== "allow")
          throw new Error(answer?.reason ?? "Intray did not allow it. Intray could not be reached.");
        if (answer.note) notes.set(call, answer.note);
        if (!answer.args) return;
        for (const name of Object.keys(args)) delete args[name];
        Object.assign(args, answer.args);
      },
      "tool.execute.after": async ({ callID }, output) => {
        const note = notes.get(callID);
        notes.delete(callID);
        // Results of MCP servers have their texts in a list.
        if (note && output.content) output.content.push({ type: "text", text: note });
        else if (note) output.output += \`\\n\${note}\`;
      },
    };
  },
};`;
}

/** Also blocks after a 200 that decides nothing, as a proxy may send one. A hook of type `http` lets the call pass then. */
function claudeCodeCommand(base: string) {
  const frame: Frame = ['{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":', "}}"];
  const header = ' -H "X-Claude-Code-Entrypoint: $CLAUDE_CODE_ENTRYPOINT"';
  return {
    type: "command",
    timeout: TIMEOUT,
    command: asking(`${base}/hooks/claude-code`, frame, header),
  };
}

/** Its time-out is in milliseconds. */
function geminiCli(base: string) {
  return {
    name: "intray",
    type: "command",
    timeout: TIMEOUT * 1000,
    command: asking(`${base}/hooks/gemini-cli`, ['{"decision":', END_OF_ANSWER]),
  };
}

function copilot(base: string) {
  return {
    type: "command",
    timeoutSec: TIMEOUT,
    bash: asking(`${base}/hooks/copilot`, ['{"permissionDecision":', END_OF_ANSWER]),
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
