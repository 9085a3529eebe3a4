import { z } from "zod";

/**
 * The sandbox organization of an installation. `impossible`: the caller is not the operator, or `npm start` does not run
 * Intray for one machine. `preparing`: `npm start` makes it.
 */
export const sandboxSchema = z.object({
  state: z.enum(["impossible", "none", "preparing", "ready"]),
  /** Null unless it is ready. */
  organizationId: z.uuid().nullable(),
});
export type SandboxState = z.infer<typeof sandboxSchema>;
