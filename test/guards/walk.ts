/** Goes through all operations in one test, and names the operations that failed or wrote. */
import { expect } from "vitest";
import { namesOf } from "./caller.ts";
import type { Picture } from "./digest.ts";
import { EXCEPTIONS } from "./exceptions.ts";
import type { Operation } from "./operations.ts";
import type { Things } from "./things.ts";

interface Step {
  name: string;
}

export interface UnchangingWalk<S extends Step, Ready> {
  /** Makes what the step needs. Its writes are not compared. `isAlone`: the step needs things of its own. */
  prepare(step: S, isAlone: boolean): Promise<Ready>;
  /** Makes the calls and expects their replies. */
  take(step: S, ready: Ready): Promise<void>;
  look(): Promise<Picture>;
}

/** Takes all steps in order. Throws one error that lists the failures of all of them. */
export async function walk<S extends Step>(steps: readonly S[], take: (step: S) => Promise<void>) {
  report(steps, await failuresOf(steps, take));
}

/**
 * Takes all steps and expects that none of them writes. It looks once before and once after; only if these
 * differ does it take each step again, alone and with new things, to name those that wrote.
 */
export async function walkUnchanged<S extends Step, Ready>(
  steps: readonly S[],
  { prepare, take, look }: UnchangingWalk<S, Ready>,
): Promise<void> {
  const ready = new Map<S, Ready>();
  for (const step of steps) ready.set(step, await prepare(step, false));
  const before = await look();
  const failures = await failuresOf(steps, (step) => take(step, ready.get(step) as Ready));
  const changed = difference(before, await look());
  if (changed.length > 0) {
    const writers = await failuresOf(steps, async (step) => {
      const own = await prepare(step, true);
      const beforeStep = await look();
      // Its reply was looked at above.
      await take(step, own).catch(() => undefined);
      const written = difference(beforeStep, await look());
      if (written.length > 0) throw new Error(`changed ${written.join(", ")}`);
    });
    failures.push(`changed by all together: ${changed.join(", ")}. Taken alone:`);
    failures.push(...(writers.length > 0 ? writers : ["none of them changed anything"]));
  }
  report(steps, failures);
}

/**
 * Returns what prepares calls that leave the things they name: all of them share one thing of each kind, and
 * a call that is taken alone gets its own.
 */
export function sharedNames(make: (operation: Operation) => Things) {
  const shared = new Map<string | undefined, Things>();
  return (operation: Operation, isAlone = false) => {
    if (isAlone) return namesOf(operation, make(operation));
    const state = EXCEPTIONS[operation.name]?.taskState;
    const things = shared.get(state) ?? make(operation);
    shared.set(state, things);
    return namesOf(operation, things);
  };
}

async function failuresOf<S extends Step>(
  steps: readonly S[],
  take: (step: S) => Promise<void>,
): Promise<string[]> {
  const failures: string[] = [];
  for (const step of steps)
    try {
      await take(step);
    } catch (error) {
      failures.push(`${step.name}: ${(error as Error).message}`);
    }
  return failures;
}

function difference(before: Picture, after: Picture): string[] {
  const tables = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...tables].filter((table) => before[table] !== after[table]);
}

function report(steps: readonly Step[], failures: string[]): void {
  expect(steps.length, "a walk without a step shows nothing").toBeGreaterThan(0);
  if (failures.length > 0) throw new Error(failures.join("\n"));
}
