/** A member's own preferences, in their row of `membership`; only the member writes these columns. */

import type { Principal } from "../../access/principal.ts";
import type { Tx } from "../../base/db/db.ts";
import { AppError, notFound } from "../../base/errors.ts";
import { type Preferences, preferencesSchema, type UpdatePreferences } from "./member-schema.ts";

const select = { singleKeys: true, tourSeen: true, density: true, locale: true };

/** Throws `forbidden` for an API key, which has no preferences. */
export async function readPreferences(tx: Tx, principal: Principal): Promise<Preferences> {
  const userId = memberOf(principal);
  const found = await tx.membership.findFirst({
    where: { organizationId: tx.organizationId, userId },
    select,
  });
  if (!found) throw notFound("member");
  return preferencesSchema.parse(found);
}

/** Writes only the given preferences; the last write wins. Throws `forbidden` for an API key. */
export async function setPreferences(tx: Tx, principal: Principal, change: UpdatePreferences): Promise<void> {
  const userId = memberOf(principal);
  const { singleKeys, tourSeen, density, locale } = change;
  await tx.membership.updateMany({
    where: { organizationId: tx.organizationId, userId },
    data: {
      ...(singleKeys !== undefined && { singleKeys }),
      ...(tourSeen !== undefined && { tourSeen }),
      ...(density !== undefined && { density }),
      ...(locale !== undefined && { locale }),
    },
  });
}

function memberOf(principal: Principal): string {
  if (!principal.userId) throw new AppError("forbidden", "An API key has no preferences; members have.");
  return principal.userId;
}
