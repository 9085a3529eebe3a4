/**
 * What a client carries for us between calls, signed, so that no process has to remember it and none is asked in vain: its
 * session of 2025-11-25 with what it said of itself, and where it can go on with an answer whose stream broke off.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { need } from "../../base/env.ts";

const sessionSchema = z.object({
  /** The agent's credential: no other one's session is taken. */
  agent: z.string(),
  /** What the client says of itself, cut. */
  name: z.string(),
  version: z.string(),
  /** Makes each session another one. */
  nonce: z.string(),
});
export type Session = z.infer<typeof sessionSchema>;

const placeSchema = z.object({
  agent: z.string(),
  taskId: z.uuid(),
  /** The JSON-RPC id of the call that is answered. */
  id: z.union([z.string(), z.number()]),
  kind: z.enum(["call", "wait", "payload"]),
  /** Until when the call is held, in ms since the epoch. Null: until the task has ended. */
  until: z.number().nullable(),
  progressToken: z.union([z.string(), z.number()]).nullable(),
});
/** Where a held call can be gone on with, after its stream broke off. */
export type Place = z.infer<typeof placeSchema>;

/** The longest id of an event: beyond it, as with a long JSON-RPC id, the call is not gone on with but repeated. */
const MOST_CHARACTERS = 2_000;

export function writeSession(session: Session): string {
  return sign("session", session);
}

/** Returns the session, or null for one that is not ours: another's, of another installation, or made up. */
export function readSession(text: string, agentId: string): Session | null {
  const session = read("session", text, sessionSchema);
  return session?.agent === agentId ? session : null;
}

/** Returns the id of an event after which the call goes on, or null for a call without one. */
export function writePlace(place: Place): string | null {
  const text = sign("event", place);
  return text.length > MOST_CHARACTERS ? null : text;
}

/** Returns the place, or null for one that is not ours or another agent's. */
export function readPlace(text: string, agentId: string): Place | null {
  const place = read("event", text, placeSchema);
  return place?.agent === agentId ? place : null;
}

function sign(kind: string, value: unknown): string {
  const body = Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${body}.${mac(kind, body).toString("base64url")}`;
}

function read<T>(kind: string, text: string, schema: z.ZodType<T>): T | null {
  const [body = "", given = ""] = text.split(".");
  const [expected, found] = [mac(kind, body), Buffer.from(given, "base64url")];
  if (expected.length !== found.length || !timingSafeEqual(expected, found)) return null;
  return schema.parse(JSON.parse(Buffer.from(body, "base64url").toString("utf8")));
}

function mac(kind: string, body: string): Buffer {
  return createHmac("sha256", need("authSecret")).update(`intray mcp ${kind} ${body}`).digest();
}
