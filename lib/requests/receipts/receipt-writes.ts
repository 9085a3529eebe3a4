/** All writes to the keys of receipts, and signing with the one in force (docs/decisions/070). */
import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { CompactSign } from "jose";
import { type Database, Prisma } from "../../base/db/db.ts";
import { uuidv7 } from "../../base/ids.ts";
import type { Seal } from "../../base/seal.ts";
import { canonicalJson } from "../../mcp/forms/jcs.ts";
import { type PublicKey, RECEIPT_ALGORITHM, RECEIPT_TYPE, type Receipt } from "./receipt-schema.ts";

/** Returns the receipt as JWS in its compact form. The same receipt under the same key is the same text. */
export async function signReceipt(db: Database, seal: Seal, receipt: Receipt): Promise<string> {
  const { kid, pem } = (await readKey(db, seal)) ?? (await makeKey(db, seal));
  return new CompactSign(Buffer.from(canonicalJson(receipt)))
    .setProtectedHeader({ alg: RECEIPT_ALGORITHM, kid, typ: RECEIPT_TYPE })
    .sign(createPrivateKey(pem));
}

/** Puts a new key in the place of the current one, whose private half is deleted. Returns the new one's id. */
export async function rotateReceiptKey(db: Database, seal: Seal): Promise<string> {
  const made = newKey(seal);
  await db.gate(Prisma.sql`SELECT 1 AS done FROM gate.replace_receipt_key(${made.kid}::uuid,
    ${JSON.stringify(made.publicKey)}::jsonb, ${made.sealed})`);
  return made.kid;
}

/** Of two processes that make the first key at once, both go on with the one that was kept. */
async function makeKey(db: Database, seal: Seal): Promise<SigningKey> {
  const made = newKey(seal);
  await db.gate(Prisma.sql`SELECT 1 AS done FROM gate.keep_receipt_key(${made.kid}::uuid,
    ${JSON.stringify(made.publicKey)}::jsonb, ${made.sealed})`);
  const kept = await readKey(db, seal);
  if (!kept) throw new Error("there is no key to sign receipts with");
  return kept;
}

interface SigningKey {
  kid: string;
  pem: string;
}

async function readKey(db: Database, seal: Seal): Promise<SigningKey | null> {
  const [row] = await db.gate<{ kid: string; sealed_private_key: string }>(
    Prisma.sql`SELECT kid, sealed_private_key FROM gate.receipt_signing_key()`,
  );
  return row ? { kid: row.kid, pem: seal.open(placeOf(row.kid), row.sealed_private_key) } : null;
}

function newKey(seal: Seal): { kid: string; publicKey: PublicKey; sealed: string } {
  const kid = uuidv7();
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const { x = "" } = publicKey.export({ format: "jwk" });
  return {
    kid,
    publicKey: { kty: "OKP", crv: "Ed25519", x, kid, use: "sig", alg: RECEIPT_ALGORITHM },
    sealed: seal.seal(placeOf(kid), String(privateKey.export({ format: "pem", type: "pkcs8" }))),
  };
}

/** As `reseal` names a value that belongs to no organization. */
const placeOf = (kid: string) => ({
  organizationId: "user",
  table: "receipt_key",
  row: kid,
  column: "sealed_private_key",
});
