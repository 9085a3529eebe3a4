/** Verifies the hash chain of a history in the database. */

import { z } from "zod";
import type { Tx } from "../../base/db/db.ts";
import { type Fault, faultSchema, type Verification } from "./event-schema.ts";

/** Lines verified per transaction: some tenths of a second. */
const BATCH = 5_000;

interface Judged {
  lines: bigint;
  held: bigint;
  lastHash: Uint8Array;
  fault: string | null;
  headSeq: bigint;
  headHash: Uint8Array;
}

/**
 * Reads the whole chain in batches, up to the first invalid line. `within` opens a transaction of the
 * organization for each batch. Lines appended meanwhile are read too.
 */
export async function verifyEvents(
  within: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>,
  batch = BATCH,
): Promise<Verification> {
  let held = 0n;
  let hash: Uint8Array = Buffer.alloc(0);
  for (;;) {
    const judged = await within((tx) => judge(tx, held, hash, batch));
    held += judged.held;
    hash = judged.lastHash;
    if (judged.fault !== null)
      return verification(held, hash, Number(held) + 1, faultSchema.parse(judged.fault));
    if (judged.lines < batch) {
      const wrong = endFault(held, hash, judged);
      return verification(held, hash, wrong, wrong === null ? null : "cut");
    }
  }
}

async function judge(tx: Tx, after: bigint, hash: Uint8Array, batch: number): Promise<Judged> {
  const [judged] = await tx.$queryRaw<Judged[]>`SELECT lines, held, last_hash AS "lastHash", fault,
    head_seq AS "headSeq", head_hash AS "headHash" FROM check_events(${after}, ${hash}, ${batch}::integer)`;
  if (!judged) throw new Error("the chain could not be read");
  return judged;
}

/** Returns the line where the chain's end and its head differ (missing, unknown, another hash), or null. */
function endFault(last: bigint, hash: Uint8Array, head: Judged): number | null {
  if (head.headSeq > last) return Number(last) + 1;
  if (head.headSeq < last) return Number(head.headSeq) + 1;
  return Buffer.compare(hash, head.headHash) === 0 ? null : Math.max(Number(last), 1);
}

export function verification(
  lines: bigint,
  hash: Uint8Array,
  brokenAt: number | null,
  fault: Fault | null,
): Verification {
  return {
    ok: brokenAt === null,
    lines: Number(lines),
    head: hash.length === 0 ? null : Buffer.from(hash).toString("hex"),
    brokenAt,
    fault,
  };
}

const textSchema = z.tuple([
  z.number(),
  z.number(),
  z.string(),
  z.unknown(),
  z.string().nullable(),
  z.string().nullable(),
  z.unknown(),
]);

/** Reads a stored line and its payload into the fields that people see. Throws for texts of another shape. */
export function readLine(line: string, payload: string | null) {
  const [seq, at, type, actor, taskId, inputRequestId, last] = textSchema.parse(JSON.parse(line));
  const fields = { seq, at: new Date(at).toISOString(), type, actor, taskId, inputRequestId };
  // Older lines, without a payload digest, contain the payload itself.
  if (typeof last !== "string") return { ...fields, data: last, payloadDigest: null };
  return { ...fields, data: payload === null ? {} : JSON.parse(payload), payloadDigest: last };
}
