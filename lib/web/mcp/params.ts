import { z } from "zod";
import { AppError } from "../../base/errors.ts";

/** Of `tools/call`. */
export const callParamsSchema = z.looseObject({
  name: z.string(),
  arguments: z
    .record(z.string(), z.unknown())
    .nullish()
    .transform((args) => args ?? {}),
  /** 2025-11-25: the client takes a task for an answer. */
  task: z.looseObject({}).optional(),
});
export type CallParams = z.output<typeof callParamsSchema>;

/**
 * The arguments of a tool of Intray's own. Null is as absent, since some clients send it for each optional argument, and
 * unknown arguments are left out. Throws `invalid_arguments` with the fields that do not fit.
 */
export function parseArguments<S extends z.ZodType>(schema: S, args: Record<string, unknown>): z.output<S> {
  const given = Object.entries(args).filter(([, value]) => value !== null);
  const parsed = schema.safeParse(Object.fromEntries(given));
  if (parsed.success) return parsed.data;
  throw new AppError("invalid_arguments", "The arguments do not fit the tool.", {
    errors: parsed.error.issues.map(({ path, message }) => ({ field: path.join("."), message })),
  });
}
