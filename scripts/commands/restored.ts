import { type Database, Prisma, type Tx } from "../../lib/base/db/db.ts";
import { COMMAND_LINE } from "../../lib/people/organizations/organization-writes.ts";
import { pauseEveryServer } from "../../lib/servers/pause.ts";
import { read } from "./usage.ts";
import { withOwnerDatabase } from "./with-database.ts";

const REASON = "Restored from a backup: look at what the server has before this goes on.";

interface Waiting {
  server: string;
  queued: number;
  starting: number;
  answers: number;
  open: number;
}

/**
 * Pauses every server of every organization after a restore, before an engine starts. Otherwise engines would repeat what they
 * sent after the backup. Returns a line for each server with open tasks: its starts and answers that are not sent yet. A paused
 * server gets this reason. The command can be repeated.
 */
export async function restoredCommand(args: string[]): Promise<string> {
  read(args, []);
  return withOwnerDatabase(async (db) => {
    const organizations = await db.gate<{ id: string; slug: string }>(
      Prisma.sql`SELECT id, slug FROM gate.all_organizations()`,
    );
    const lines: string[] = [];
    for (const { id, slug } of organizations)
      for (const line of await pauseAll(db, id)) lines.push(`${slug} ${line}`);
    return lines.join("\n");
  });
}

async function pauseAll(db: Database, organizationId: string): Promise<string[]> {
  await pauseEveryServer(db, organizationId, COMMAND_LINE, REASON);
  const waiting = await db.withOrganization(organizationId, whatWaits);
  return waiting.map(
    ({ server, queued, starting, answers, open }) =>
      `"${server}": ${open} open tasks, of these ${queued} not started and ${starting} with a start under way; ${answers} answers to deliver`,
  );
}

function whatWaits(tx: Tx): Promise<Waiting[]> {
  return tx.$queryRaw<Waiting[]>`
    SELECT s.name AS server, count(*)::int AS open,
      count(*) FILTER (WHERE t.state = 'queued')::int AS queued,
      count(*) FILTER (WHERE t.state = 'starting')::int AS starting,
      (SELECT count(*)::int FROM delivery d JOIN task of ON of.organization_id = d.organization_id AND of.id = d.task_id
        WHERE d.organization_id = s.organization_id AND of.server_id = s.id
          AND d.state IN ('held', 'pending', 'sending')) AS answers
    FROM server s JOIN task t ON t.organization_id = s.organization_id AND t.server_id = s.id AND t.watched
    WHERE s.organization_id = ${tx.organizationId}::uuid
    GROUP BY s.organization_id, s.id, s.name ORDER BY s.name`;
}
