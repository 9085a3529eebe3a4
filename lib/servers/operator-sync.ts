/** Synchronizes the operator's servers with the operator's file, in all organizations named there. */

import type { Actor } from "../access/access-schema.ts";
import { type Database, Prisma, type Tx } from "../base/db/db.ts";
import { rewatchConnection } from "../base/engine-hints.ts";
import { uuidv7 } from "../base/ids.ts";
import { publishChange } from "../base/live-updates.ts";
import { appendEvents } from "../history/events/event-writes.ts";
import { recordHealth } from "./health.ts";
import { EntryGone, type OperatorServer, type OperatorServers } from "./operator-file.ts";
import { syncRecipes } from "./recipes/recipe-writes.ts";
import { retireServer } from "./server-writes.ts";

/** The result for an entry in an organization. `in_use`: removed, but kept for open tasks. */
export interface SyncedEntry {
  organization: string;
  entry: string;
  outcome: "created" | "updated" | "removed" | "in_use" | "unchanged";
}

export interface SyncReport {
  synced: SyncedEntry[];
  /** Organizations named by an entry that do not exist (yet). */
  unknownOrganizations: { organization: string; entry: string }[];
}

/** Synchronizes all organizations, as the database's owner. Idempotent, and safe to run twice at once. */
export async function syncOperatorServers(db: Database, servers: OperatorServers): Promise<SyncReport> {
  const report: SyncReport = { synced: [], unknownOrganizations: [] };
  const organizations = new Map<string, string>();
  for (const slug of new Set([...servers.values()].flatMap((server) => [...server.organizations]))) {
    const [found] = await db.gate<{ id: string }>(
      Prisma.sql`SELECT id FROM gate.organization_by_slug(${slug})`,
    );
    if (found) organizations.set(slug, found.id);
    else
      for (const { entry } of entriesOf(servers, slug))
        report.unknownOrganizations.push({ organization: slug, entry });
  }
  const having = await db.gate<{ id: string; slug: string }>(
    Prisma.sql`SELECT id, slug FROM gate.organizations_with_operator_servers()`,
  );
  for (const { id, slug } of having) organizations.set(slug, id);
  for (const [slug, organizationId] of organizations) {
    const given = new Map(entriesOf(servers, slug).map((server) => [server.entry, server]));
    const had = await db.withOrganization(organizationId, (tx) => entriesIn(tx));
    for (const entry of new Set([...given.keys(), ...had])) {
      const outcome = await db.withOrganization(organizationId, (tx) =>
        syncEntry(tx, entry, given.get(entry) ?? null),
      );
      report.synced.push({ organization: slug, entry, outcome });
    }
  }
  return report;
}

/** Creates the servers of a new organization. */
export async function giveOperatorServers(tx: Tx, slug: string, servers: OperatorServers): Promise<void> {
  for (const server of entriesOf(servers, slug)) await syncEntry(tx, server.entry, server);
}

const OPERATOR: Actor = { kind: "system", id: null, name: "Operator's file" };

/** `given`: the entry, or null if the organization must not have the server. */
async function syncEntry(
  tx: Tx,
  entry: string,
  given: OperatorServer | null,
): Promise<SyncedEntry["outcome"]> {
  // Runs one sync per entry at a time, so that a second run sees the first one's result.
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${`operator-server ${tx.organizationId} ${entry}`}, 0))`;
  const row = await tx.server.findFirst({
    where: { organizationId: tx.organizationId, operatorEntry: entry, removedAt: null },
    select: { id: true, name: true, url: true, eraSetting: true, healthMessage: true },
  });
  if (given) {
    const { id, outcome } = row
      ? { id: row.id, outcome: await update(tx, row, given) }
      : await create(tx, given);
    const isNew = await syncRecipes(tx, OPERATOR, id, given.recipes);
    return isNew && outcome === "unchanged" ? "updated" : outcome;
  }
  if (!row) return "unchanged";
  if (await retireServer(tx, OPERATOR, row.id)) return "removed";
  await recordHealth(tx, row.id, { state: "unreachable", message: GONE });
  return "in_use";
}

async function create(tx: Tx, given: OperatorServer): Promise<{ id: string; outcome: "created" }> {
  const id = uuidv7();
  const { entry, name, era } = given;
  await tx.server.create({
    data: {
      organizationId: tx.organizationId,
      id,
      operatorEntry: entry,
      name,
      url: shownUrl(given),
      eraSetting: era,
      era: era === "auto" ? null : era,
      authKind: "none",
    },
  });
  await tx.connection.create({ data: { organizationId: tx.organizationId, id: uuidv7(), serverId: id } });
  await publishChange(tx, "server", [id]);
  await appendEvents(tx, [
    {
      type: "server.created",
      actor: OPERATOR,
      data: { serverId: id, name, url: shownUrl(given), era, entry },
    },
  ]);
  return { id, outcome: "created" };
}

async function update(
  tx: Tx,
  row: { id: string; name: string; url: string; eraSetting: string; healthMessage: string | null },
  given: OperatorServer,
): Promise<"updated" | "unchanged"> {
  const { name, era } = given;
  const url = shownUrl(given);
  const isBack = row.healthMessage === GONE;
  if (row.name === name && row.url === url && row.eraSetting === era && !isBack) return "unchanged";
  const speaksAnew = row.url !== url || row.eraSetting !== era;
  await tx.server.updateMany({
    where: { organizationId: tx.organizationId, id: row.id, removedAt: null },
    data: {
      name,
      url,
      eraSetting: era,
      // Probe results belong to the old values.
      ...(speaksAnew && { era: era === "auto" ? null : era }),
      ...(isBack && { healthState: "ok", healthMessage: null, healthCheckedAt: null }),
    },
  });
  const connections = await tx.connection.findMany({
    where: { organizationId: tx.organizationId, serverId: row.id },
    select: { id: true },
  });
  for (const { id } of connections) await rewatchConnection(tx, id);
  await publishChange(tx, "server", [row.id]);
  await appendEvents(tx, [
    { type: "server.updated", actor: OPERATOR, data: { serverId: row.id, name, url, era } },
  ]);
  return "updated";
}

const GONE = new EntryGone().message;

/** Returns the address shown to members: a URL without query (maybe a key), or a command's entry. */
function shownUrl({ entry, endpoint }: OperatorServer): string {
  if (!("url" in endpoint)) return `command:${entry}`;
  const { origin, pathname } = new URL(endpoint.url);
  return origin + pathname;
}

function entriesOf(servers: OperatorServers, slug: string): OperatorServer[] {
  return [...servers.values()].filter((server) => server.organizations.has(slug));
}

async function entriesIn(tx: Tx): Promise<string[]> {
  const rows = await tx.server.findMany({
    where: { organizationId: tx.organizationId, operatorEntry: { not: null }, removedAt: null },
    select: { operatorEntry: true },
  });
  return rows.flatMap((row) => row.operatorEntry ?? []);
}
