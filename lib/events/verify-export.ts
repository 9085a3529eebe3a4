/** Verifies an export line by line, without a database, as docs/event-log.md describes. */
import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { readLine } from "./line.ts";
import { exportedEventSchema, type Fault, type Verification } from "./schema.ts";
import { verification } from "./verify.ts";

/**
 * Verifies an export. `head` is a hash kept elsewhere, in hex; if no line has that hash, the export was cut
 * or rewritten. An unreadable line counts as altered.
 */
export async function verifyExport(texts: AsyncIterable<string>, head?: string): Promise<Verification> {
  let lines = 0n;
  let hash: Uint8Array = Buffer.alloc(0);
  let headSeen = head === undefined;
  for await (const text of texts) {
    if (text === "") continue;
    const event = readEvent(text);
    const fault = event === null ? "altered" : faultOf(event, lines, hash);
    if (event === null || fault !== null) return verification(lines, hash, Number(lines) + 1, fault);
    lines += 1n;
    hash = Buffer.from(event.hash, "hex");
    headSeen ||= event.hash === head?.toLowerCase();
  }
  return headSeen
    ? verification(lines, hash, null, null)
    : verification(lines, hash, Number(lines) + 1, "cut");
}

/** An export line's own fields, plus all others as they are, so that the comparison leaves no field out. */
const exportedSchema = exportedEventSchema
  .pick({ seq: true, line: true, payload: true, digest: true, hash: true })
  .catchall(z.unknown());
type Exported = z.infer<typeof exportedSchema>;

function readEvent(text: string): Exported | null {
  try {
    return exportedSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

function faultOf(event: Exported, before: bigint, hash: Uint8Array): Fault | null {
  if (event.seq !== Number(before) + 1) return "gap";
  if (!saysWhatItShows(event) || sha256(event.line).toString("hex") !== event.digest) return "altered";
  return sha256(hash, Buffer.from(event.digest, "hex")).toString("hex") === event.hash ? null : "unlinked";
}

/** Returns true if the visible fields equal the digested text. */
function saysWhatItShows({ line, payload, digest: _digest, hash: _hash, ...shown }: Exported): boolean {
  try {
    const { payloadDigest, ...said } = readLine(line, payload);
    const payloadHolds = payload === null || payloadDigest === sha256(payload).toString("hex");
    return payloadHolds && isDeepStrictEqual(shown, said);
  } catch {
    return false;
  }
}

function sha256(...parts: (string | Uint8Array)[]): Buffer {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
}
