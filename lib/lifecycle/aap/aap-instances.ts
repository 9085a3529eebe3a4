/**
 * Instances of the Agent Approval Protocol: programs that a provisioner registers. An instance is an API key that asks people
 * and does nothing else, and perhaps an address, which is told of the end of its requests.
 */
import { createHash, randomUUID } from "node:crypto";
import type { Principal } from "../../access/principal.ts";
import type { Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { uuidv7 } from "../../base/ids.ts";
import { log } from "../../base/log.ts";
import { NetworkError } from "../../base/network/address-rules.ts";
import type { Network } from "../../base/network/network.ts";
import type { Seal, SealedPlace } from "../../base/seal.ts";
import { canonicalJson } from "../../mcp/forms/jcs.ts";
import { signedHeaders } from "../../outbound/webhooks/sign.ts";
import { checkAddress } from "../../outbound/webhooks/webhook-writes.ts";
import { createKey } from "../../people/api-keys/api-key-writes.ts";
import { PREFIX } from "../../people/api-keys/limits.ts";
import { callbackPlace } from "../human-tasks/callbacks.ts";
import type { HumanTaskOptions } from "../human-tasks/human-task-writes.ts";
import { idempotencyMismatch } from "../idempotency.ts";
import { type AapDelivery, type AapInstance, type InstanceInput, verificationSchema } from "./aap-schema.ts";

/** Time for a receiver to answer the check. */
const DEADLINE_MS = 10_000;
/** Longest answer to the check that is read. */
const MOST_CHARACTERS = 16 * 1024;
const DIGITS_OF_NAME = 8;

interface Keyed {
  principal: Principal;
  seal: Seal;
  idempotencyKey: string;
}

/** The same submission and key find the instance that they made, with its credential; null: there is none. */
export async function findInstance(
  tx: Tx,
  { principal, seal, idempotencyKey }: Keyed,
  input: InstanceInput,
): Promise<AapInstance | null> {
  const { kind, id } = principal.actor;
  // Of two at once the second waits here, and then finds what the first has made.
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(
    ${JSON.stringify(["aap instance", tx.organizationId, kind, id, idempotencyKey])}, 0))`;
  const [found] = await tx.$queryRaw<Found[]>`
    SELECT i.id, i.request_digest AS digest, i.registration_id AS "registrationId", i.url, k.name, k.expires_at AS "expiresAt",
      k.revoked_at IS NOT NULL AS "isRevoked"
    FROM aap_instance i JOIN api_key k ON k.organization_id = i.organization_id AND k.id = i.id
    WHERE i.organization_id = ${tx.organizationId}::uuid AND i.made_by ->> 'kind' = ${kind}
      AND coalesce(i.made_by ->> 'id', '') = ${id ?? ""} AND i.idempotency_key = ${idempotencyKey}`;
  if (!found) return null;
  if (!digestOf(input).equals(Buffer.from(found.digest))) throw idempotencyMismatch();
  if (found.isRevoked) throw new AppError("instance_deleted", "The API key of this instance was revoked.");
  return toInstance(found, secretOf(seal, tx.organizationId, found.id));
}

interface Found {
  id: string;
  digest: Uint8Array;
  registrationId: string | null;
  url: string | null;
  name: string;
  expiresAt: Date | null;
  isRevoked: boolean;
}

/** Makes an instance of a checked receiver, or returns what another call has made meanwhile. Throws as `createKey`. */
export async function createInstance(
  tx: Tx,
  keyed: Keyed,
  id: string,
  input: InstanceInput,
): Promise<{ instance: AapInstance; created: boolean }> {
  const earlier = await findInstance(tx, keyed, input);
  if (earlier) return { instance: earlier, created: false };
  const { principal, seal, idempotencyKey } = keyed;
  const { organizationId } = tx;
  const { instance_name: name = `AAP ${id.slice(-DIGITS_OF_NAME)}`, delivery } = input;
  const secret = secretOf(seal, organizationId, id);
  const limits = {
    name,
    role: "operator" as const,
    permissions: ["requests:read" as const, "requests:ask" as const],
  };
  await createKey(tx, principal, limits, null, { id, secret });
  await tx.aapInstance.create({
    data: {
      ...{ organizationId, id, madeBy: { ...principal.actor }, idempotencyKey },
      requestDigest: Uint8Array.from(digestOf(input)),
      ...(delivery && {
        url: delivery.url,
        registrationId: delivery.registration_id,
        sealedSecret: seal.seal(secretPlace(organizationId, id), delivery.signing_secret),
      }),
    },
  });
  const { expiresAt } = await tx.apiKey.findFirstOrThrow({
    where: { organizationId, id },
    select: { expiresAt: true },
  });
  const made = {
    id,
    name,
    expiresAt,
    url: delivery?.url ?? null,
    registrationId: delivery?.registration_id ?? null,
  };
  return { instance: toInstance(made, secret), created: true };
}

function toInstance(
  { id, name, expiresAt, url, registrationId }: Omit<Found, "digest" | "isRevoked">,
  token: string,
): AapInstance {
  const delivery =
    url && registrationId ? { type: "webhook" as const, url, registration_id: registrationId } : null;
  return {
    instance: { id, name, ...(delivery && { delivery }) },
    credential: { token, ...(expiresAt && { expires_at: expiresAt.toISOString() }) },
  };
}

/** Made from the key ring: a caller whose reply was lost gets it again, and it is stored nowhere. */
function secretOf(seal: Seal, organizationId: string, id: string): string {
  return PREFIX + seal.digest("aap instance", `${organizationId} ${id}`).toString("base64url");
}

function digestOf(input: InstanceInput): Buffer {
  return createHash("sha256").update(canonicalJson(input)).digest();
}

function secretPlace(organizationId: string, id: string): SealedPlace {
  return { organizationId, table: "aap_instance", row: id, column: "sealed_secret" };
}

/** Who is told of the end of a request that the principal makes; null: nobody. */
export async function callbackOf(
  tx: Tx,
  { actor }: Principal,
  seal: Seal,
): Promise<NonNullable<HumanTaskOptions["callback"]> | null> {
  if (actor.kind !== "key" || actor.id === null) return null;
  const { organizationId } = tx;
  const instance = await tx.aapInstance.findFirst({
    where: { organizationId, id: actor.id },
    select: { id: true, url: true, sealedSecret: true },
  });
  if (!instance?.url || !instance.sealedSecret) return null;
  const secret = seal.open(secretPlace(organizationId, instance.id), instance.sealedSecret);
  return {
    url: instance.url,
    instanceId: instance.id,
    seal: (inputRequestId) => seal.seal(callbackPlace(organizationId, inputRequestId), secret),
  };
}

/**
 * Asks a receiver whether it expects this registration. Throws `address_not_allowed`, and `webhook_verification_failed`
 * unless it answers with the challenge.
 */
export async function verifyReceiver(
  network: Network,
  instanceId: string,
  delivery: AapDelivery,
): Promise<void> {
  const { url, registration_id, signing_secret } = delivery;
  checkAddress(network, url, "delivery.url");
  const [id, challenge] = [uuidv7(), randomUUID()];
  const now = new Date();
  const message = {
    id,
    type: "webhook.verification",
    registration_id,
    instance_id: instanceId,
    created_at: now.toISOString(),
    challenge,
  };
  const payload = JSON.stringify(message);
  const headers = signedHeaders(id, payload, [signing_secret], now.getTime());
  if ((await challengeFrom(network, url, headers, payload)) === challenge) return;
  throw new AppError("webhook_verification_failed", "The receiver did not answer the check as it should.", {
    errors: [{ field: "delivery", message: "It has to return the challenge within ten seconds." }],
  });
}

/** The challenge in the receiver's answer; null: there is none. */
async function challengeFrom(
  network: Network,
  url: string,
  headers: Record<string, string>,
  body: string,
): Promise<string | null> {
  try {
    const signal = AbortSignal.timeout(DEADLINE_MS);
    const reply = await network.fetch(url, { method: "POST", headers, body, signal });
    if (reply.status !== 200) {
      await reply.body?.cancel();
      return null;
    }
    const text = await reply.text();
    if (text.length > MOST_CHARACTERS) return null;
    return verificationSchema.safeParse(JSON.parse(text)).data?.challenge ?? null;
  } catch (error) {
    // Whatever went wrong on the way, the receiver has not answered.
    if (!(error instanceof NetworkError))
      log.info({ err: error }, "A receiver of approvals could not be checked");
    return null;
  }
}
