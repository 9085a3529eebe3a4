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

/** What the two texts of a line say: the values that people see. Throws where they are not a line's. */
export function readLine(line: string, payload: string | null) {
  const [seq, at, type, actor, taskId, inputRequestId, last] = textSchema.parse(JSON.parse(line));
  const fields = { seq, at: new Date(at).toISOString(), type, actor, taskId, inputRequestId };
  // Lines from before payloads had digests of their own hold the payload itself.
  if (typeof last !== "string") return { ...fields, data: last, payloadDigest: null };
  return { ...fields, data: payload === null ? {} : JSON.parse(payload), payloadDigest: last };
}
