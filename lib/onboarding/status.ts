/** Without zod, so that every page can hold it. */
import type { Onboarding, Step, StepState } from "./schema.ts";

/** Whether nothing is left to do. */
export function isOver(onboarding: Onboarding): boolean {
  return Object.values(onboarding).every((state) => state !== "open");
}

export function stateOf(step: Step, done: boolean, skipped: readonly string[]): StepState {
  if (done) return "done";
  return skipped.includes(step) ? "skipped" : "open";
}
