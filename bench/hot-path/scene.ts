/** A database with an organization and tasks that run at simulated servers. */
import pg from "pg";
import { uuidv7 } from "../../lib/base/ids.ts";
import type { Era } from "../../lib/mcp/peer.ts";
import {
  createOrganizationFixture,
  type OrganizationFixture,
} from "../../test/fixtures/organization-fixture.ts";
import { postgresForTests } from "../../test/setup/global-setup.ts";
import { prepareTemplate } from "../../test/setup/postgres.ts";

export interface Scene {
  fixture: OrganizationFixture;
  admin: pg.Client;
  /** Adds running tasks, spread evenly over these servers. Their polls never slow down. */
  addTasks(count: number, urls: string[], era: Era, pollMs: number): Promise<void>;
  close(): Promise<void>;
}

/** An `unchanged_polls` that never leads to slower polls: the bench measures the requested interval. */
const NEVER_SLACKENS = -1_000_000_000;

export async function createScene(): Promise<Scene> {
  const { adminUrl, stop } = await postgresForTests();
  process.env.TEST_DATABASE_ADMIN_URL = adminUrl;
  const dropTemplate = await prepareTemplate(adminUrl);
  const fixture = await createOrganizationFixture(["127.0.0.1"]);
  const admin = new pg.Client({ connectionString: fixture.adminUrl });
  await admin.connect();
  const { organizationId, seal } = fixture;
  let made = 0;

  async function insert(servers: { serverId: string; connectionId: string }[], era: Era, rows: Row[]) {
    await admin.query(
      `INSERT INTO task (organization_id, id, server_id, connection_id, tool, arguments, tool_hints, label, state, watched,
         visibility, requested_by, era, sealed_handle, sealed_session, status_message, poll_interval_ms, started_at)
       SELECT $1, id, server_id, connection_id, 'process_invoice', $7::json, $8::jsonb, 'INV-100', 'working', true,
         'organization', '{"kind":"system","id":null,"name":"Bench"}', $9, handle, session,
         'Waiting for the approval of the invoice', poll_ms, now()
       FROM unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $10::integer[])
         AS n (id, server_id, connection_id, handle, session, poll_ms)`,
      [
        organizationId,
        rows.map(({ id }) => id),
        rows.map(({ place }) => servers[place % servers.length]?.serverId),
        rows.map(({ place }) => servers[place % servers.length]?.connectionId),
        rows.map(({ handle }) => handle),
        rows.map(({ session }) => session),
        JSON.stringify(INVOICE),
        JSON.stringify({ annotations: null, taskSupport: "required", honoursIdempotencyKey: true }),
        era,
        rows.map(({ pollMs }) => pollMs),
      ],
    );
    await admin.query(
      "INSERT INTO task_watch (organization_id, task_id, unchanged_polls) SELECT $1, id, $3 FROM unnest($2::uuid[]) AS n (id)",
      [organizationId, rows.map(({ id }) => id), NEVER_SLACKENS],
    );
  }

  return {
    fixture,
    admin,
    async addTasks(count, urls, era, pollMs) {
      const servers = [];
      for (const url of urls) servers.push(await fixture.addServer(url, era));
      await admin.query("UPDATE server SET era = $1", [era]);
      // One transaction: an engine that saw only the first tasks would not scan for the others, which have no
      // wake-up.
      await admin.query("BEGIN");
      for (let first = 0; first < count; first += 5_000) {
        const rows = Array.from({ length: Math.min(5_000, count - first) }, (_, at): Row => {
          const id = uuidv7();
          const place = made++;
          const sealed = (column: string, text: string) =>
            seal.seal({ organizationId, table: "task", row: id, column }, text);
          const session = {
            id: `bench-session-of-${place}`,
            own: id,
            protocolVersion: era,
            lastEventId: null,
          };
          return {
            id,
            place: first + at,
            pollMs,
            handle: sealed("sealed_handle", `${String(place).padStart(12, "0")}-5a1e-4c55-9d0e-7be1`),
            session: era === "2025-11-25" ? sealed("sealed_session", JSON.stringify(session)) : null,
          };
        });
        await insert(servers, era, rows);
      }
      await admin.query("COMMIT");
      await admin.query("ANALYZE task, task_watch");
    },
    async close() {
      await admin.end();
      await fixture.close();
      await dropTemplate();
      await stop();
      // The next scene has its own Postgres.
      delete process.env.TEST_DATABASE_ADMIN_URL;
    },
  };
}

interface Row {
  id: string;
  /** The number of the task among those added by this scene. */
  place: number;
  pollMs: number;
  handle: string;
  session: string | null;
}

const INVOICE = {
  invoice: {
    invoice_id: "INV-100",
    customer: "ACME Corp",
    lines: [
      { description: "Consulting in October", amount: 1_200, due_date: "2026-12-15" },
      { description: "Travel", amount: 87.4, due_date: "2026-12-15" },
    ],
  },
};
