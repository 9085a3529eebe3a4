/** The server "Intray", whose tasks are questions that programs put to people. It has no address and is never called. */
import { Prisma, type Tx } from "../base/db/db.ts";
import { uuidv7 } from "../base/ids.ts";

const BUILTIN_NAME = "Intray";
const BUILTIN_URL = "intray:";

const ID = (organizationId: string) => Prisma.sql`builtin_server_id(${organizationId}::uuid)`;

export interface Builtin {
  serverId: string;
  connectionId: string;
}

/** Returns the organization's built-in server, made now if this is the first who needs it. */
export async function builtinServer(tx: Tx): Promise<Builtin> {
  const { organizationId } = tx;
  const known = await find(tx);
  if (known) return known;
  // Of two at once the second waits here, and then finds what the first has made.
  await tx.$executeRaw`INSERT INTO server (organization_id, id, name, url, era_setting, auth_kind, builtin)
    VALUES (${organizationId}::uuid, ${ID(organizationId)}, ${BUILTIN_NAME}, ${BUILTIN_URL}, 'auto', 'none', true)
    ON CONFLICT (organization_id, id) DO NOTHING`;
  await tx.$executeRaw`INSERT INTO connection (organization_id, id, server_id)
    VALUES (${organizationId}::uuid, ${uuidv7()}::uuid, ${ID(organizationId)})
    ON CONFLICT (organization_id, server_id) WHERE user_id IS NULL DO NOTHING`;
  const made = await find(tx);
  if (!made) throw new Error("the built-in server was not made");
  return made;
}

async function find(tx: Tx): Promise<Builtin | null> {
  const [row] = await tx.$queryRaw<Builtin[]>`SELECT s.id AS "serverId", c.id AS "connectionId"
    FROM server s JOIN connection c ON c.organization_id = s.organization_id AND c.server_id = s.id AND c.user_id IS NULL
    WHERE s.organization_id = ${tx.organizationId}::uuid AND s.id = ${ID(tx.organizationId)}`;
  return row ?? null;
}
