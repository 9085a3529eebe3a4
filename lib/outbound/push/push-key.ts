/** The installation's VAPID key (RFC 8292), made when a member first looks at their devices. */
import { createECDH } from "node:crypto";
import { type Database, Prisma } from "../../base/db/db.ts";
import { uuidv7 } from "../../base/ids.ts";
import type { Seal } from "../../base/seal.ts";

/** Returns the public key. Of two processes that make the key at once, both go on with the one that was kept. */
export async function pushPublicKey(db: Database, seal: Seal): Promise<string> {
  const kept = (await readPublicKey(db)) ?? (await makeKey(db, seal));
  if (kept === null) throw new Error("there is no key for push services");
  return kept;
}

export interface VapidKey {
  publicKey: string;
  privateKey: string;
}

/** Returns the key for an engine; null: no member has looked at their devices yet. */
export async function pushSigningKey(db: Database, seal: Seal): Promise<VapidKey | null> {
  const [row] = await db.gate<{ id: string; public_key: string; sealed_private_key: string }>(
    Prisma.sql`SELECT id, public_key, sealed_private_key FROM gate.push_signing_key()`,
  );
  return row
    ? { publicKey: row.public_key, privateKey: seal.open(placeOf(row.id), row.sealed_private_key) }
    : null;
}

async function makeKey(db: Database, seal: Seal): Promise<string | null> {
  const id = uuidv7();
  const pair = createECDH("prime256v1");
  const publicKey = pair.generateKeys("base64url");
  // Node leaves out leading zeros, with which RFC 7518 wants the 32 bytes filled.
  const privateKey = Buffer.concat([Buffer.alloc(32), pair.getPrivateKey()]).subarray(-32);
  const sealed = seal.seal(placeOf(id), privateKey.toString("base64url"));
  await db.gate(
    Prisma.sql`SELECT 1 AS done FROM gate.keep_push_key(${id}::uuid, ${String(publicKey)}, ${sealed})`,
  );
  return readPublicKey(db);
}

async function readPublicKey(db: Database): Promise<string | null> {
  const [row] = await db.gate<{ key: string | null }>(Prisma.sql`SELECT gate.push_public_key() AS key`);
  return row?.key ?? null;
}

/** As `reseal` names a value that belongs to no organization. */
const placeOf = (id: string) => ({
  organizationId: "user",
  table: "push_key",
  row: id,
  column: "sealed_private_key",
});
