/** All writers of servers and their health lock in one order, without deadlocks. */
import { beforeAll, expect, test } from "vitest";
import { until } from "../../test/fixtures/organization-fixture.ts";
import { organizationForFile } from "../../test/fixtures/organization-for-file.ts";
import { insertServer } from "../../test/fixtures/rows.ts";
import type { Principal } from "../access/principal.ts";
import type { Database, Tx } from "../base/db/db.ts";
import { AppError } from "../base/errors.ts";
import { uuidv7 } from "../base/ids.ts";
import { FENCE, fence } from "../engine/db/fence.ts";
import { adoptFoundTask } from "../lifecycle/found-tasks/adopt.ts";
import { saveGrant } from "./connections/connection-writes.ts";
import { noteSignedOut, recordHealth } from "./health.ts";
import { removeServer, updateServer } from "./server-writes.ts";

const fixture = organizationForFile([]);
let admin: Principal & { userId: string };
beforeAll(async () => {
  admin = { ...(fixture.operator as typeof admin), role: "admin" };
});

const signIn = (tx: Tx, server: { id: string }) =>
  saveGrant(tx, admin, fixture.seal, {
    server: { id: server.id, name: "Finance" },
    shared: true,
    issuer: "https://as.test.example",
    metadata: METADATA,
    resource: "https://mcp.test.example/mcp",
    clientId: "client",
    scope: null,
    tokens: { accessToken: "a", refreshToken: null, expiresInMs: null, scope: null },
  });
const METADATA = {
  issuer: "https://as.test.example",
  authorization_endpoint: "https://as.test.example/authorize",
  token_endpoint: "https://as.test.example/token",
  response_types_supported: ["code"],
};

/** An engine, which locks the connection's row and then writes the server's health. */
const engine = {
  hold: (tx: Tx, server: { connectionId: string }) => fence(tx, [server.connectionId], FENCE.own),
  write: (tx: Tx, server: { id: string }) =>
    recordHealth(tx, server.id, { state: "failing", message: "It fails." }),
};
/** A rejected renewal, which marks the grant and then writes the server's health. */
const renewal = {
  hold: (tx: Tx, server: { connectionId: string }) => tx.$executeRaw`
    UPDATE oauth_grant SET state = 'needs_reauth' WHERE organization_id = ${fixture.organizationId}::uuid
      AND connection_id = ${server.connectionId}::uuid`,
  write: (tx: Tx, server: { id: string }) => noteSignedOut(tx, server.id),
};
const people: Record<string, (tx: Tx, server: { id: string }) => Promise<unknown>> = {
  "somebody signs in": signIn,
  "an admin changes its credentials": (tx: Tx, { id }: { id: string }) =>
    updateServer(tx, admin, fixture.seal, id, { auth: { kind: "none" } }),
  "an admin removes it": (tx: Tx, { id }: { id: string }) => removeServer(tx, admin, fixture.seal, id),
  "somebody adopts a task that is gone": (tx: Tx, { id }: { id: string }) =>
    adoptFoundTask(tx, admin, fixture.seal, { serverId: id, foundId: uuidv7() }, {}).catch(
      (error: unknown) => {
        if (!(error instanceof AppError)) throw error;
      },
    ),
};

for (const [what, act] of Object.entries(people))
  for (const [who, { hold, write }] of Object.entries({ engine, renewal }))
    test(`${what} while the ${who} is about to write how the server is: one after the other`, async () => {
      const { organizationId, database } = fixture;
      const server = await insertServer(database, organizationId, { name: `${uuidv7()}` });
      await database.withOrganization(organizationId, async (tx) => {
        await signIn(tx, server);
        await tx.server.updateMany({ where: { organizationId, id: server.id }, data: { authKind: "oauth" } });
      });
      // Who was in a circle is begun again.
      let tries = 0;
      let acted: Promise<unknown> | undefined;
      let isDone = false;
      await database.withOrganization(organizationId, async (tx) => {
        tries++;
        await hold(tx, server);
        acted ??= database
          .withOrganization(organizationId, (other) => {
            tries++;
            return act(other, server);
          })
          .finally(() => {
            isDone = true;
          });
        await until("the other one waits, or need not", async () => isDone || (await waits(database)));
        await write(tx, server);
      });
      await acted;
      expect(tries).toBe(2);
    });

async function waits(database: Database): Promise<boolean> {
  const rows = await database.withOrganization(
    fixture.organizationId,
    (tx) => tx.$queryRaw<unknown[]>`SELECT FROM pg_locks WHERE NOT granted
      AND pid IN (SELECT pid FROM pg_stat_activity WHERE datname = current_database())`,
  );
  return rows.length > 0;
}
