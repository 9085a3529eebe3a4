import { z } from "zod";
import { actorSchema } from "../../access/access-schema.ts";
import { signedInSchema } from "../answers/signed-in.ts";

/** `typ` of a receipt's header: no other signed text is taken for one. */
export const RECEIPT_TYPE = "intray-receipt+jws";
export const RECEIPT_ALGORITHM = "EdDSA";

const time = z.iso.datetime();
const hash = z.string();
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/**
 * How far an answer got, as lib/requests/deliveries/reach.ts judges it; carried_out: of a question of Intray's own, which sends
 * it to no server.
 */
const reachSchema = z.enum(["nothing", "unknown", "carried_out", "taken"]);
export type Reach = z.infer<typeof reachSchema>;

const voteSchema = z.object({
  id: z.uuid(),
  stage: z.string(),
  /** The person whose vote it is; `by` cast it. */
  person: z.uuid(),
  by: actorSchema,
  /** The person, who was away, where a delegate voted for them. */
  onBehalfOf: actorSchema.nullable(),
  action: z.string(),
  agrees: z.boolean(),
  questionHash: hash,
  contentDigest: hash,
  at: time,
  /** Null: the history does not say. */
  signedIn: signedInSchema.nullable(),
  /** Why it does not count; null: it counts. */
  ended: z.object({ as: z.string(), at: time }).nullable(),
});

const answerSchema = z.object({
  id: z.uuid(),
  by: actorSchema,
  /** `accept`: the form was sent. Whether it says yes is in the content. */
  action: z.string(),
  /** The question that was on the screen. */
  questionHash: hash,
  /** Of exactly what was to be sent. Null: the history does not say. */
  contentDigest: hash.nullable(),
  at: time,
  signedIn: signedInSchema.nullable(),
  /** When it was taken back, or, where its delivery failed, when the question was opened again. */
  withdrawnAt: time.nullable(),
  delivery: z
    .object({
      state: z.string(),
      reached: reachSchema,
      /** The way that the last attempt took to the server, in the words of the history (`delivery.sending`). */
      way: z.string().nullable(),
      attempts: z.int(),
      sentAt: time.nullable(),
      acceptedAt: time.nullable(),
      confirmedAt: time.nullable(),
    })
    .nullable(),
});

const lineSchema = z.object({
  seq: z.int(),
  type: z.string(),
  /** The text that the digest is of. Null for a line from before there were payload digests, which holds its data itself. */
  line: z.string().nullable(),
  digest: sha256,
  /** Empty for the first line of a history. */
  previousHash: z.string().regex(/^([0-9a-f]{64})?$/),
  hash: sha256,
});

/** What a receipt says: digests of question and content, never the texts themselves. */
export const receiptSchema = z.strictObject({
  v: z.literal(1),
  /** The address of the Intray that signs. */
  issuer: z.string(),
  organization: z.object({ id: z.uuid(), name: z.string() }),
  request: z.object({
    id: z.uuid(),
    taskId: z.uuid(),
    server: z.object({ id: z.uuid(), name: z.string() }),
    tool: z.string(),
    origin: z.string(),
    requestedBy: actorSchema,
    askedAt: time,
    questionHash: hash,
    state: z.string(),
    endedAt: time.nullable(),
    endedReason: z.string().nullable(),
  }),
  /** The rule under which it was asked; null: any one approver. */
  policy: z
    .object({
      rule: z.string(),
      version: z.int(),
      requester: z.string(),
      stages: z.array(
        z.object({
          name: z.string(),
          need: z.int(),
          rejections: z.int(),
          stepUp: z.boolean(),
          requireReason: z.array(z.string()),
          /** Groups of the organization whose members vote in it, each at its time. Left out: none. */
          groups: z.array(z.object({ id: z.string(), name: z.string() })).optional(),
        }),
      ),
    })
    .nullable(),
  votes: z.array(voteSchema),
  answers: z.array(answerSchema),
  /** The farthest that any of the answers got. */
  sent: reachSchema,
  /** The lines of the organization's history about the request, and their places in its chain of hashes. */
  history: z.array(lineSchema),
  /** Earlier lines than those. */
  historyLeftOut: z.int(),
});
export type Receipt = z.infer<typeof receiptSchema>;
export type ReceiptLine = z.infer<typeof lineSchema>;

/** A key of the public list (RFC 8037). */
export const publicKeySchema = z.object({
  kty: z.literal("OKP"),
  crv: z.literal("Ed25519"),
  x: z.string(),
  kid: z.string(),
  use: z.literal("sig"),
  alg: z.literal(RECEIPT_ALGORITHM),
});
export type PublicKey = z.infer<typeof publicKeySchema>;
export const publicKeysSchema = z.object({ keys: z.array(publicKeySchema) });
