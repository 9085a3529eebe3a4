/** The servers that the seed fills: names without a machine behind them. */
import type pg from "pg";
import { uuidv7 } from "../../lib/ids.ts";

/** Where seeded servers "are": a name that can never be looked up (RFC 2606). It also tells them from real ones. */
export const SEED_URL = "https://seed.invalid/mcp";

export interface Place {
  serverId: string;
  connectionId: string;
  era: string;
}

/** Those whose protocol generation is not the newest, and what each was seen to do. */
const KNOWN: Record<string, { era?: string; traits: object }> = {
  ERP: { traits: { notifies: true } },
  CRM: { era: "2025-11-25", traits: { reissues: true, listsTasks: true } },
  Travel: { era: "2025-11-25", traits: { reissues: true, questionLifetimeMs: 3_600_000, listsTasks: false } },
};
const NAMES = ["ERP", "Procurement", "CRM", "People", "Deploy", "Travel", "Contracts"];

/**
 * Makes what is not there yet; by name. `health`: an inbox to try out says that its servers are not there, a monitor to
 * try out shows servers that are well.
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
