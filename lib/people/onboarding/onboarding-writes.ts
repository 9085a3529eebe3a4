import type { Tx } from "../../base/db/db.ts";
import type { SkipStep } from "./onboarding-schema.ts";

/** Skips or reopens a step for the whole organization. Simultaneous calls don't undo each other. */
export async function skipStep(tx: Tx, { step, skipped }: SkipStep): Promise<void> {
  await tx.$executeRaw`UPDATE organization SET onboarding_skipped =
      array_remove(onboarding_skipped, ${step}) || CASE WHEN ${skipped} THEN ARRAY[${step}] ELSE '{}'::text[] END
    WHERE id = ${tx.organizationId}::uuid`;
}
