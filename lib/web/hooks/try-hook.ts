/** A person tries an agent's hook from its page: a harmless call takes the way of the program's own calls. Nothing runs. */
import { randomUUID } from "node:crypto";
import type { HookProgram, TriedHook } from "../../agents/agent-schema.ts";
import { notFound } from "../../base/errors.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import { decideOrAsk } from "../../lifecycle/program-calls/program-call-writes.ts";
import { agentAsCaller } from "../auth/agent.ts";
import type { Caller } from "../auth/authenticate.ts";
import { within } from "../tenant.ts";
import { TRIED_HOOK_OPEN_MS } from "../tunables.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import type { Program } from "./program.ts";

const PROGRAMS: Record<HookProgram, Program> = { "claude-code": claudeCode, codex };

/** What the program would send before it runs a command. The command says on the card that nothing runs. */
const event = () => ({
  hook_event_name: "PreToolUse",
  session_id: "try-it",
  tool_name: "Bash",
  tool_input: { command: 'echo "A try of the hook. Nothing runs, whatever you decide."' },
  // Each try asks again.
  tool_use_id: randomUUID(),
});

/**
 * Returns what became of the call, once that is stored. The history says who tried. Throws `not_found`, `suspended` for an agent
 * whose calls are refused, and as `decideOrAsk`.
 */
export async function tryHook(
  caller: Pick<Caller, "principal">,
  agentId: string,
  program: HookProgram,
): Promise<TriedHook> {
  const agent = await agentAsCaller(caller.principal.organizationId, agentId);
  if (!agent) throw notFound("agent");
  const { call } = PROGRAMS[program].read(event(), new Headers());
  return within(caller, async (tx, { actor, organizationId }) => {
    const expiresAt = new Date(Date.now() + TRIED_HOOK_OPEN_MS);
    const decided = await decideOrAsk(tx, agent.principal, call, expiresAt);
    const data = { agentId, name: agent.agent.name, program: call.program };
    await appendEvents(tx, [{ type: "agent.hook_tried", actor, data }]);
    if (decided.kind !== "asked") return { outcome: decided.kind, reason: decided.reason };
    const { id } = await tx.inputRequest.findFirstOrThrow({
      where: { organizationId, taskId: decided.taskId, origin: "intray" },
      select: { id: true },
    });
    return { outcome: "asked", inputRequestId: id };
  });
}
