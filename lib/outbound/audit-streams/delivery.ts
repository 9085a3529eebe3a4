/**
 * Delivers the history to its destinations. One engine at a time claims a destination, sends the lines after its
 * position outside of any transaction, and moves the position. If the engine dies, another one sends the same lines
 * again: at least once, in order, none left out.
 */
import { type Database, Prisma, type Tx } from "../../base/db/db.ts";
import { uuidv7 } from "../../base/ids.ts";
import type { Network } from "../../base/network/network.ts";
import type { Seal } from "../../base/seal.ts";
import { exportEvents } from "../../history/events/event-reads.ts";
import { appendEvents, ENGINE_ACTOR, type NewEvent } from "../../history/events/event-writes.ts";
import { countSent } from "../../history/metrics/engine.ts";
import { OF_PRIVATE_TASK } from "../../tasks/visibility.ts";
import { hostOf } from "./audit-stream-reads.ts";
import { type Destination, failureOf, type Parcel, secretPlace, send } from "./destinations.ts";
import { eventLines, noteLine } from "./lines.ts";
import {
  ANCHOR_LINES,
  ANCHOR_MS,
  BATCH_CHARACTERS,
  BATCH_LINES,
  CLAIM_MS,
  PAUSE_BASE_MS,
  PAUSE_CAP_MS,
  REPORT_AFTER_MS,
  SEND_MS,
} from "./tunables.ts";

export interface DeliveryServices {
  database: Database;
  network: Network;
  seal: Seal;
}

/** What may be claimed: it is on, due, in nobody's hands, and has lines to send or to anchor. */
const CLAIMABLE = Prisma.sql`s.paused_at IS NULL AND s.not_before <= now()
  AND (s.claimed_until IS NULL OR s.claimed_until <= now()) AND EXISTS (
    SELECT FROM event_head head WHERE head.organization_id = s.organization_id AND (head.seq > s.seq
      OR (s.anchored_seq < s.seq AND s.anchored_at <= now() - ${ANCHOR_MS} * interval '1 ms')))`;

/** Returns the organization's streams with something to send. */
export async function streamsDue(tx: Tx): Promise<string[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`SELECT s.id FROM audit_stream s
    WHERE s.organization_id = ${tx.organizationId}::uuid AND ${CLAIMABLE}`;
  return rows.map(({ id }) => id);
}

interface Claimed extends Destination {
  claim: string;
  seq: bigint;
  anchoredSeq: bigint;
  isAnchorDue: boolean;
  failures: number;
  isReported: boolean;
}

interface Batch extends Parcel {
  /** The position after the batch. */
  last: bigint;
  /** The batch ends with an anchor. */
  anchors: boolean;
  swept: number;
}

/** Sends one batch. Returns true if it arrived, so that the next one may follow; false if there is nothing to do. */
export async function deliverBatch(
  { database, network, seal }: DeliveryServices,
  organizationId: string,
  streamId: string,
  own: string,
): Promise<boolean> {
  const found = await database.withOrganization(organizationId, async (tx) => {
    const claimed = await claim(tx, seal, streamId);
    return claimed && { claimed, batch: await readBatch(tx, claimed) };
  });
  if (!found) return false;
  const { claimed, batch } = found;
  const failure = await send(network, claimed, batch, own, SEND_MS).then(
    () => null,
    (error: unknown) => failureOf(error),
  );
  await database.withOrganization(organizationId, (tx) =>
    failure === null ? settle(tx, claimed, batch) : noteFailure(tx, claimed, failure),
  );
  countSent("audit_stream", failure === null ? "ok" : "failed");
  return failure === null;
}

async function claim(tx: Tx, seal: Seal, streamId: string): Promise<Claimed | null> {
  const [row] = await tx.$queryRaw<(Omit<Claimed, "secret"> & { sealedSecret: string | null })[]>`
    UPDATE audit_stream s SET claim = ${uuidv7()}::uuid, claimed_until = now() + ${CLAIM_MS} * interval '1 ms'
    WHERE s.organization_id = ${tx.organizationId}::uuid AND s.id = ${streamId}::uuid AND ${CLAIMABLE}
    RETURNING s.organization_id AS "organizationId", s.id, s.kind, s.address, s.settings, s.sealed_secret AS "sealedSecret",
      s.claim, s.seq, s.anchored_seq AS "anchoredSeq", s.failures, s.reported_at IS NOT NULL AS "isReported",
      s.anchored_at <= now() - ${ANCHOR_MS} * interval '1 ms' AS "isAnchorDue"`;
  if (!row) return null;
  const { sealedSecret, ...claimed } = row;
  const secret = sealedSecret && seal.open(secretPlace(tx.organizationId, streamId), sealedSecret);
  return { ...claimed, secret };
}

