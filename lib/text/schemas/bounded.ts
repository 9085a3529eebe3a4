/** Schemas that judge the size of a value before its parts. */
import { z } from "zod";

/**
 * A schema whose value is refused, with what `problem` says of it, before any part is judged: each wrong part costs time, and
 * a body may have hundreds of thousands.
 */
export function beforehand<S extends z.ZodType>(problem: (given: object) => string | null, schema: S) {
  return z.preprocess((given, context) => {
    const message = typeof given === "object" && given !== null ? problem(given) : null;
    if (message === null) return given;
    context.addIssue({ code: "custom", message, input: given });
    return z.NEVER;
  }, schema);
}

/** As `z.record`, of at most so many names. */
export function recordOfAtMost<V extends z.ZodType>(
  most: number,
  message: string,
  name: z.ZodString,
  value: V,
) {
  return beforehand((given) => (Object.keys(given).length > most ? message : null), z.record(name, value));
}

/** A whole http or https address. Its length is judged first: reading a long foreign host takes quadratic time. */
export function webAddress(mostCharacters: number, error = "Write a whole address, https://…") {
  return z
    .string()
    .max(mostCharacters, `Use at most ${mostCharacters} characters`)
    .pipe(z.url({ protocol: /^https?$/, error }));
}
