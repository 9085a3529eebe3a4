import { existsSync } from "node:fs";
import { join } from "node:path";
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
