/**
 * Hooks of Claude Code (type `http`), as version 2.1.332 takes them. Claude Code reads the body only if the status is
 * 2xx. After any other status it makes the call, unless the hook has `onFailure: "block"`. An empty body decides
 * nothing. So every answer is a 200 with a decision.
 */
import { z } from "zod";
import { HOOK_PROGRAMS } from "../../agents/hook-programs.ts";
import { AppError } from "../../base/errors.ts";
import { isRecord } from "../../text/json.ts";
import { type Answers, contextOf, type HookEvent, type Program, type WhenUndecided } from "./program.ts";

/** No version of the program sends longer ids, and Intray would store them. */
const id = z.string().min(1).max(200);

const eventSchema = z.looseObject({
  hook_event_name: z.enum(["PreToolUse", "PermissionRequest"]),
  session_id: id,
  cwd: z.string().nullish(),
  agent_type: z.string().nullish(),
  tool_name: id,
  // A z.record would drop a member `__proto__`, which is to be refused: the program may read it.
  tool_input: z.custom<Record<string, unknown>>(isRecord),
  /** A PermissionRequest has none. */
  tool_use_id: id.optional(),
});

/** The hook's headers tell how the program was started, in the words of its own CLAUDE_CODE_ENTRYPOINT. */
export const ENTRYPOINT_HEADER = "x-claude-code-entrypoint";
/** `claude -p`, which keeps a deferred call and asks again when it is resumed. */
const HEADLESS = "sdk-cli";

export const claudeCode: Program = {
  shell: "Bash",
  takesChanges: true,
  read(body, headers): HookEvent {
    const parsed = eventSchema.safeParse(body);
    if (!parsed.success)
      throw new AppError(
        "invalid_input",
        "Intray answers the hooks PreToolUse and PermissionRequest of Claude Code, and no other event.",
      );
    const { data } = parsed;
    const isTool = data.hook_event_name === "PreToolUse";
    const entrypoint = headers.get(ENTRYPOINT_HEADER);
    // Without the header it may be another program, which could take `ask` for leave.
    const whenUndecided = !isTool || !entrypoint ? "deny" : entrypoint === HEADLESS ? "defer" : "ask";
    return {
      call: {
        program: HOOK_PROGRAMS["claude-code"],
        tool: data.tool_name,
        input: data.tool_input,
        cwd: data.cwd ?? null,
        session: data.session_id,
        callId: data.tool_use_id ?? null,
        by: data.agent_type ?? null,
        takesChanges: claudeCode.takesChanges,
      },
      whenUndecided,
      answers: isTool ? beforeTool(whenUndecided) : permission(),
    };
  },
  // `decision` blocks the call, `continue` ends the turn. Each event understands at least one of them.
  refuse: (reason) => ({ continue: false, stopReason: reason, decision: "block", reason }),
};

function beforeTool(whenUndecided: WhenUndecided): Answers {
  const decide = (
    permissionDecision: "allow" | "deny" | "ask" | "defer",
    reason: string,
    more: object = {},
  ) => ({
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision,
      permissionDecisionReason: reason,
      ...more,
    },
  });
  return {
    allow: (allowed) => {
      const context = contextOf(allowed);
      return decide("allow", allowed.reason, {
        ...(allowed.input && { updatedInput: allowed.input }),
        ...(context !== null && { additionalContext: context }),
      });
    },
    deny: (reason) => decide("deny", reason),
    // If nobody is at the terminal, the program takes `ask` as a no.
    undecided: (reason) => decide(whenUndecided, reason),
  };
}

function permission(): Answers {
  const decide = (decision: object) => ({
    hookSpecificOutput: { hookEventName: "PermissionRequest", decision },
  });
  const deny = (message: string) => decide({ behavior: "deny", message });
  return {
    allow: ({ input }) => decide({ behavior: "allow", ...(input && { updatedInput: input }) }),
    deny,
    undecided: deny,
  };
}
