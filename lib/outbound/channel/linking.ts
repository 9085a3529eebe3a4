/** A member links their account on a platform by OpenID Connect. Pure: the state is sealed, not stored. */
import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { Seal } from "../../base/seal.ts";
import type { Platform } from "./platforms.ts";

/** A member, and the browser session in which they link. */
export interface Linking {
  organizationId: string;
  userId: string;
  sessionId: string;
}

/** Time to sign in at the platform. */
const LINK_MS = 10 * 60_000;

const stateSchema = z.object({ userId: z.uuid(), nonce: z.string(), endsAt: z.number() });

/** A state opens only with the session that asked for it, so that nobody ends a link that another browser began. */
const statePlace = ({ name }: Platform, { organizationId, sessionId }: Linking) => ({
  organizationId,
  table: `${name}_account`,
  row: sessionId,
  column: "state",
});

export function newState(platform: Platform, seal: Seal, linking: Linking): { state: string; nonce: string } {
  const nonce = randomBytes(16).toString("base64url");
  const content = { userId: linking.userId, nonce, endsAt: Date.now() + LINK_MS };
  return { state: seal.seal(statePlace(platform, linking), JSON.stringify(content)), nonce };
}

/** Null: it is another session's, made up, or too old. */
export function openState(
  platform: Platform,
  seal: Seal,
  linking: Linking,
  sealed: string | null,
): z.infer<typeof stateSchema> | null {
  if (sealed === null) return null;
  let opened: string;
  try {
    opened = seal.open(statePlace(platform, linking), sealed);
  } catch {
    // Another session's, or made up: the error says no more.
    return null;
  }
  const state = stateSchema.parse(JSON.parse(opened));
  return state.userId === linking.userId && state.endsAt > Date.now() ? state : null;
}

const tokenSchema = z.object({ id_token: z.string().max(10_000) });

/**
 * Returns the claims of an ID token that the platform gave for our secret; null if it has none of this form. Its signature proves
 * nothing more (OpenID Connect Core, 3.1.3.7).
 */
export function claimsIn<T>(reply: unknown, schema: z.ZodType<T>): T | null {
  const token = tokenSchema.safeParse(reply).data?.id_token;
  if (token === undefined) return null;
  try {
    const [, payload = ""] = token.split(".");
    return schema.safeParse(JSON.parse(Buffer.from(payload, "base64url").toString())).data ?? null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
