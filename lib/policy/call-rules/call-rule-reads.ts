import { actorSchema } from "../../access/access-schema.ts";
import type { Tx } from "../../base/db/db.ts";
import { type CallRule, type CallRules, callRulesSchema } from "./call-rule-schema.ts";
import { type ListedServer, oddNames } from "./names.ts";

/** Stored rules, parsed before use: without them nothing is judged, and no call is made. */
const storedRules = callRulesSchema.shape.rules;

export async function readCallRules(tx: Tx): Promise<Omit<CallRules, "warnings">> {
  const row = await tx.callRuleVersion.findFirst({
    where: { organizationId: tx.organizationId },
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
  tx: Tx,
  serverId: string,
): Promise<{ version: number; rules: CallRule[]; serverName: string }> {
  const [row] = await tx.$queryRaw<{ serverName: string; version: number | null; rules: unknown }[]>`
    SELECT s.name AS "serverName", current.version, current.rules FROM server s
      LEFT JOIN LATERAL (SELECT v.version, v.rules FROM call_rule_version v
        WHERE v.organization_id = s.organization_id ORDER BY v.version DESC LIMIT 1) current ON true
    WHERE s.organization_id = ${tx.organizationId}::uuid AND s.id = ${serverId}::uuid`;
  if (!row) throw new Error("a call to a server that is not there is judged");
  const { serverName, version } = row;
  return { serverName, version: version ?? 0, rules: version === null ? [] : storedRules.parse(row.rules) };
}

/** The rules in force alone. */
export async function readRulesInForce(tx: Tx): Promise<{ version: number; rules: CallRule[] }> {
  const [row] = await tx.$queryRaw<{ version: number; rules: unknown }[]>`
    SELECT version, rules FROM call_rule_version WHERE organization_id = ${tx.organizationId}::uuid
    ORDER BY version DESC LIMIT 1`;
  return row ? { version: row.version, rules: storedRules.parse(row.rules) } : { version: 0, rules: [] };
}

/** As `readCallRules`, with the names in them that no server and no tool has now. */
export async function showCallRules(tx: Tx): Promise<CallRules> {
  const current = await readCallRules(tx);
  const { unknown, mistaken } = oddNames(current.rules, await listedServers(tx));
  return { ...current, warnings: [...mistaken, ...unknown] };
}

/** The organization's servers, with the names of their tools and recipes as last listed. */
export function listedServers(tx: Tx): Promise<ListedServer[]> {
  return tx.$queryRaw<ListedServer[]>`
    SELECT s.id, s.name, s.tool_prefix AS prefix, ARRAY(
        SELECT t ->> 'name' FROM json_array_elements(CASE json_typeof(s.tools) WHEN 'array' THEN s.tools ELSE '[]' END) t
        UNION SELECT v.name FROM recipe_version v
          WHERE v.organization_id = s.organization_id AND v.server_id = s.id AND v.until IS NULL) AS tools
    FROM server s WHERE s.organization_id = ${tx.organizationId}::uuid AND s.removed_at IS NULL
    ORDER BY s.created_at, s.id`;
}
