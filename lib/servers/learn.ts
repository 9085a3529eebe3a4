import type { Tx } from "../base/db/db.ts";
import { publishChange } from "../base/live-updates.ts";
import type { Traits } from "./traits.ts";

/** Merges observed traits; a key set to undefined is deleted. Writes nothing if nothing changed. */
export async function learn(tx: Tx, serverId: string, seen: Traits): Promise<void> {
  const forgotten = Object.keys(seen).filter((key) => seen[key as keyof Traits] === undefined);
  const learned = await tx.$executeRaw`
    UPDATE server SET traits = (traits - ${forgotten}::text[]) || ${JSON.stringify(seen)}::jsonb
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${serverId}::uuid
      AND traits IS DISTINCT FROM (traits - ${forgotten}::text[]) || ${JSON.stringify(seen)}::jsonb`;
  if (learned === 1) await publishChange(tx, "server", [serverId]);
}
