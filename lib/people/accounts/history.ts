/** What happened to an account: its person's own history. Organizations have theirs (lib/history/events). */
import { z } from "zod";
import { type Database, Prisma } from "../../base/db/db.ts";
import type { SecurityEvent } from "./account-schema.ts";

/** More would hardly be read; rows are kept for 90 days, refused sign-ins for 30. */
const SHOWN = 100;

const rowsSchema = z.array(
  z
    .object({
      id: z.uuid(),
      type: z.string(),
      data: z.record(z.string(), z.unknown()),
      times: z.number(),
      at: z.date(),
      last_at: z.date(),
    })
    .transform(({ last_at: lastAt, at, ...row }) => ({
      ...row,
      at: at.toISOString(),
      lastAt: lastAt.toISOString(),
    })),
);

/** Lists the newest first. */
export async function listSecurityEvents(db: Database, userId: string): Promise<SecurityEvent[]> {
  return rowsSchema.parse(
    await db.gate(Prisma.sql`SELECT * FROM gate.account_events(${userId}::uuid, ${SHOWN}::integer)`),
  );
}
