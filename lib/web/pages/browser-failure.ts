import { z } from "zod";
import type { Principal } from "../../access/principal.ts";
import { log } from "../../base/log.ts";

/** A page that failed in a browser. All of it is the browser's word. */
export const browserFailureSchema = z.strictObject({
  /** The id that the page shows. */
  id: z.string().regex(/^[0-9a-f]{8}$/),
  path: z.string().max(300),
  message: z.string().max(500),
  stack: z.string().max(4000).optional(),
});

/** Writes a failed page to the log, where the person who runs Intray finds it by the id that its reader quotes. */
export function logBrowserFailure(
  { organizationId, actor }: Principal,
  failure: z.infer<typeof browserFailureSchema>,
): void {
  const words = `A page failed in a browser (${failure.id})`;
  log.warn({ organizationId, actorId: actor.id, pageFailure: failure }, words);
}
