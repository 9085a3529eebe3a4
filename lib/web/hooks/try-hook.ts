/** A person tries an agent's hook from its page: a harmless call takes the way of the program's own calls. Nothing runs. */
import { randomUUID } from "node:crypto";
import type { TriedHook } from "../../agents/agent-schema.ts";
import { HOOK_PROGRAMS, type HookProgram } from "../../agents/hook-programs.ts";
import { notFound } from "../../base/errors.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import { type AskedCall, decideOrAsk } from "../../lifecycle/program-calls/program-call-writes.ts";
import { agentAsCaller } from "../auth/agent.ts";
import type { Caller } from "../auth/authenticate.ts";
import { within } from "../tenant.ts";
import { TRIED_HOOK_OPEN_MS } from "../tunables.ts";
import { PROGRAMS } from "./programs.ts";

/** A call of the program's shell. The command says on the card that nothing runs. */
function callOf(program: HookProgram): AskedCall {
  const { shell, takesChanges } = PROGRAMS[program];
  return {
    program: HOOK_PROGRAMS[program],
    tool: shell,
    input: { command: 'echo "A try of the hook. Nothing runs, whatever you decide."' },
    cwd: null,
    session: "try-it",
    // Each try asks again.
    callId: randomUUID(),
    by: null,
    takesChanges,
  };
}

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
  const call = callOf(program);
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
