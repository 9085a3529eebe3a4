import { z } from "zod";
import { personSchema } from "../../access/access-schema.ts";

/** Longest absence, in ms: 366 days. */
const LONGEST_MS = 366 * 24 * 3600_000;

const time = z.iso.datetime({ offset: true, abort: true, error: "Give a day and a time" });

const names = z
  .array(z.string().trim().min(1, "Give a name").max(200, "At most 200 characters"))
  .min(1, "Name at least one, or leave it out")
  .max(50, "At most 50 names");

/** Requests for which an absence counts: those that are of one of each that is named. */
const scopeSchema = z
  .strictObject({
    servers: names.nullable().default(null),
    tools: names.nullable().default(null),
    /** Of the policy. */
    rules: names.nullable().default(null),
  })
  .refine(({ servers, tools, rules }) => servers ?? tools ?? rules, "Name what it is for, or leave it out");
export type AwayScope = z.infer<typeof scopeSchema>;

export const awayInputSchema = z
  .strictObject({
    from: time,
    until: time,
    /** A member who may answer. */
    delegateUserId: z.uuid("Choose a person"),
    /** Null: every request. */
    scope: scopeSchema.nullable().default(null),
    reason: z
      .string()
      .trim()
      .max(500, "At most 500 characters")
      .nullable()
      .default(null)
      .transform((text) => text || null),
  })
  .refine(({ from, until }) => Date.parse(until) > Date.parse(from), {
    path: ["until"],
    message: "Has to be after the beginning",
  })
  .refine(({ from, until }) => Date.parse(until) - Date.parse(from) <= LONGEST_MS, {
    path: ["until"],
    message: "At most a year after the beginning",
  });
export type AwayInput = z.infer<typeof awayInputSchema>;

export const awaySchema = z.object({
  from: z.iso.datetime(),
  until: z.iso.datetime(),
  delegateUserId: z.uuid(),
  delegate: personSchema,
  scope: z
    .object({
      servers: z.array(z.string()).nullable(),
      tools: z.array(z.string()).nullable(),
      rules: z.array(z.string()).nullable(),
    })
    .nullable(),
  reason: z.string().nullable(),
  /** The member, or the admin who set it for them. */
  setBy: personSchema,
  setAt: z.iso.datetime(),
});
export type Away = z.infer<typeof awaySchema>;

/** Null while nothing is set, or once it is over. */
export const awayAnswerSchema = awaySchema.nullable();
