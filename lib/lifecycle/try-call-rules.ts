/** Tries rules on the calls that were made last, before they are saved. */
import { setImmediate as otherCalls } from "node:timers/promises";
import { actorSchema, roleSchema } from "../access/access-schema.ts";
import type { Principal } from "../access/principal.ts";
import { Prisma, type Tx } from "../base/db/db.ts";
import { AppError } from "../base/errors.ts";
import { listedServers, readCallRules } from "../policy/call-rules/call-rule-reads.ts";
import type { CallRulesInput, TriedCalls } from "../policy/call-rules/call-rule-schema.ts";
import { problemsOf } from "../policy/call-rules/call-rule-writes.ts";
import { judge } from "../policy/call-rules/judge.ts";
import { oddNames } from "../policy/call-rules/names.ts";
import { visibleTask } from "../tasks/visibility.ts";

/** Calls that are tried. */
const CALLS = 100;
/** Calls with larger arguments are not tried: all of them are read into memory at once. */
const ARGUMENT_BYTES = 64 * 1024;

/**
 * Judges the latest calls that the principal may see by these rules, each as if it were made again now; other calls of
 * the process come in between. `within` opens a transaction. Throws `invalid_input` as `saveCallRules`.
 */
export async function tryCallRules(
  principal: Principal,
  { rules }: CallRulesInput,
  within: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>,
): Promise<TriedCalls> {
  const { current, servers, calls } = await within(async (tx) => ({
    current: await readCallRules(tx),
    servers: await listedServers(tx),
    calls: await latestCalls(tx, principal),
  }));
  const errors = problemsOf(rules, current.rules, servers);
  if (errors.length > 0) throw new AppError("invalid_input", "Some rules are not valid.", { errors });
  const version = current.version + 1;
  const now = new Date();
  const tried: TriedCalls["calls"] = [];
  for (const call of calls) {
    const requestedBy = actorSchema.parse(call.requestedBy);
    const role = roleSchema.catch("operator").parse(call.role);
    const verdict = judge(
      { version, rules },
      {
        server: { id: call.serverId, name: call.serverName },
        tool: { name: call.tool, title: null, annotations: call.annotations },
        arguments: call.arguments,
        requester: { actor: requestedBy, role },
        now,
      },
      null,
    );
    tried.push({
      taskId: call.taskId,
      serverName: call.serverName,
      tool: call.tool,
      label: call.label,
      createdAt: call.createdAt.toISOString(),
      requestedBy,
      verdict,
    });
    await otherCalls();
  }
  return { warnings: oddNames(rules, servers).unknown, calls: tried };
}

interface MadeCall {
  taskId: string;
  serverId: string;
  serverName: string;
  tool: string;
  label: string | null;
  createdAt: Date;
  requestedBy: unknown;
  /** Of a member as it is now; null: they left, or it was no member. */
  role: string | null;
  annotations: Record<string, unknown> | null;
  arguments: Record<string, unknown>;
}

/** Retries repeat a call that is listed, and adopted tasks were no calls of Intray's. */
function latestCalls(tx: Tx, principal: Principal): Promise<MadeCall[]> {
  return tx.$queryRaw<MadeCall[]>(Prisma.sql`
    WITH latest AS (
      SELECT t.id FROM task t
      WHERE t.organization_id = ${tx.organizationId}::uuid AND NOT t.adopted AND t.attempt = 1 AND ${visibleTask(principal)}
      ORDER BY t.created_at DESC LIMIT ${CALLS})
    SELECT t.id AS "taskId", t.server_id AS "serverId", s.name AS "serverName", t.tool, t.label,
      t.created_at AS "createdAt", t.requested_by AS "requestedBy", m.role, t.tool_hints -> 'annotations' AS annotations,
      t.arguments
    FROM latest JOIN task t ON t.organization_id = ${tx.organizationId}::uuid AND t.id = latest.id
      JOIN server s ON s.organization_id = t.organization_id AND s.id = t.server_id
      LEFT JOIN membership m ON m.organization_id = t.organization_id AND m.user_id = t.requester_user_id
    WHERE octet_length(t.arguments::text) <= ${ARGUMENT_BYTES}
    ORDER BY t.created_at DESC`);
}
