/** Owners' changes to audit streams. delivery.ts sends, and moves positions. */
import { X509Certificate } from "node:crypto";
import type { Principal } from "../../access/principal.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { AppError, notFound } from "../../base/errors.ts";
import { uuidv7 } from "../../base/ids.ts";
import { NetworkError } from "../../base/network/address-rules.ts";
import type { Network } from "../../base/network/network.ts";
import type { Seal } from "../../base/seal.ts";
import type { EventType } from "../../history/events/event-schema.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import { newSecret } from "../webhooks/sign.ts";
import { hostOf } from "./audit-stream-reads.ts";
import {
  type AuditStreamTest,
  type CreateAuditStream,
  s3SettingsSchema,
  type UpdateAuditStream,
} from "./audit-stream-schema.ts";
import { type Destination, failureOf, requireHttps, secretPlace, send } from "./destinations.ts";
import { noteLine } from "./lines.ts";
import { TEST_MS } from "./tunables.ts";

/** Limits audit streams per organization, since each line goes to all of them. */
const MOST_STREAMS = 5;

/**
 * Adds a stream, which begins with the first line of the history. Returns a webhook's signing secret, which cannot be
 * read again. Throws `address_not_allowed`, `too_many_audit_streams`, and `invalid_input` for a wrong certificate.
 */
export async function createAuditStream(
  tx: Tx,
  principal: Principal,
  { network, seal }: { network: Network; seal: Seal },
  input: CreateAuditStream,
): Promise<{ id: string; secret: string | null }> {
  const { organizationId } = tx;
  const id = uuidv7();
  const { address, settings, secret } = rowOf(input);
  checkAddress(network, input, address);
  if (input.kind === "syslog") checkCa(input.ca);
  // One at a time, so that two at once do not exceed the limit.
  await tx.$queryRaw`SELECT FROM organization WHERE id = ${organizationId}::uuid FOR UPDATE`;
  if ((await tx.auditStream.count({ where: { organizationId } })) >= MOST_STREAMS)
    throw new AppError(
      "too_many_audit_streams",
      `There are ${MOST_STREAMS} audit streams already; remove one first.`,
    );
  const sealed = secret && seal.seal(secretPlace(organizationId, id), secret);
  await tx.$executeRaw`INSERT INTO audit_stream (organization_id, id, kind, address, settings, sealed_secret)
    VALUES (${organizationId}::uuid, ${id}::uuid, ${input.kind}, ${address}, ${JSON.stringify(settings)}::jsonb, ${sealed})`;
  await append(tx, principal, "audit_stream.created", { id, kind: input.kind, address });
  return { id, secret: input.kind === "webhook" ? secret : null };
}

function rowOf(input: CreateAuditStream): { address: string; settings: object; secret: string | null } {
  if (input.kind === "webhook") return { address: input.url, settings: {}, secret: newSecret() };
  if (input.kind === "s3") {
    const { bucket, region, prefix, accessKeyId, secretAccessKey } = input;
    return {
      address: input.url,
      settings: { bucket, region, prefix, accessKeyId },
      secret: secretAccessKey,
    };
  }
  const host = input.host.includes(":") ? `[${input.host}]` : input.host;
  return { address: `${host}:${input.port}`, settings: { ca: input.ca }, secret: null };
}

/** Pauses, resumes, or changes credentials. Resuming tries at once. Throws `not_found`, `invalid_input`. */
export async function updateAuditStream(
  tx: Tx,
  principal: Principal,
  seal: Seal,
  streamId: string,
  { paused, ca, accessKeyId, secretAccessKey }: UpdateAuditStream,
): Promise<void> {
  const stream = await lock(tx, streamId);
  const where = { organizationId: tx.organizationId, id: streamId };
  if (ca !== undefined) {
    if (stream.kind !== "syslog") throw invalid("ca", "Only a syslog server has a CA certificate");
    checkCa(ca);
    await tx.auditStream.updateMany({ where, data: { settings: { ca } } });
  }
  if (accessKeyId !== undefined && secretAccessKey !== undefined) {
    if (stream.kind !== "s3") throw invalid("accessKeyId", "Only a bucket has access keys");
    const settings = { ...s3SettingsSchema.parse(stream.settings), accessKeyId };
    const sealedSecret = seal.seal(secretPlace(tx.organizationId, streamId), secretAccessKey);
    await tx.auditStream.updateMany({ where, data: { settings, sealedSecret } });
  }
  const hasNewCredentials = ca !== undefined || accessKeyId !== undefined;
  if (paused !== undefined && paused !== stream.isPaused) {
    await tx.auditStream.updateMany({ where, data: { pausedAt: paused ? new Date() : null } });
    const type = paused ? "audit_stream.paused" : "audit_stream.resumed";
    await append(tx, principal, type, stream);
  }
  if (paused === false || hasNewCredentials)
    await tx.$executeRaw`UPDATE audit_stream SET failures = 0, not_before = now()
      WHERE organization_id = ${tx.organizationId}::uuid AND id = ${streamId}::uuid`;
  if (hasNewCredentials) await append(tx, principal, "audit_stream.updated", stream);
}

