/**
 * Hooks of GitHub Copilot CLI, as version 1.0.102 takes them. A hook is a command, as Codex's is. Copilot CLI blocks the call
 * after any exit code but 0. It makes the call after an answer without a decision, and when the hook's time is over.
 */
import { z } from "zod";
import { FROM_INTRAY, HOOK_PROGRAMS } from "../../agents/hook-programs.ts";
import { AppError } from "../../base/errors.ts";
import { isRecord } from "../../text/json.ts";
import type { Allowed, Answers, HookEvent, Program } from "./program.ts";

const id = z.string().min(1).max(200);

/** The event does not name itself: `preToolUse` is the one with a tool and without a result. */
const eventSchema = z.looseObject({
  sessionId: id,
  cwd: z.string().nullish(),
  toolName: id,
  toolArgs: z.unknown(),
  toolResult: z.undefined().optional(),
  agentType: z.string().nullish(),
});

export const copilot: Program = {
  shell: "bash",
  takesChanges: true,
  read(body): HookEvent {
    const { data } = eventSchema.safeParse(body);
    if (!data)
      throw new AppError(
        "invalid_input",
        "Intray answers the hook preToolUse of Copilot CLI, and no other event.",
      );
    return {
      call: {
        program: HOOK_PROGRAMS.copilot,
        tool: data.toolName,
        input: isRecord(data.toolArgs) ? data.toolArgs : { input: data.toolArgs ?? null },
        cwd: data.cwd ?? null,
        session: data.sessionId,
        // The event has no id of the call, so each is a call of its own.
        callId: null,
        by: data.agentType ?? null,
        takesChanges: isRecord(data.toolArgs),
      },
      whenUndecided: "deny",
      answers,
    };
  },
  // After exit code 2 nobody would read the reason. The rest denies a `permissionRequest`.
  refuse: (reason) => decide("deny", reason, { behavior: "deny", message: reason }),
};

const decide = (permissionDecision: "allow" | "deny", reason: string, more: object = {}) => ({
  ...{ permissionDecision, permissionDecisionReason: reason, ...more },
  ...FROM_INTRAY,
});
const deny = (reason: string) => decide("deny", reason);
const answers: Answers = {
  allow: ({ reason, comment, input }: Allowed) =>
    decide(
      "allow",
      comment === null ? reason : `${reason} They said: ${comment}`,
      input ? { modifiedArgs: input } : {},
    ),
  deny,
  undecided: deny,
};
