import { z } from "zod";
import { canonicalJson } from "../mcp/forms/jcs.ts";
import { type Policy, policyInputSchema, type ShownPolicy } from "./policy-schema.ts";

/** A policy as a person would write it: what has its default is left out. Pure. It reads as the same policy. */
export function withoutDefaults(policy: Policy): ShownPolicy {
  const { rules = [], ...shown } = sparse(policyInputSchema, policy) as Partial<ShownPolicy>;
  const { groups, ...others } = shown;
  // Said always: what the document is, and where its rules go.
  return { version: policy.version, ...(groups && { groups }), rules, ...others };
}

function sparse(schema: z.core.$ZodType, value: unknown): unknown {
  if (value === null) return null;
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodNullable || schema instanceof z.ZodOptional)
    return sparse(schema.unwrap(), value);
  if (schema instanceof z.ZodPipe) return sparse(schema.in, value);
  if (schema instanceof z.ZodArray) return (value as unknown[]).map((item) => sparse(schema.element, item));
  if (schema instanceof z.ZodObject) return sparseObject(schema.shape, value as Record<string, unknown>);
  return value;
}

function sparseObject(shape: z.core.$ZodShape, value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const schema = shape[name];
      if (!schema || member === undefined || isDefault(schema, member)) return [];
      return [[name, sparse(schema, member)]];
    }),
  );
}

function isDefault(schema: z.core.$ZodType, value: unknown): boolean {
  const left = z.safeParse(schema, undefined);
  return left.success && left.data !== undefined && canonicalJson(left.data) === canonicalJson(value);
}
