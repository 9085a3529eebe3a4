import { actorSchema } from "../access/schema.ts";
import type { Tx } from "../base/db/db.ts";
import { type CallRule, type CallRules, callRulesSchema } from "./schema.ts";

/** Stored rules, parsed before use: without them nothing is judged, and no call is made. */
const storedRules = callRulesSchema.shape.rules;

export async function readCallRules(organizationId: string, tx: Tx): Promise<CallRules> {
  const row = await tx.callRuleVersion.findFirst({
    where: { organizationId },
    orderBy: { version: "desc" },
  });
  if (!row) return { version: 0, rules: [], changedAt: null, changedBy: null };
  return {
    version: row.version,
    rules: storedRules.parse(row.rules),
    changedAt: row.madeAt.toISOString(),
    changedBy: actorSchema.parse(row.madeBy),
  };
}

/** The rules in force, and the name of the server that a call goes to; one statement, since each start reads them. */
export async function readRulesFor(
  organizationId: string,
  tx: Tx,
  serverId: string,
): Promise<{ version: number; rules: CallRule[]; serverName: string }> {
  const [row] = await tx.$queryRaw<{ serverName: string; version: number | null; rules: unknown }[]>`
    SELECT s.name AS "serverName", current.version, current.rules FROM server s
      LEFT JOIN LATERAL (SELECT v.version, v.rules FROM call_rule_version v
        WHERE v.organization_id = s.organization_id ORDER BY v.version DESC LIMIT 1) current ON true
    WHERE s.organization_id = ${organizationId}::uuid AND s.id = ${serverId}::uuid`;
  if (!row) throw new Error("a call to a server that is not there is judged");
  const { serverName, version } = row;
  return { serverName, version: version ?? 0, rules: version === null ? [] : storedRules.parse(row.rules) };
}

/** Ids of the organization's servers. */
export async function listServerIds(organizationId: string, tx: Tx): Promise<Set<string>> {
  const rows = await tx.server.findMany({
    where: { organizationId, removedAt: null },
    select: { id: true },
  });
  return new Set(rows.map(({ id }) => id));
}
