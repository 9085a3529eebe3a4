/**
 * Verifies an export, or what an audit stream delivered, line by line, without a database, as docs/event-log.md
 * describes.
 */
import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import {
  type Anchor,
  exportedEventSchema,
  type Fault,
  streamNoteSchema,
  type Verification,
} from "./event-schema.ts";
import { readLine, verification } from "./verify.ts";

/** Lines that a stream may repeat, and anchors may lie behind: more than the largest batch. */
const REMEMBERED = 2_000;

/** What was kept elsewhere: one of the lines must have the hash `head`, in hex, and the anchor's line its hash. */
export interface Kept {
  head?: string | undefined;
  anchor?: Anchor | undefined;
}

/**
 * Verifies an export or a stream. If no line has the hash `head`, the history was cut or rewritten. A stream may
 * repeat lines: a repeated one must be the same. An unreadable line counts as altered.
 */
export async function verifyExport(
  texts: AsyncIterable<string>,
  { head, anchor }: Kept = {},
): Promise<Verification> {
  let lines = 0n;
  let hash: Uint8Array = Buffer.alloc(0);
  let headSeen = head === undefined;
  let anchorSeen = anchor === undefined;
  const recent = new Map<number, string>();
  const broken = (at: number, fault: Fault) => verification(lines, hash, at, fault);
  for await (const text of texts) {
    if (text === "") continue;
    const { note, event } = readText(text);
    if (note) {
      const known = note.kind === "anchor" ? recent.get(note.seq) : undefined;
      if (note.kind === "anchor" && (note.seq > Number(lines) || (known ?? note.hash) !== note.hash))
        return broken(note.seq, "rewritten");
      continue;
    }
    if (event?.previousHash !== undefined && recent.has(event.seq)) {
      if (recent.get(event.seq) !== event.hash || contentFault(event)) return broken(event.seq, "altered");
      continue;
    }
    const fault = event === null ? "altered" : faultOf(event, lines, hash);
    if (event === null || fault !== null) return broken(Number(lines) + 1, fault ?? "altered");
    if (event.seq === anchor?.seq && event.hash !== anchor.hash) return broken(event.seq, "rewritten");
    lines += 1n;
    hash = Buffer.from(event.hash, "hex");
    recent.set(event.seq, event.hash);
    recent.delete(event.seq - REMEMBERED);
    headSeen ||= event.hash === head?.toLowerCase();
    anchorSeen ||= event.seq === anchor?.seq;
  }
  return headSeen && anchorSeen ? verification(lines, hash, null, null) : broken(Number(lines) + 1, "cut");
}

/** An export line's own fields, plus all others as they are, so that the comparison leaves no field out. */
const exportedSchema = exportedEventSchema
  .pick({ seq: true, line: true, payload: true, digest: true, hash: true })
  .catchall(z.unknown());
type Exported = z.infer<typeof exportedSchema>;

/** Returns the position and the hash of a stream's or an export's line; null for lines that have none. */
export function anchorOf(text: string): Anchor | null {
  const { note, event } = readText(text);
  if (event) return { seq: event.seq, hash: event.hash };
  return note?.kind === "anchor" ? { seq: note.seq, hash: note.hash } : null;
}

/** Reads a line: of an export, of a stream's NDJSON, or of a log that has its syslog header before it. */
function readText(text: string) {
  const json = parse(text.startsWith("<") ? text.slice(text.indexOf("{")) : text);
  const note = streamNoteSchema.safeParse(json);
  if (note.success) return { note: note.data, event: null };
  const event = exportedSchema.safeParse(json);
  return { note: null, event: event.success ? event.data : null };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function faultOf(event: Exported, before: bigint, hash: Uint8Array): Fault | null {
  if (event.seq !== Number(before) + 1) return "gap";
  if (contentFault(event)) return "altered";
  const { previousHash } = event;
  if (previousHash !== undefined && previousHash !== Buffer.from(hash).toString("hex")) return "unlinked";
  return sha256(hash, Buffer.from(event.digest, "hex")).toString("hex") === event.hash ? null : "unlinked";
}

function contentFault(event: Exported): boolean {
  return !saysWhatItShows(event) || sha256(event.line).toString("hex") !== event.digest;
}

/** Returns true if the visible fields equal the digested text. */
function saysWhatItShows(event: Exported): boolean {
  const {
    line,
    payload,
    digest: _d,
    hash: _h,
    organizationId: _o,
    previousHash: _p,
    opened: _s,
    ...shown
  } = event;
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
