import { z } from "zod";

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
