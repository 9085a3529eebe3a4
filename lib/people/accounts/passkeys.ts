/**
 * Passkeys (WebAuthn, discoverable, with user verification). A passkey counts as both factors: a thing that
 * the person has, and a way to unlock it. Challenges are rows; the first answer uses one up, right or wrong.
 */
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from "@simplewebauthn/server";
import { decodeAttestationObject } from "@simplewebauthn/server/helpers";
import { z } from "zod";
import { BOUNDS } from "../../base/db/bounds.ts";
import { type Database, Prisma } from "../../base/db/db.ts";
import { AppError, notFound } from "../../base/errors.ts";
import { hashSecret } from "../../base/ids.ts";
import type { addPasskeySchema, assertionSchema, Passkey } from "./account-schema.ts";

/** The site that passkeys are bound to: its origin and its domain. */
export interface RelyingParty {
  origin: string;
  id: string;
}

export function relyingParty(url: string): RelyingParty {
  const { origin, hostname } = new URL(url);
  return { origin, id: hostname };
}

/** Lists passkeys in the order in which they were added. */
export async function listPasskeys(db: Database, userId: string): Promise<Passkey[]> {
  return (await readPasskeys(db, userId)).map(({ credentialId: _secretly, ...passkey }) => passkey);
}

/** Returns the browser's options for making a passkey, valid for `lifetimeMs`. Throws `too_many_passkeys`. */
export async function startPasskey(
  db: Database,
  party: RelyingParty,
  user: { id: string; email: string; name: string },
  lifetimeMs: number,
) {
  const known = await readPasskeys(db, user.id);
  if (known.length >= BOUNDS.passkeys)
    throw new AppError(
      "too_many_passkeys",
      `Your account has ${BOUNDS.passkeys} passkeys, which is the limit. Remove one first.`,
    );
  const options = await generateRegistrationOptions({
    rpName: "Intray",
    rpID: party.id,
    userID: new Uint8Array(Buffer.from(user.id)),
    userName: user.email,
    userDisplayName: user.name,
    attestationType: "none",
    excludeCredentials: known.map((passkey) => ({ id: passkey.credentialId })),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
  await makeChallenge(db, options.challenge, user.id, lifetimeMs);
  return options;
}

/**
 * Throws `passkey_refused`, and `passkey_known` for a credential that is registered already, or where the session has
 * ended meanwhile.
 */
export async function addPasskey(
  db: Database,
  party: RelyingParty,
  { userId, sessionId }: { userId: string; sessionId: string },
  { name, response }: z.infer<typeof addPasskeySchema>,
): Promise<Passkey> {
  const made = await verified(async () => {
    refuseCertificates(response.response.attestationObject);
    const { registrationInfo } = await verifyRegistrationResponse({
      response: response as Parameters<typeof verifyRegistrationResponse>[0]["response"],
      expectedChallenge: (challenge) => takeChallenge(db, challenge, userId),
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
    });
    return registrationInfo?.credential;
  });
  const [row] = await db.gate<{ id: string | null }>(
    Prisma.sql`SELECT gate.add_passkey(${userId}::uuid, ${name}, ${made.id}, ${Buffer.from(made.publicKey)},
      ${made.counter}::bigint, ${sessionId}::uuid) AS id`,
  );
  if (!row?.id) throw new AppError("passkey_known", "This passkey is in use already.");
  const added = (await listPasskeys(db, userId)).find((passkey) => passkey.id === row.id);
  if (!added) throw notFound("passkey");
  return added;
}

/** Returns the browser's options for signing in with any passkey, valid for `lifetimeMs`. */
export async function startPasskeySignIn(db: Database, party: RelyingParty, lifetimeMs: number) {
  const options = await generateAuthenticationOptions({ rpID: party.id, userVerification: "required" });
  await makeChallenge(db, options.challenge, null, lifetimeMs);
  return options;
}

/**
 * Returns the owner of the passkey that answered, and the account's epoch before that. Throws `passkey_refused`; of two simultaneous uses with one
 * counter value, one wins.
 */
export async function answerWithPasskey(
  db: Database,
  party: RelyingParty,
  response: z.infer<typeof assertionSchema>,
): Promise<{ userId: string; epoch: number }> {
  const [found] = await db.gate<{ user_id: string; public_key: Uint8Array; counter: bigint; epoch: number }>(
    Prisma.sql`SELECT *, gate.credentials_epoch(user_id) AS epoch FROM gate.passkey(${response.id})`,
  );
  const after = await verified(async () => {
    const { verified: right, authenticationInfo } = await verifyAuthenticationResponse({
      response: response as Parameters<typeof verifyAuthenticationResponse>[0]["response"],
      expectedChallenge: (challenge) => takeChallenge(db, challenge, null),
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      credential: {
        id: response.id,
        // An unknown passkey takes the same steps, and fails since no signature verifies with an empty key.
        publicKey: new Uint8Array(found?.public_key ?? []),
        counter: Number(found?.counter ?? 0),
      },
    });
    return right ? authenticationInfo : undefined;
  });
  const [row] = await db.gate<{ done: boolean }>(
    Prisma.sql`SELECT gate.use_passkey(${response.id}, ${found?.counter ?? 0n}::bigint,
      ${after.newCounter}::bigint) AS done`,
  );
  if (!found || !row?.done) throw refused();
  return { userId: found.user_id, epoch: found.epoch };
}

/** Throws `not_found`. */
export async function removePasskey(db: Database, userId: string, passkeyId: string): Promise<undefined> {
  const [row] = await db.gate<{ done: boolean }>(
    Prisma.sql`SELECT gate.remove_passkey(${userId}::uuid, ${passkeyId}::uuid) AS done`,
  );
  if (!row?.done) throw notFound("passkey");
}

const rowsSchema = z.array(
  z
    .object({
      id: z.uuid(),
      name: z.string(),
      credential_id: z.string(),
      created_at: z.date(),
      last_used_at: z.date().nullable(),
    })
    .transform((row) => ({
      id: row.id,
      name: row.name,
      credentialId: row.credential_id,
      createdAt: row.created_at.toISOString(),
      lastUsedAt: row.last_used_at?.toISOString() ?? null,
    })),
);

/** The owner of a credential, for the records; null: nobody's. */
export async function ownerOfPasskey(db: Database, credentialId: string): Promise<string | null> {
  const [found] = await db.gate<{ user_id: string }>(
    Prisma.sql`SELECT user_id FROM gate.passkey(${credentialId})`,
  );
  return found?.user_id ?? null;
}

async function readPasskeys(db: Database, userId: string) {
  return rowsSchema.parse(await db.gate(Prisma.sql`SELECT * FROM gate.passkeys(${userId}::uuid)`));
}

async function makeChallenge(db: Database, challenge: string, userId: string | null, lifetimeMs: number) {
  await db.gate(Prisma.sql`SELECT 1 AS done FROM gate.make_challenge(${hashSecret(challenge)}, ${userId}::uuid,
    ${lifetimeMs}::bigint)`);
}

async function takeChallenge(db: Database, challenge: string, userId: string | null): Promise<boolean> {
  const [row] = await db.gate<{ done: boolean }>(
    Prisma.sql`SELECT gate.take_challenge(${hashSecret(challenge)}, ${userId}::uuid) AS done`,
  );
  return row?.done === true;
}

/**
 * Refuses attestation certificates. Intray asks for no attestation, and following a certificate's revocation
 * list would lead to addresses that the sender chose.
 */
function refuseCertificates(attestationObject: string): void {
  const decoded = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, "base64url")));
  const format = decoded.get("fmt");
  if (format !== "none" && (format !== "packed" || decoded.get("attStmt").get("x5c")))
    throw new Error("an attestation that was not asked for");
}

/** Turns every error of the library into one refusal for the person. */
async function verified<T>(check: () => Promise<T | undefined>): Promise<T> {
  const result = await check().catch((cause: unknown) => {
    throw refused(cause);
  });
  if (result === undefined) throw refused();
  return result;
}

function refused(cause?: unknown): AppError {
  return new AppError("passkey_refused", "The passkey was not accepted; try again.", { cause });
}
