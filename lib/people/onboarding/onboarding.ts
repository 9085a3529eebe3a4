import { z } from "zod";
import type { Tx } from "../../base/db/db.ts";

/** The first steps of an organization, in the order of the page. */
const STEPS = ["agent", "server", "task", "invitation"] as const;
const stepSchema = z.enum(STEPS);
export type Step = z.infer<typeof stepSchema>;

/** A completed step is `done` even if it was skipped before. */
const stepStateSchema = z.enum(["open", "done", "skipped"]);
export type StepState = z.infer<typeof stepStateSchema>;

export const onboardingSchema = z.object({
  /** The organization has an agent. */
  agent: stepStateSchema,
  /** A server answered with its tools. */
  server: stepStateSchema,
  /** The organization has a task. */
  task: stepStateSchema,
  /** Somebody was invited, or a second person is a member. */
  invitation: stepStateSchema,
});
export type Onboarding = z.infer<typeof onboardingSchema>;

export const skipStepSchema = z.strictObject({ step: stepSchema, skipped: z.boolean() });
export type SkipStep = z.infer<typeof skipStepSchema>;

/** The state of an organization's first steps, derived from its data. */
export async function readOnboarding(tx: Tx): Promise<Onboarding> {
  const [row] = await tx.$queryRaw<
    { skipped: string[]; agent: boolean; server: boolean; task: boolean; invitation: boolean }[]
  >`
    SELECT onboarding_skipped AS skipped,
      EXISTS (SELECT FROM agent_credential a WHERE a.organization_id = o.id) AS agent,
      EXISTS (SELECT FROM server s WHERE s.organization_id = o.id AND s.removed_at IS NULL
        AND s.health_checked_at IS NOT NULL AND s.tools IS NOT NULL) AS server,
      EXISTS (SELECT FROM task t WHERE t.organization_id = o.id) AS task,
      EXISTS (SELECT FROM invitation i WHERE i.organization_id = o.id)
        OR EXISTS (SELECT FROM membership m WHERE m.organization_id = o.id OFFSET 1) AS invitation
    FROM organization o WHERE o.id = ${tx.organizationId}::uuid`;
  if (!row) throw new Error("no organization");
  const { skipped, agent, server, task, invitation } = row;
  return {
    agent: stateOf("agent", agent, skipped),
    server: stateOf("server", server, skipped),
    task: stateOf("task", task, skipped),
    invitation: stateOf("invitation", invitation, skipped),
  };
}

function stateOf(step: Step, done: boolean, skipped: readonly string[]): StepState {
  if (done) return "done";
  return skipped.includes(step) ? "skipped" : "open";
}

/** Skips or reopens a step for the whole organization. Simultaneous calls don't undo each other. */
export async function skipStep(tx: Tx, { step, skipped }: SkipStep): Promise<void> {
  await tx.$executeRaw`UPDATE organization SET onboarding_skipped =
      array_remove(onboarding_skipped, ${step}) || CASE WHEN ${skipped} THEN ARRAY[${step}] ELSE '{}'::text[] END
    WHERE id = ${tx.organizationId}::uuid`;
}
