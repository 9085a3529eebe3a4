/** What the tests of windows share: triggers that sleep or fail, commits whose reply is lost, and what became of a question. */
import { onTestFinished, vi } from "vitest";
import { OutcomeUnknown } from "../../lib/base/db/database-errors.ts";
import { GroupCommit } from "../../lib/engine/db/group-commit.ts";
import { withClient } from "../../scripts/database/roles.ts";
import { type OrganizationFixture, until } from "../fixtures/organization-fixture.ts";

let made = 0;

/** A trigger that counts in a sequence (which outlives a rollback), then sleeps or raises. Gone at the end of the test. */
export async function trigger(
  fixture: OrganizationFixture,
  {
    when,
    on,
    body,
    timing = "BEFORE",
  }: { timing?: "BEFORE" | "AFTER"; on: string; when: string; body: string },
) {
  const name = `window_${++made}`;
  await withClient(fixture.adminUrl, (client) =>
    client.query(`CREATE SEQUENCE ${name}_calls;
      GRANT USAGE ON SEQUENCE ${name}_calls TO PUBLIC;
      CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE calls bigint := nextval('${name}_calls');
      BEGIN
        ${body}
        RETURN NEW;
      END $$;
      CREATE TRIGGER ${name} ${timing} ${on} FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION ${name}()`),
  );
  const drop = () =>
    withClient(fixture.adminUrl, (client) =>
      client.query(`DROP FUNCTION IF EXISTS ${name} CASCADE; DROP SEQUENCE IF EXISTS ${name}_calls`),
    );
  onTestFinished(async () => void (await drop()));
  const calls = () =>
    withClient(fixture.adminUrl, async (client) => {
      const { rows } = await client.query<{ n: string; was: boolean }>(
        `SELECT last_value AS n, is_called AS was FROM ${name}_calls`,
      );
      return rows[0]!.was ? Number(rows[0]!.n) : 0;
    });
  return { drop, calls, called: () => until("the trigger ran", async () => (await calls()) > 0) };
}

export const SLEEP = (seconds = 2) => `PERFORM pg_sleep(${seconds});`;
/** As a statement that took too long: the database counts as away for a moment. */
export const FAIL_ONCE = `IF calls = 1 THEN RAISE EXCEPTION 'not now' USING ERRCODE = '57014'; END IF;`;
export const FAIL = `RAISE EXCEPTION 'not now';`;

/** Loses the reply of one commit that was stored: the first after which `is` holds. `times`: how often it was lost. */
export function loseReplyWhen(is: (taskId: string | null) => Promise<boolean>) {
  const lost = { times: 0 };
  const run = GroupCommit.prototype.run;
  vi.spyOn(GroupCommit.prototype, "run").mockImplementation(async function (this: GroupCommit, org, change) {
    const result = await run.call(this, org, change);
    if (lost.times === 0 && (await is(change.taskId))) {
      lost.times++;
      throw new OutcomeUnknown(new Error("Connection terminated"));
    }
    return result;
  } as typeof run);
  return lost;
}

/** Waits until the engine has dealt with the last message of the connection's streams, or noted that nobody knows whose it is. */
export function judged(fixture: OrganizationFixture, connectionId: string) {
  return until("the question was judged", () =>
    withClient(fixture.adminUrl, async (client) => {
      const { rows } = await client.query<{ handled: boolean; candidates: string[]; task: string | null }>(
        `SELECT handled_at IS NOT NULL AS handled, candidates, task_id AS task FROM stream_message
          WHERE connection_id = $1 AND kind = 'elicitation' ORDER BY received_at DESC, id DESC LIMIT 1`,
        [connectionId],
      );
      const [row] = rows;
      return row && (row.handled || row.candidates.length > 0) && row;
    }),
  );
}
export const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
