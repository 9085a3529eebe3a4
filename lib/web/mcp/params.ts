import { z } from "zod";
import { AppError } from "../../base/errors.ts";

/** Of `tools/call`. */
export const callParamsSchema = z.looseObject({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()).default({}),
  /** 2025-11-25: the client takes a task for an answer. */
  task: z.looseObject({}).optional(),
});
export type CallParams = z.output<typeof callParamsSchema>;

/** The arguments of a tool of Intray's own. Throws `invalid_arguments` with the fields that do not fit. */
export function parseArguments<S extends z.ZodType>(schema: S, args: unknown): z.output<S> {
  const parsed = schema.safeParse(args);
  if (parsed.success) return parsed.data;
  throw new AppError("invalid_arguments", "The arguments do not fit the tool.", {
    errors: parsed.error.issues.map(({ path, message }) => ({ field: path.join("."), message })),
  });
}