/** Removes a stream. What the destination has stays there. Throws `not_found`. */
export async function removeAuditStream(tx: Tx, principal: Principal, streamId: string): Promise<void> {
  const stream = await lock(tx, streamId);
  await tx.auditStream.deleteMany({ where: { organizationId: tx.organizationId, id: streamId } });
  await append(tx, principal, "audit_stream.removed", stream);
}

/** Sends one test line now, outside of any transaction. The stream's position does not move. Throws `not_found`. */
export async function testAuditStream(
  organizationId: string,
  within: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>,
  { network, seal, own }: { network: Network; seal: Seal; own: string },
  streamId: string,
): Promise<AuditStreamTest> {
  const to = await within((tx) => destinationOf(tx, seal, streamId));
  const at = new Date().toISOString();
  const lines = [noteLine({ kind: "test", organizationId, at })];
  try {
    await send(network, to, { name: `test-${uuidv7()}`, lines }, own, TEST_MS);
    return { ok: true, error: null };
  } catch (error) {
    return { ok: false, error: failureOf(error) };
  }
}

async function destinationOf(tx: Tx, seal: Seal, streamId: string): Promise<Destination> {
  const row = await tx.auditStream.findFirst({ where: { organizationId: tx.organizationId, id: streamId } });
  if (!row) throw notFound("audit stream");
  const { id, kind, address, settings, sealedSecret } = row;
  const secret = sealedSecret && seal.open(secretPlace(tx.organizationId, id), sealedSecret);
  return { organizationId: tx.organizationId, id, kind, address, settings, secret };
}

function checkAddress(network: Network, input: CreateAuditStream, address: string): void {
  try {
    if (input.kind === "syslog") network.checkUrl(`https://${address}`);
    else requireHttps(network, address);
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error;
    const field = input.kind === "syslog" ? "host" : "url";
    const message = input.kind === "syslog" ? "Use a public address" : "Use a public https address";
    throw new AppError("address_not_allowed", "Intray sends the history to public addresses only, by TLS.", {
      errors: [{ field, message }],
      cause: error,
    });
  }
}

/** Throws `invalid_input` unless the text is certificates and nothing else. */
function checkCa(ca: string | null): void {
  if (ca === null) return;
  const certificates = ca.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  try {
    for (const certificate of certificates) new X509Certificate(certificate);
    if (certificates.length === 0 || /PRIVATE KEY/.test(ca)) throw new Error("no certificates alone");
  } catch {
    throw invalid("ca", "Paste one certificate or more, as PEM");
  }
}

function invalid(field: string, message: string): AppError {
  return new AppError("invalid_input", "Some values are not valid.", { errors: [{ field, message }] });
}

interface Locked {
  id: string;
  kind: string;
  address: string;
  settings: unknown;
  isPaused: boolean;
}

async function lock(tx: Tx, streamId: string): Promise<Locked> {
  const [found] = await tx.$queryRaw<
    Locked[]
  >(Prisma.sql`SELECT id, kind, address, settings, paused_at IS NOT NULL AS "isPaused"
    FROM audit_stream WHERE organization_id = ${tx.organizationId}::uuid AND id = ${streamId}::uuid FOR UPDATE`);
  if (!found) throw notFound("audit stream");
  return found;
}

async function append(
  tx: Tx,
  { actor }: Principal,
  type: EventType,
  { id, kind, address }: Pick<Locked, "id" | "kind" | "address">,
): Promise<void> {
  await appendEvents(tx, [{ type, actor, data: { streamId: id, kind, host: hostOf(kind, address) } }]);
}
