/**
 * The plugin that the set-up has for opencode (lib/agents/hook-set-up-words.ts), as version 1.18.33 loads it. The format of events
 * and answers is Intray's own. The plugin throws unless the answer allows the call: opencode then does not make it.
 */
import { z } from "zod";
import { HOOK_PROGRAMS } from "../../agents/hook-programs.ts";
import { AppError } from "../../base/errors.ts";
import { isRecord } from "../../text/json.ts";
import { type Answers, contextOf, type HookEvent, type Program } from "./program.ts";

const id = z.string().min(1).max(200);

const eventSchema = z.strictObject({
  session: id,
  call: id,
  directory: z.string(),
  tool: id,
  args: z.custom<Record<string, unknown>>(isRecord),
});

export const opencode: Program = {
  shell: "bash",
  takesChanges: true,
  read(body): HookEvent {
    const { data } = eventSchema.safeParse(body);
    if (!data)
      throw new AppError(
        "invalid_input",
        "This is no event of Intray’s plugin for opencode. Copy the set-up again.",
      );
    return {
      call: {
        program: HOOK_PROGRAMS.opencode,
        tool: data.tool,
        input: data.args,
        cwd: data.directory,
        session: data.session,
        callId: data.call,
        by: null,
        takesChanges: opencode.takesChanges,
      },
      whenUndecided: "deny",
      answers,
    };
  },
  refuse: (reason) => deny(reason),
};

const deny = (reason: string) => ({ decision: "deny", reason });
const answers: Answers = {
  /** `note`: the plugin adds it to the call's result. */
  allow: (allowed) => {
    const note = contextOf(allowed);
    return {
      decision: "allow",
      reason: allowed.reason,
      ...(allowed.input && { args: allowed.input }),
      ...(note !== null && { note }),
    };
  },
  deny,
  undecided: deny,
};
