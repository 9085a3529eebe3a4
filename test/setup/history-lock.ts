/** Holds transactions right before their commit: every write of a step waits last at the head of the history. */
import pg from "pg";
import { type OrganizationFixture, until } from "../fixtures/organization-fixture.ts";

type Held = Pick<OrganizationFixture, "adminUrl" | "organizationId">;

/** Holds the head of the history. Resolves to what lets go. */
export async function holdHistory({ adminUrl, organizationId }: Held): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  await client.query("BEGIN");
  await client.query("SELECT FROM event_head WHERE organization_id = $1 FOR UPDATE", [organizationId]);
  return async () => {
    await client.query("ROLLBACK");
    await client.end();
  };
}

/** Waits until so many transactions wait for a lock. */
export async function waitsForLock({ adminUrl }: Held, count: number): Promise<void> {
  await until("somebody waits for the lock", async () => {
    const client = new pg.Client({ connectionString: adminUrl });
    await client.connect();
    const { rowCount } = await client.query(
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    await client.end();
    return (rowCount ?? 0) >= count;
  });
}
