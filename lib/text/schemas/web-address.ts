import { z } from "zod";

/** A whole http or https address. Its length is judged first: reading a long foreign host takes quadratic time. */
export function webAddress(mostCharacters: number, error = "Write a whole address, https://…") {
  return z
    .string()
    .max(mostCharacters, `Use at most ${mostCharacters} characters`)
    .pipe(z.url({ protocol: /^https?$/, error }));
}
