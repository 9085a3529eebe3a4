import { z } from "zod";
import { RESOURCE_PARTS } from "./limits.ts";

/** One part of a resource: text, or bytes as Base64. Untrusted, as are its type and its address. */
export interface ResourcePart {
  uri: string;
  mimeType: string | null;
  text: string | null;
  blob: string | null;
}

const nullable = z
  .string()
  .nullish()
  .catch(null)
  .transform((text) => text ?? null);
const partSchema = z.object({
  uri: z.string().catch(""),
  mimeType: nullable,
  text: nullable,
  blob: nullable,
});

/** The result of `resources/read`, in both eras. Odd parts are left out. */
export const resourceSchema = z.looseObject({
  contents: z
    .array(z.unknown())
    .transform((parts) =>
      parts.slice(0, RESOURCE_PARTS).flatMap((part) => partSchema.safeParse(part).data ?? []),
    ),
});
