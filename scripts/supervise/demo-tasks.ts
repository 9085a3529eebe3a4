import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readSandbox } from "../../lib/people/sandbox/sandbox-file.ts";
import { runStep } from "../child.ts";

/** The file that marks unfinished demonstration tasks; the seed of a new demonstration makes it. */
export const demoTasksMark = (dataDir: string) => join(dataDir, "demo-tasks");

/**
 * Starts the demonstration's tasks if the mark exists. Resolves with a line for people on failure: no start
 * waits for the tasks, and the next one tries again.
 */
export async function runDemoTasks(
  mark: string,
  environment: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  if (!existsSync(mark)) return undefined;
  try {
    await runStep("start-tasks", ["scripts/demo/start-tasks.ts"], { ...environment, DEMO_TASKS_MARK: mark });
    return undefined;
  } catch (error) {
    const why = (error as Error).message.trim().split("\n").at(-1);
    return `The demonstration's tasks are not all started (${why}); the next start tries again.`;
  }
}

/** How soon a press is followed. */
const LOOK_EVERY_MS = 1_000;

/** Calls `make` whenever somebody asks for a sandbox, until `isStopping`. A failure is tried again. */
export async function followSandbox(
  file: string,
  make: () => Promise<void>,
  isStopping: () => boolean,
  complain: (line: string) => void,
): Promise<void> {
  while (!isStopping()) {
    try {
      if (readSandbox(file)?.isMade === false) await make();
    } catch (error) {
      if (!isStopping()) complain(`The sandbox is not made yet: ${(error as Error).message}`);
    }
    await sleep(LOOK_EVERY_MS);
  }
}
