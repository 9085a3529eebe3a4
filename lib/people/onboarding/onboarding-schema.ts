import { z } from "zod";

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