/** Reads the lines after the position. Details of private tasks are withheld, as in an export for others. */
async function readBatch(tx: Tx, claimed: Claimed): Promise<Batch> {
  const { organizationId } = tx;
  const { seq, anchoredSeq, isAnchorDue } = claimed;
  const [size] = await tx.$queryRaw<{ lines: number; swept: number; previousHash: string | null }[]>`
    SELECT count(*)::integer AS lines,
      count(*) FILTER (WHERE data IS NULL AND payload_digest IS NOT NULL)::integer AS swept,
      (SELECT encode(hash, 'hex') FROM event WHERE organization_id = ${organizationId}::uuid AND seq = ${seq}) AS "previousHash"
    FROM (SELECT data, payload_digest, row_number() OVER (ORDER BY seq) AS number,
        sum(length(coalesce(data::text, ''))) OVER (ORDER BY seq) AS size
      FROM (SELECT seq, data, payload_digest FROM event
        WHERE organization_id = ${organizationId}::uuid AND seq > ${seq} ORDER BY seq LIMIT ${BATCH_LINES}) next) sized
    WHERE size <= ${BATCH_CHARACTERS} OR number = 1`;
  const { lines: count, swept, previousHash } = size ?? { lines: 0, swept: 0, previousHash: null };
  const events = await exportEvents(tx, seq, count, OF_PRIVATE_TASK);
  const lines = eventLines(organizationId, events, previousHash ?? "");
  const [first, newest] = [events[0], events.at(-1)];
  const last = newest ? BigInt(newest.seq) : seq;
  const at = new Date().toISOString();
  if (first && newest && swept > 0)
    lines.unshift(
      noteLine({ kind: "gap", organizationId, first: first.seq, last: newest.seq, lines: swept, at }),
    );
  const hash = newest?.hash ?? previousHash;
  const anchors =
    hash !== null && last > anchoredSeq && (isAnchorDue || last - anchoredSeq >= BigInt(ANCHOR_LINES));
  if (anchors) lines.push(noteLine({ kind: "anchor", organizationId, seq: Number(last), hash, at }));
  const name = first ? `${padded(seq + 1n)}-${padded(last)}` : `${padded(last)}-anchor`;
  return { name, lines, last, anchors, swept };
}

/** Names sort as the positions do. */
function padded(seq: bigint): string {
  return String(seq).padStart(12, "0");
}

async function settle(tx: Tx, claimed: Claimed, { last, anchors, swept }: Batch): Promise<void> {
  const settled = await tx.$executeRaw`
    UPDATE audit_stream SET seq = ${last}, delivered_at = now(), swept = swept + ${swept}, claim = NULL,
      claimed_until = NULL, failures = 0, failing_since = NULL, reported_at = NULL,
      anchored_seq = CASE WHEN ${anchors} THEN ${last} ELSE anchored_seq END,
      anchored_at = CASE WHEN ${anchors} THEN now() ELSE anchored_at END
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${claimed.id}::uuid AND claim = ${claimed.claim}::uuid
      AND seq = ${claimed.seq}`;
  if (settled === 1 && claimed.isReported)
    await appendEvents(tx, [eventOf("audit_stream.recovered", claimed)]);
}

/** Makes the next attempt wait, and tells owners once of a destination that is away for long. */
async function noteFailure(tx: Tx, claimed: Claimed, failure: string): Promise<void> {
  const wait = pauseAfter(claimed.failures + 1, Math.random());
  const [noted] = await tx.$queryRaw<{ isLong: boolean }[]>`
    UPDATE audit_stream SET claim = NULL, claimed_until = NULL, failures = failures + 1,
      not_before = now() + ${wait} * interval '1 ms', failing_since = coalesce(failing_since, now()),
      last_error = ${failure}, last_error_at = now(), reported_at = CASE
        WHEN failing_since < now() - ${REPORT_AFTER_MS} * interval '1 ms' THEN coalesce(reported_at, now()) END
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${claimed.id}::uuid AND claim = ${claimed.claim}::uuid
    RETURNING reported_at IS NOT NULL AS "isLong"`;
  if (noted?.isLong && !claimed.isReported)
    await appendEvents(tx, [eventOf("audit_stream.failing", claimed, { error: failure })]);
}

function eventOf(type: NewEvent["type"], { id, kind, address }: Destination, more: object = {}): NewEvent {
  return { type, actor: ENGINE_ACTOR, data: { streamId: id, kind, host: hostOf(kind, address), ...more } };
}

/** Returns the pause after a number of failures in a row, in ms. `random`: from 0 up to 1. */
export function pauseAfter(failures: number, random: number): number {
  const longest = Math.min(PAUSE_CAP_MS, PAUSE_BASE_MS * 2 ** Math.min(failures - 1, 20));
  return Math.round(longest * (0.5 + random / 2));
}
