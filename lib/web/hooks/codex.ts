/**
 * Hooks of Codex, as version 0.171.0 takes them. A hook of Codex is a command. The set-up's command sends the event
 * here and prints the answer. It exits with 2, which blocks the call, if the reply does not begin as an answer does.
 * Codex has no word to allow a call before a tool runs: for that event, an answer without a denial allows the call.
 * It knows neither `ask` nor `defer`.
 */
import { z } from "zod";
import { HOOK_PROGRAMS } from "../../agents/hook-programs.ts";
import { AppError } from "../../base/errors.ts";
import { isRecord } from "../../text/json.ts";
import { claudeCode } from "./claude-code.ts";
import { type Answers, contextOf, type HookEvent, type Program } from "./program.ts";

const id = z.string().min(1).max(200);

const eventSchema = z.looseObject({
  hook_event_name: z.enum(["PreToolUse", "PermissionRequest"]),
  session_id: id,
  cwd: z.string().nullish(),
  agent_type: z.string().nullish(),
  tool_name: id,
  tool_input: z.unknown(),
  /** Not of a PermissionRequest. */
  tool_use_id: id.optional(),
});

export const codex: Program = {
  shell: "Bash",
  // A version that does not know `updatedInput` would run the command as it was asked.
  takesChanges: false,
  read(body): HookEvent {
    const parsed = eventSchema.safeParse(body);
    if (!parsed.success)
      throw new AppError(
        "invalid_input",
        "Intray answers the hooks PreToolUse and PermissionRequest of Codex, and no other event.",
      );
    const { data } = parsed;
    return {
      call: {
        program: HOOK_PROGRAMS.codex,
        tool: data.tool_name,
        input: isRecord(data.tool_input) ? data.tool_input : { input: data.tool_input ?? null },
        cwd: data.cwd ?? null,
        session: data.session_id,
        callId: data.tool_use_id ?? null,
        by: data.agent_type ?? null,
        takesChanges: codex.takesChanges,
      },
      whenUndecided: "deny",
      answers: data.hook_event_name === "PreToolUse" ? beforeTool : permission,
    };
  },
  // Not an answer: the set-up's command exits with 2. The rest blocks a Claude Code that was given this address.
  refuse: (reason) => ({ refused: reason, ...claudeCode.refuse(reason) }),
};

const answered = (hookEventName: string, said: object) => ({
  hookSpecificOutput: { hookEventName, ...said },
});

const denyTool = (reason: string) =>
  answered("PreToolUse", { permissionDecision: "deny", permissionDecisionReason: reason });
const beforeTool: Answers = {
  allow: (allowed) => {
    const context = contextOf(allowed);
    return answered("PreToolUse", context === null ? {} : { additionalContext: context });
  },
  deny: denyTool,
  undecided: denyTool,
};

const denyPermission = (message: string) =>
  answered("PermissionRequest", { decision: { behavior: "deny", message } });
const permission: Answers = {
  allow: () => answered("PermissionRequest", { decision: { behavior: "allow" } }),
  deny: denyPermission,
  undecided: denyPermission,
};
