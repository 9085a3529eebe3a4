/** Reads approvals for a while. The principal sees those whose original call they may see. */
import { z } from "zod";
import { actorSchema } from "../../access/access-schema.ts";
import type { Principal } from "../../access/principal.ts";
import { AGENT_IN_FORCE } from "../../agents/agent-reads.ts";
import { keptTools } from "../../agents/kept-tools.ts";
import { openingWhatOpens } from "../../base/content/content-keys.ts";
import { readPosition, toPage } from "../../base/cursor.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import type { Page } from "../../base/page.ts";
import { iso } from "../../tasks/task-row.ts";
import { visibleTask } from "../../tasks/visibility.ts";
import {
  type StandingApproval,
  type StandingQuery,
  standingApprovalSchema,
} from "./standing-approval-schema.ts";

/**
 * SQL: whether calls like that of the task `t`, asked about by the request `r`, are approved for a while by admins alone. A tool that
 * says nothing of itself may destroy something, by MCP's defaults.
 */
export const NEEDS_ADMIN = Prisma.sql`('destructive' = ANY (r.warnings)
  OR coalesce(t.tool_hints -> 'annotations' ->> 'readOnlyHint', 'false') <> 'true'
    AND coalesce(t.tool_hints -> 'annotations' ->> 'destructiveHint', 'true') <> 'false')`;

/**
 * SQL: why no call of the agent `g` can pass by the approval `s`, as passByStandingApproval() of standing-approval-writes.ts and the
 * endpoint judge calls; null: for none of these reasons. `v` is its server, `t` the task of the call that was approved.
 */
const UNUSABLE = Prisma.sql`CASE WHEN t.gate NOT IN ('waiting', 'approved') THEN 'call_not_made'
  WHEN g.revoked_at IS NOT NULL THEN 'agent_revoked'
  WHEN NOT EXISTS (SELECT FROM agent_credential a WHERE a.organization_id = s.organization_id AND a.id = s.agent_id AND ${AGENT_IN_FORCE})
    THEN 'agent_ended'
  WHEN v.removed_at IS NOT NULL OR NOT EXISTS (SELECT FROM agent_grant its WHERE its.organization_id = s.organization_id
    AND its.agent_id = s.agent_id AND its.server_id = s.server_id AND (its.tool IS NULL OR its.tool = s.tool)) THEN 'not_granted'
  WHEN (SELECT o.four_eyes FROM organization o WHERE o.id = s.organization_id)
    AND same_maker(s.organization_id, coalesce(g.user_id, g.created_by, s.organization_id), s.user_id) THEN 'second_person' END`;

interface Row {
  id: string;
  state: string;
  unusable: string | null;
  /** Of the tool, when the call was approved. */
  toolDigest: string | null;
  agentId: string;
  agentName: string;
  serverId: string;
  serverName: string;
  tool: string;
  arguments: unknown;
  except: string[];
  mostAmount: number | null;
  by: unknown;
  comment: string | null;
  inputRequestId: string;
  createdAt: Date;
  expiresAt: Date;
  uses: number;
  mostUses: number | null;
  revokedAt: Date | null;
  revokedBy: unknown;
}

/** Newest first. */
export async function listStandingApprovals(
  tx: Tx,
  principal: Principal,
  { agentId, limit, cursor }: StandingQuery,
): Promise<Page<StandingApproval>> {
  const after = readPosition(cursor);
  const rows = await openingWhatOpens(tx, "blank").$queryRaw<Row[]>`
    SELECT s.id, CASE WHEN s.revoked_at IS NOT NULL THEN 'revoked' WHEN s.expires_at <= now() THEN 'expired'
        WHEN s.ended_at IS NOT NULL THEN 'ended' WHEN s.uses >= s.most_uses THEN 'used_up'
        WHEN t.gate = 'waiting' THEN 'pending' ELSE 'active' END AS state,
      ${UNUSABLE} AS unusable, t.gate_tool_digest AS "toolDigest",
      s.agent_id AS "agentId", g.name AS "agentName", s.server_id AS "serverId", v.name AS "serverName", s.tool,
      t.id AS "taskId", t.arguments, s.except_names AS except, s.most_amount AS "mostAmount", s.made_by AS by,
      a.id AS "answerId", a.comment, s.input_request_id AS "inputRequestId", s.created_at AS "createdAt", s.expires_at AS "expiresAt",
      s.uses, s.most_uses AS "mostUses", s.revoked_at AS "revokedAt", s.revoked_by AS "revokedBy"
    FROM standing_approval s
      JOIN answer a ON a.organization_id = s.organization_id AND a.id = s.answer_id AND a.withdrawn_at IS NULL
      JOIN task t ON t.organization_id = s.organization_id AND t.id = s.task_id
      JOIN agent_credential g ON g.organization_id = s.organization_id AND g.id = s.agent_id
      JOIN server v ON v.organization_id = s.organization_id AND v.id = s.server_id
    WHERE s.organization_id = ${tx.organizationId}::uuid AND ${visibleTask(principal)}
      ${agentId === undefined ? Prisma.empty : Prisma.sql`AND s.agent_id = ${agentId}::uuid`}
      ${after === null ? Prisma.empty : Prisma.sql`AND (s.created_at, s.id) < (${after.createdAt}, ${after.id}::uuid)`}
    ORDER BY s.created_at DESC, s.id DESC LIMIT ${limit + 1}`;
  const changed = await changedAmong(
    tx,
    rows.filter(({ state }) => state === "active"),
  );
  return toPage(
    rows,
    limit,
    ({ createdAt, id }) => ({ createdAt, id }),
    (row) =>
      toStanding(
        row,
        row.state === "active" ? (row.unusable ?? (changed.has(row.id) ? "tool_changed" : null)) : null,
      ),
  );
}

/** The ids of those whose tool is not what it was when the call was approved. One list of tools is held at a time: each may be long. */
async function changedAmong(tx: Tx, rows: Row[]): Promise<Set<string>> {
  const changed = new Set<string>();
  for (const [id, own] of Map.groupBy(rows, ({ serverId }) => serverId)) {
    const listed = (await keptTools(tx, [{ id, checkedAt: null }])).get(id);
    for (const { id: approvalId, tool, toolDigest } of own)
      if (toolDigest === null || listed?.get(tool)?.digest !== toolDigest) changed.add(approvalId);
  }
  return changed;
}

function toStanding(row: Row, unusable: string | null): StandingApproval {
  const { state, unusable: why } = standingApprovalSchema.shape;
  return {
    id: row.id,
    state: state.parse(unusable === null ? row.state : "unusable"),
    unusable: why.parse(unusable),
    agent: { id: row.agentId, name: row.agentName },
    server: { id: row.serverId, name: row.serverName },
    tool: row.tool,
    arguments: z.record(z.string(), z.unknown()).parse(row.arguments ?? {}),
    except: row.except,
    mostAmount: row.mostAmount,
    by: actorSchema.parse(row.by),
    comment: row.comment,
    inputRequestId: row.inputRequestId,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    uses: row.uses,
    mostUses: row.mostUses,
    revokedAt: iso(row.revokedAt),
    revokedBy: actorSchema.nullable().parse(row.revokedBy),
  };
}
