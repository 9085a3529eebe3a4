import { z } from "zod";
import { policyInputSchema } from "./policy-schema.ts";

/** The policy as JSON Schema (2020-12), for editors of files. A file may name it as `$schema`, which the commands leave out. */
export function policyJsonSchema(): Record<string, unknown> {
  const { properties, ...schema } = z.toJSONSchema(policyInputSchema, { io: "input" });
  return {
    ...schema,
    title: "Policy of Intray",
    properties: { $schema: { type: "string" }, ...properties },
  };
}
