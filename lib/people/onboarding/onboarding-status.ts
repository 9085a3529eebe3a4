/** Without zod, to keep it out of every page's script. */
import type { Onboarding, Step, StepState } from "./onboarding-schema.ts";

/** Whether every step is done or skipped. */
export function isOver(onboarding: Onboarding): boolean {
  return Object.values(onboarding).every((state) => state !== "open");
}

export function stateOf(step: Step, done: boolean, skipped: readonly string[]): StepState {
  if (done) return "done";
  return skipped.includes(step) ? "skipped" : "open";
}
