/** The envelope of PATCH (RFC 7644, section 3.5.2). */
import { z } from "zod";
import { isRecord } from "../../../text/json.ts";
import { PATCH_SCHEMA } from "./discovery.ts";
import { ScimError } from "./error.ts";

/** Most operations of one call: Entra and Okta send some hundreds. */
const MOST_OPERATIONS = 5_000;

export interface Operation {
  op: "add" | "remove" | "replace";
  path?: string | undefined;
  value?: unknown;
}

/** Entra writes `Add` and `Replace`. */
const patchSchema = z.object({
  schemas: z
    .array(z.string())
    .max(50)
    .refine((all) => all.includes(PATCH_SCHEMA), `schemas names ${PATCH_SCHEMA}`),
  Operations: z
    .array(
      z.object({
        op: z
          .string()
          .toLowerCase()
          .pipe(z.enum(["add", "remove", "replace"])),
        path: z.string().max(4_000).optional(),
        value: z.unknown().optional(),
      }),
    )
    .min(1)
    .max(MOST_OPERATIONS),
});

/** Throws `invalidSyntax`. */
export function readPatch(body: unknown): Operation[] {
  const parsed = patchSchema.safeParse(body);
  if (parsed.success) {
    refuseMany(parsed.data.Operations.map(({ value }) => value));
    return parsed.data.Operations;
  }
  const [issue] = parsed.error.issues;
  throw new ScimError(400, "invalidSyntax", `${issue?.path.join(".")}: ${issue?.message}`);
}

/** Attributes of one call. */
const MOST_NAMES = 10_000;

/** Throws `invalidValue` for more attributes than any directory sends: each is read as a path. */
export function refuseMany(values: unknown[]): void {
  let names = 0;
  for (const value of values) if (isRecord(value)) names += Object.keys(value).length;
  if (names > MOST_NAMES)
    throw new ScimError(400, "invalidValue", `A call has at most ${MOST_NAMES} attributes.`);
}
