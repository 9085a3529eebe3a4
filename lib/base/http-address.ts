import { z } from "zod";
import { readAddress } from "../text/foreign/address.ts";

/** An input that is a whole http or https address of at most `most` characters. */
export function httpAddress(most: number, error = "Write a whole address, https://…") {
  return z
    .string()
    .trim()
    .max(most, { abort: true })
    .refine((text) => /^https?:\/\//i.test(text) && readAddress(text) !== null, { error, abort: true })
    .meta({ format: "uri" });
}
