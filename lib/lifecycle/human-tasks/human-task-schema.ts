/**
 * What programs ask of people: the human tools of the endpoint for agents, and POST /api/v1/requests. Both make a task of
 * the built-in server "Intray" with one question.
 */
import { z } from "zod";
import { personSchema } from "../../access/access-schema.ts";
import { readAddress } from "../../text/foreign/address.ts";

/** An input that is a whole http or https address of at most `most` characters. */
function httpAddress(most: number, error = "Write a whole address, https://…") {
  return z
    .string()
    .trim()
    .max(most, { abort: true })
    .refine((text) => /^https?:\/\//i.test(text) && readAddress(text) !== null, { error, abort: true })
    .meta({ format: "uri" });
}

const TEXT_CHARACTERS = 4_000;
/** Details, form and links together, in characters of JSON. */
const MORE_CHARACTERS = 64 * 1024;
/** The longest that a question may stay open, in ms. */
const LONGEST_MS = 366 * 24 * 3600_000;

const timestamp = z.iso.datetime();

const small = (value: unknown) => (JSON.stringify(value)?.length ?? 0) <= MORE_CHARACTERS;
const tooLarge = `At most ${MORE_CHARACTERS} characters of JSON`;

const message = z.string().trim().min(1).max(TEXT_CHARACTERS);
const form = z
  .record(z.string(), z.unknown())
  .refine(small, tooLarge)
  .describe(
    'What to fill in: a flat JSON Schema of type "object" with text, number, boolean and choice properties (MCP elicitation). Without one there is nothing to fill in but accept or decline',
  );
const details = z
  .record(z.string(), z.unknown())
  .refine(small, tooLarge)
  .describe("Facts that help to decide, by name; shown beside the question");
const address = httpAddress(2_000);
const link = z.union([
  address,
  z.strictObject({
    title: z.string().trim().min(1).max(200),
    url: address,
  }),
]);
const toWhom = {
  to: z
    .string()
    .trim()
    .min(1)
    .max(320)
    .optional()
    .describe(
      "Who is asked: the e-mail address or the id of a member. If it is left out, anybody who may answer",
    ),
  label: z.string().trim().min(1).max(200).optional().describe("A short name for lists, e.g. INV-100"),
  expiresAt: z.iso
    .datetime({ offset: true })
    .refine((at) => Date.parse(at) > Date.now(), "In the future")
    .refine((at) => Date.parse(at) <= Date.now() + LONGEST_MS, "Within a year")
    .optional()
    .describe("When nobody needs to decide any more; silence is never a consent"),
};
const money = {
  amount: z.number().gt(-1e15).lt(1e15).optional().describe("What it costs, as a number"),
  currency: z
    .string()
    .regex(/^[A-Za-z]{3}$/, "An ISO code such as EUR")
    .transform((code) => code.toUpperCase())
    .optional()
    .describe("The ISO code of the amount's currency, e.g. EUR"),
};
const links = z.array(link).max(20).optional().describe("Addresses to look at before deciding");

export const askPersonSchema = z.object({
  message: message.describe("The question, in words that a person understands without more context"),
  form: form.optional(),
  details: details.optional(),
  ...toWhom,
});
export type AskPerson = z.output<typeof askPersonSchema>;

const CURRENCY_ALONE = { path: ["currency"], message: "A currency needs an amount" };
const hasAmountOfCurrency = ({ currency, amount }: { currency?: string; amount?: number }) =>
  currency === undefined || amount !== undefined;

export const requestApprovalSchema = z
  .object({
    action: message.describe("What is to be approved, e.g. Pay invoice INV-100 of ACME Corp"),
    details: details.optional(),
    ...money,
    links,
    ...toWhom,
  })
  .refine(hasAmountOfCurrency, CURRENCY_ALONE);
export type RequestApproval = z.output<typeof requestApprovalSchema>;

const digest = z.string().regex(/^(sha256:)?[0-9a-f]{64}$/, "A SHA-256 in hex");

/** What an approval is for, in the words of whoever will use it. Intray compares the digest, and shows the rest. */
const subjectSchema = z.strictObject({
  caller: z.string().max(500).optional(),
  server: z.string().max(500).optional(),
  tool: z.string().max(500).optional(),
  argumentsDigest: digest,
  policyVersion: z.string().max(200).optional(),
  /** People may change these before they approve: the digest is that of the arguments in RFC 8785's form. */
  editable: z.literal(true).optional(),
  arguments: z.record(z.string(), z.unknown()).refine(small, tooLarge).optional(),
  /** The tool's, by which changed arguments are checked and for which the form is drawn. */
  inputSchema: z.record(z.string(), z.unknown()).refine(small, tooLarge).optional(),
});
export type Subject = z.infer<typeof subjectSchema>;

export const createRequestSchema = z
  .strictObject({
    kind: z.enum(["approval", "question"]),
    message,
    details: details.optional(),
    form: form.optional(),
    ...money,
    links,
    ...toWhom,
    /** Binds an approval to one call elsewhere: it can be used once, for this digest. */
    subject: subjectSchema.optional(),
    /** Told once that the request has ended. */
    callbackUrl: z
      .url({ protocol: /^https?$/, error: "Write a whole address, https://…" })
      .max(2_000)
      .optional(),
  })
  .refine(({ kind, subject }) => kind === "approval" || subject === undefined, {
    path: ["subject"],
    message: "Only an approval is bound to a call",
  })
  .refine(({ subject }) => subject?.editable === undefined || subject.arguments !== undefined, {
    path: ["subject", "arguments"],
    message: "What people may change has to be shown",
  })
  .refine(({ form, subject }) => form === undefined || subject === undefined, {
    path: ["form"],
    message: "An approval that is bound to a call is a yes or a no: a form could say something else",
  })
  .refine(hasAmountOfCurrency, CURRENCY_ALONE);
export type CreateRequest = z.output<typeof createRequestSchema>;

/** What the Agent Approval Protocol says beside the call. Nothing but its own routes writes it. */
const aapFactsSchema = z.object({
  /** As the program wrote it: `10m`. */
  timeout: z.string(),
});
export type AapFacts = z.infer<typeof aapFactsSchema>;

/** An approval that came by the Agent Approval Protocol can be used for this long, however late it was given. */
const AAP_USABLE_MS = 5 * 60_000;

/** When an approval can't be used any more; null: it has no end. `finishedAt`: when it took effect. */
export function endOfApproval({
  expiresAt,
  finishedAt,
  aap,
}: {
  expiresAt: Date | null;
  finishedAt: Date | null;
  aap?: AapFacts | undefined;
}): Date | null {
  if (!expiresAt || !finishedAt || !aap) return expiresAt;
  return new Date(Math.max(expiresAt.getTime(), finishedAt.getTime() + AAP_USABLE_MS));
}

/** How a question ended. `content`: the filled in form. `comment`: what was said along with a yes; `reason`: with a no. */
const humanOutcomeSchema = z.object({
  outcome: z.enum(["answered", "declined", "expired"]),
  /** Beside `declined`: another request is asked for, as `reason` says. */
  revise: z.literal(true).optional(),
  content: z.record(z.string(), z.unknown()).optional(),
  by: z.object({ id: z.string(), name: z.string() }).optional(),
  at: timestamp,
  comment: z.string().optional(),
  reason: z.string().optional(),
});
export type HumanOutcome = z.infer<typeof humanOutcomeSchema>;

/** What is kept of a human task: all that was said to people, and its end as a `CallToolResult`. */
export const askedSchema = z.object({
  message: z.string().optional(),
  action: z.string().optional(),
  details: z.record(z.string(), z.unknown()).optional(),
  form: z.record(z.string(), z.unknown()).optional(),
  amount: z.number().optional(),
  currency: z.string().optional(),
  links: z.array(link).optional(),
  subject: subjectSchema.optional(),
  aap: aapFactsSchema.optional(),
});
export const endedSchema = z.object({ structuredContent: humanOutcomeSchema });

export const waitQuerySchema = z.object({
  /** Answer when the request has ended, or after this long. */
  waitMs: z.coerce.number().int().min(0).max(60_000).optional(),
});

export const requestSchema = z.object({
  /** Also the id of the input request, for /input-requests and the page. */
  id: z.uuid(),
  taskId: z.uuid(),
  kind: z.enum(["approval", "question"]),
  message: z.string(),
  details: z.record(z.string(), z.unknown()).nullable(),
  form: z.record(z.string(), z.unknown()).nullable(),
  amount: z.number().nullable(),
  currency: z.string().nullable(),
  links: z.array(z.object({ title: z.string().nullable(), url: z.string() })),
  label: z.string().nullable(),
  subject: subjectSchema.nullable(),
  assignedTo: personSchema.nullable(),
  /** `waiting`: for a person, or an answer can still be undone. */
  state: z.enum(["waiting", "ended"]),
  /** Null while it waits. */
  outcome: z.enum(["answered", "declined", "expired", "cancelled"]).nullable(),
  /** Beside `declined`: another request is asked for, as `reason` says. */
  revise: z.boolean(),
  content: z.record(z.string(), z.unknown()).nullable(),
  by: z.object({ id: z.string(), name: z.string() }).nullable(),
  /** When it was decided, or ran out. */
  at: timestamp.nullable(),
  /** What was said along with a yes. */
  comment: z.string().nullable(),
  /** What was said along with a no. */
  reason: z.string().nullable(),
  createdAt: timestamp,
  expiresAt: timestamp.nullable(),
  /** When the approval was used. */
  consumedAt: timestamp.nullable(),
  /** How far telling `callbackUrl` is; null without one. */
  callback: z
    .object({
      state: z.enum(["pending", "delivered", "failed"]),
      attempts: z.number(),
      /** The last attempt: the receiver's status, or why there was none. */
      lastStatus: z.number().nullable(),
      lastError: z.string().nullable(),
    })
    .nullable(),
  /** The page where people decide. */
  url: z.string(),
});
export type HumanRequest = z.infer<typeof requestSchema>;

/** `callbackSecret`: signs what `callbackUrl` gets (Standard Webhooks); shown to whoever made the request. */
export const createdRequestSchema = requestSchema.extend({ callbackSecret: z.string().nullable() });
export type CreatedRequest = z.infer<typeof createdRequestSchema>;

export const consumeSchema = z.strictObject({ argumentsDigest: digest });
export type Consume = z.infer<typeof consumeSchema>;
