/**
 * Hooks of Gemini CLI, as version 0.61.0 takes them. A hook is a command, as Codex's is. Gemini CLI makes the call after an
 * answer without a decision, after exit code 1, and when the hook's time is over. It blocks the call after exit code 2, and its model
 * reads why.
 */
import { z } from "zod";
import { FROM_INTRAY, HOOK_PROGRAMS } from "../../agents/hook-programs.ts";
import { AppError } from "../../base/errors.ts";
import { isRecord } from "../../text/json.ts";
import type { Allowed, Answers, HookEvent, Program } from "./program.ts";

const id = z.string().min(1).max(200);

const eventSchema = z.looseObject({
  hook_event_name: z.literal("BeforeTool"),
  session_id: id,
  cwd: z.string().nullish(),
  tool_name: id,
  tool_input: z.custom<Record<string, unknown>>(isRecord),
});

export const geminiCli: Program = {
  shell: "run_shell_command",
  takesChanges: true,
  read(body): HookEvent {
    const { data } = eventSchema.safeParse(body);
    if (!data)
      throw new AppError(
        "invalid_input",
        "Intray answers the hook BeforeTool of Gemini CLI, and no other event.",
      );
    return {
      call: {
        program: HOOK_PROGRAMS["gemini-cli"],
        tool: data.tool_name,
        input: data.tool_input,
        cwd: data.cwd ?? null,
        session: data.session_id,
        // The event has no id of the call, so each is a call of its own.
        callId: null,
        by: null,
        takesChanges: geminiCli.takesChanges,
      },
      whenUndecided: "deny",
      answers: answersTo(data.tool_input),
    };
  },
  // Not an answer: the set-up's command exits with 2.
  refuse: (reason) => ({ refused: reason, decision: "deny", reason }),
};

function answersTo(asked: Record<string, unknown>): Answers {
  const decide = (decision: "allow" | "deny", reason: string, more: object = {}) => ({
    ...{ decision, reason, ...more },
    ...FROM_INTRAY,
  });
  const deny = (reason: string) => decide("deny", reason);
  return {
    allow: ({ reason, comment, input }: Allowed) => {
      const said = comment === null ? reason : `${reason} They said: ${comment}`;
      if (!input) return decide("allow", said);
      // Gemini CLI keeps members that the changed input lacks.
      const left = Object.keys(asked).filter((name) => !Object.hasOwn(input, name));
      if (left.length > 0)
        return deny(
          `${said} Gemini CLI can’t leave out ${left.join(", ")}, so this call was not made. Make this one instead: ${JSON.stringify(input)}`,
        );
      return decide("allow", said, {
        hookSpecificOutput: { hookEventName: "BeforeTool", tool_input: input },
      });
    },
    deny,
    undecided: deny,
  };
}
