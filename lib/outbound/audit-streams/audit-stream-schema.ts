/** Audit streams: destinations outside that get an organization's history, line by line. */
import { z } from "zod";
import { webAddress } from "../../text/schemas/bounded.ts";

const url = webAddress(2_000);
const host = z
  .string()
  .trim()
  .min(1, "Name the server")
  .max(253, "Use at most 253 characters")
  .regex(/^([A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9])?|[0-9A-Fa-f:.]+)$/, "A host name or an IP address");
const port = z.int("A number").min(1, "At least 1").max(65_535, "At most 65535");
/** PEM, one certificate or more. Empty: the certificate authorities that this machine trusts. */
const ca = z
  .string()
  .trim()
  .max(50_000, "Use at most 50,000 characters")
  .transform((pem) => (pem === "" ? null : pem))
  .nullable();
const bucket = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
    "3 to 63 small letters, digits, dots and hyphens, as S3 names buckets",
  );
const region = z.string().regex(/^[a-z0-9-]{1,50}$/, "Such as eu-central-1");
const prefix = z
  .string()
  .max(200, "Use at most 200 characters")
  .regex(/^[A-Za-z0-9!_.*'()/-]*$/, "Use letters, digits and !_.*'()/-");
const accessKeyId = z
  .string()
  .min(1, "Write the access key id")
  .max(200, "Use at most 200 characters")
  .regex(/^[\x21-\x7e]*$/, "Use no spaces");
const secretAccessKey = z
  .string()
  .min(1, "Write the secret access key")
  .max(500, "Use at most 500 characters")
  .regex(/^[\x21-\x7e]*$/, "Use no spaces");

export const createAuditStreamSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("webhook"), url }),
  z.strictObject({ kind: z.literal("syslog"), host, port: port.default(6514), ca: ca.default(null) }),
  z.strictObject({
    kind: z.literal("s3"),
    url,
    bucket,
    region,
    prefix: prefix.default(""),
    accessKeyId,
    secretAccessKey,
  }),
]);
export type CreateAuditStream = z.infer<typeof createAuditStreamSchema>;

/** `ca` is for syslog; the two keys are for S3, and change together. */
export const updateAuditStreamSchema = z
  .strictObject({
    paused: z.boolean().optional(),
    ca: ca.optional(),
    accessKeyId: accessKeyId.optional(),
    secretAccessKey: secretAccessKey.optional(),
  })
  .refine((input) => Object.keys(input).length > 0, "Name what to change")
  .refine((input) => (input.accessKeyId === undefined) === (input.secretAccessKey === undefined), {
    path: ["secretAccessKey"],
    message: "Write both keys",
  });
export type UpdateAuditStream = z.infer<typeof updateAuditStreamSchema>;

export const AUDIT_STREAM_KINDS = ["webhook", "syslog", "s3"] as const;
export const auditStreamKindSchema = z.enum(AUDIT_STREAM_KINDS);
export type AuditStreamKind = z.infer<typeof auditStreamKindSchema>;

/** The stored settings of each kind, none of them secret. */
export const syslogSettingsSchema = z.object({ ca: z.string().nullable() });
export const s3SettingsSchema = z.object({
  bucket: z.string(),
  region: z.string(),
  prefix: z.string(),
  accessKeyId: z.string(),
});

/**
 * Why an attempt failed, in Intray's own words: what the other side says is not kept. `status_403` is the status of
 * an HTTP reply.
 */
const failureSchema = z.string().regex(/^[a-z]+(_[a-z0-9]+)*$/);

export const auditStreamSchema = z.object({
  id: z.uuid(),
  kind: auditStreamKindSchema,
  /** A URL, or host:port of a syslog server. */
  address: z.string(),
  bucket: z.string().nullable(),
  region: z.string().nullable(),
  prefix: z.string().nullable(),
  /** A syslog server's certificate is checked against a CA certificate of the organization's own. */
  ownCa: z.boolean(),
  paused: z.boolean(),
  /** The last position that the destination took. */
  position: z.int(),
  /** Lines of the history that the destination does not have yet. */
  behind: z.int(),
  /** The last position that an anchor covers. */
  anchoredPosition: z.int(),
  deliveredAt: z.iso.datetime().nullable(),
  /** No attempt has succeeded since then. */
  failingSince: z.iso.datetime().nullable(),
  /** The newest failed attempt, also of a stream that works again. */
  lastError: z.object({ code: failureSchema, at: z.iso.datetime() }).nullable(),
  /** Time of the next attempt of a failing stream. */
  nextAttemptAt: z.iso.datetime().nullable(),
  /** Lines whose details retention had deleted before the destination took them. */
  swept: z.int(),
  createdAt: z.iso.datetime(),
});
export type AuditStream = z.infer<typeof auditStreamSchema>;

/** `secret`: a webhook's signing secret, in this response only; null for the other kinds. */
export const newAuditStreamSchema = auditStreamSchema.extend({ secret: z.string().nullable() });

/** The result of a test line. `error`: why it did not arrive; null if it did. */
export const auditStreamTestSchema = z.object({ ok: z.boolean(), error: failureSchema.nullable() });
export type AuditStreamTest = z.infer<typeof auditStreamTestSchema>;
