/** Derives metrics from history lines, each of which is read once by one engine. */
import { Prisma, type Tx } from "../../base/db/db.ts";
import type { FollowedEvent } from "../events/follow.ts";
import { deliveries, events, RESULTS, timeToDecision } from "./engine.ts";

/** Facts about a line's request that the line itself lacks. */
export interface RequestFacts {
  openedAt: Date;
  /** The delivery method of the request's last answer; null if no delivery has begun. */
  rung: string | null;
}

export async function requestsOf(tx: Tx, lines: FollowedEvent[]): Promise<Map<string, RequestFacts>> {
  const about = lines.filter(({ type }) => type === "answer.recorded" || type in RESULTS);
  const ids = [...new Set(about.flatMap(({ inputRequestId }) => inputRequestId ?? []))];
  if (ids.length === 0) return new Map();
  const rows = await tx.$queryRaw<(RequestFacts & { id: string })[]>(Prisma.sql`
    SELECT r.id, r.created_at AS "openedAt", (SELECT d.rung FROM delivery d WHERE d.organization_id = r.organization_id
      AND d.input_request_id = r.id ORDER BY d.id DESC LIMIT 1) AS rung
    FROM input_request r WHERE r.organization_id = ${tx.organizationId}::uuid AND r.id = ANY(${ids}::uuid[])`);
  return new Map(rows.map(({ id, ...facts }) => [id, facts]));
}

/** Counts lines that are committed as read. */
export function countLines(lines: FollowedEvent[], requests: Map<string, RequestFacts>): void {
  for (const { type, at, inputRequestId, data } of lines) {
    events.inc({ type });
    const request = requests.get(inputRequestId ?? "");
    if (!request) continue;
    const result = RESULTS[type];
    if (result) deliveries.inc({ rung: request.rung ?? "none", result });
    const action = String(data.action);
    if (type === "answer.recorded" && ACTIONS.has(action))
      timeToDecision.observe({ action }, (at.getTime() - request.openedAt.getTime()) / 1000);
  }
}

const ACTIONS = new Set(["accept", "decline", "cancel"]);
