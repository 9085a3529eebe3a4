/** The servers that the seed fills: names without a machine behind them. */
import type pg from "pg";
import { uuidv7 } from "../../lib/base/ids.ts";
import { bucketOf, LATENCY_BUCKETS } from "../../lib/servers/call-statistics/call-statistics-schema.ts";

/** The address of seeded servers, which tells them from real ones: a name that never resolves (RFC 2606). */
export const SEED_URL = "https://seed.invalid/mcp";

export interface Place {
  serverId: string;
  connectionId: string;
  era: string;
}

/** Servers of an older protocol revision, and the observed behaviours of each. */
const KNOWN: Record<string, { era?: string; traits: object }> = {
  ERP: { traits: { notifies: true } },
  CRM: { era: "2025-11-25", traits: { reissues: true, listsTasks: true } },
  Travel: { era: "2025-11-25", traits: { reissues: true, questionLifetimeMs: 3_600_000, listsTasks: false } },
};
/** The median duration of a server's calls, in ms, and the share that fails. */
const CALLS: Record<string, { usualMs: number; failing: number }> = {
  ERP: { usualMs: 22, failing: 0.0004 },
  Deploy: { usualMs: 41, failing: 0.001 },
  Travel: { usualMs: 640, failing: 0.009 },
};
const USUAL_CALLS = { usualMs: 60, failing: 0.001 };
const NAMES = ["ERP", "Procurement", "CRM", "People", "Deploy", "Travel", "Contracts"];

/**
 * Writes call statistics as an engine would have, in its steps: five minutes for two days, hours for thirty.
 * Existing steps stay as they are.
 */
export async function writeCalls(
  client: pg.Client,
  organizationId: string,
  places: Map<string, Place>,
): Promise<void> {
  for (const [name, { serverId }] of places) {
    const { usualMs, failing } = CALLS[name] ?? USUAL_CALLS;
    const latency = Array.from({ length: LATENCY_BUCKETS }, (_, bucket) =>
      Math.exp(-((bucket - bucketOf(usualMs)) ** 2) / 4),
    );
    const whole = latency.reduce((sum, share) => sum + share);
    await client.query(
      `INSERT INTO server_stat (organization_id, server_id, minutes, at, calls, failures, latency)
       SELECT $1, $2, minutes, at, calls, ARRAY[failed, 0, 0, 0, 0],
         ARRAY(SELECT round((calls - failed) * share)::integer FROM unnest($3::float8[]) WITH ORDINALITY l(share, n) ORDER BY n)
       FROM (SELECT minutes, at, calls, round(calls * $4::float8 * 2 * random())::integer AS failed FROM (
         SELECT minutes, at, round(minutes * 20 * (1 + sin(extract(epoch FROM at) / 13750)))::integer + minutes AS calls
         FROM (VALUES (5, 2), (60, 30)) kept(minutes, days), LATERAL generate_series(
           date_bin(minutes * interval '1 minute', now() - days * interval '1 day', 'epoch'), now(),
           minutes * interval '1 minute') at) counted) failing
       ON CONFLICT DO NOTHING`,
      [organizationId, serverId, latency.map((share) => share / whole), failing],
    );
  }
}

/**
 * Makes the missing servers; returns all by name. `health`: servers of a seeded inbox are unreachable, those
 * of a seeded monitor healthy.
 */
export async function makeServers(
  client: pg.Client,
  organizationId: string,
  only: string | undefined,
  health: "ok" | "unreachable",
): Promise<Map<string, Place>> {
  const places = new Map<string, Place>();
  for (const name of only ? [only] : NAMES) {
    const era = health === "ok" ? (KNOWN[name]?.era ?? "2026-07-28") : "2026-07-28";
    const known = await client.query<Place>(
      `SELECT s.id AS "serverId", c.id AS "connectionId", s.era FROM server s
       JOIN connection c ON c.organization_id = s.organization_id AND c.server_id = s.id
       WHERE s.organization_id = $1 AND s.name = $2 AND s.url = $3 AND s.removed_at IS NULL`,
      [organizationId, `Seed ${name}`, SEED_URL],
    );
    const place = known.rows[0] ?? { serverId: uuidv7(), connectionId: uuidv7(), era };
    places.set(name, place);
    if (!known.rows[0]) {
      await client.query(
        `INSERT INTO server (organization_id, id, name, url, era_setting, era, auth_kind)
         VALUES ($1, $2, $3, $4, $5, $5, 'none')`,
        [organizationId, place.serverId, `Seed ${name}`, SEED_URL, era],
      );
      await client.query("INSERT INTO connection (organization_id, id, server_id) VALUES ($1, $2, $3)", [
        organizationId,
        place.connectionId,
        place.serverId,
      ]);
    }
    await client.query(
      `UPDATE server SET health_state = $3, health_message = $4, health_checked_at = now(), traits = traits || $5
       WHERE organization_id = $1 AND id = $2`,
      [
        organizationId,
        place.serverId,
        health,
        health === "ok" ? null : "Made by the seed: there is no server behind it.",
        JSON.stringify(health === "ok" ? (KNOWN[name]?.traits ?? {}) : {}),
      ],
    );
  }
  return places;
}
