/**
 * The call that a person approves, as it would be made: by the arguments that were asked about, or by those that the person wrote
 * (changed-call.ts). Rules may have changed since the call was asked about, and its agent may be gone.
 */
import { z } from "zod";
import { actorSchema } from "../../access/access-schema.ts";
import { actorWords } from "../../access/actor-words.ts";
import { AGENT_REMAINS } from "../../agents/agent-reads.ts";
import { listedTool } from "../../agents/kept-tools.ts";
import type { Tx } from "../../base/db/db.ts";
import { AppError, notFound } from "../../base/errors.ts";
import { judgeCall, judgeProgramsCall } from "../../policy/call-rules/judge-call.ts";
import {
  ROLES_OF_REQUESTER,
  type RolesOfRequester,
  roleOfRequester,
} from "../../policy/call-rules/requester.ts";
import { isRecord } from "../../text/json.ts";
import type { LockedRequest } from "../lock-request.ts";

type Json = Record<string, unknown>;

const record = z.custom<Json>(isRecord);
/** A call that a coding agent's hook asks about. */
const programsSchema = z.object({
  call: z.object({ program: z.string(), tool: z.string(), input: record, isMasked: z.boolean().optional() }),
});

/** Whether parts of the call are masked, so that what is stored of it can't be judged. `args`: the task's. */
export function isMaskedCall(
  { origin, gate }: Pick<LockedRequest, "origin" | "gate">,
  args: unknown,
): boolean {
  return origin === "intray" && gate === null && programsSchema.safeParse(args).data?.call.isMasked === true;
}

/**
 * Refuses the approval of a call that a call rule or the agent's grant now denies, or whose agent is gone: nobody would be told. A rule
 * that asks is met by this approval. A call with masks is judged whole when its program is told (lib/web/hooks). `changed`: the
 * arguments that a person wrote; null: the call is approved as it was asked. Throws
 * `denied_by_rule`.
 */
export async function refuseDeniedCall(
  tx: Tx,
  request: Pick<LockedRequest, "origin" | "taskId" | "gate" | "serverId" | "tool">,
  changed: Json | null,
): Promise<void> {
  if (request.origin !== "intray") return;
  const [task] = await tx.$queryRaw<
    ({
      id: string;
      arguments: unknown;
      annotations: Json | null;
      requestedBy: unknown;
      remains: boolean;
    } & RolesOfRequester)[]
  >`SELECT t.id, t.arguments, t.tool_hints -> 'annotations' AS annotations, t.requested_by AS "requestedBy", ${ROLES_OF_REQUESTER},
      (t.agent_id IS NULL OR EXISTS (SELECT FROM agent_credential a
        WHERE a.organization_id = t.organization_id AND a.id = t.agent_id AND ${AGENT_REMAINS})) AS remains
    FROM task t WHERE t.organization_id = ${tx.organizationId}::uuid AND t.id = ${request.taskId}::uuid`;
  if (!task) throw notFound("request");
  const programs = request.gate === null ? programsSchema.safeParse(task.arguments).data?.call : undefined;
  if (request.gate === null && !programs) return;
  const actor = actorSchema.parse(task.requestedBy);
  if (!task.remains)
    throw new AppError(
      "denied_by_rule",
      `${actorWords(actor, { begins: true })} was revoked, or its member has left.`,
      { extra: { rule: null } },
    );
  const requester = { actor, role: roleOfRequester(task) };
  if (!programs) {
    const { serverId, tool } = request;
    const listed = await listedTool(tx, serverId, tool, task.annotations);
    await judgeCall(tx, requester, {
      serverId,
      tool: listed,
      arguments: changed ?? record.parse(task.arguments),
    });
    return;
  }
  const { program, tool, input } = programs;
  const verdict = await judgeProgramsCall(tx, requester, { program, tool, arguments: changed ?? input });
  if (verdict.before === "deny")
    throw new AppError("denied_by_rule", verdict.words ?? "", { extra: { rule: verdict.rule } });
}
