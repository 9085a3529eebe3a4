import { existsSync } from "node:fs";
import { join } from "node:path";
import { runStep } from "../child.ts";

/** The file that says that the demonstration's tasks are not all started; the seed of a new demonstration makes it. */
export const demoTasksMark = (dataDir: string) => join(dataDir, "demo-tasks");

/**
 * Starts the demonstration's tasks where that is still to be done. Resolves with a line for people when it failed: no
 * start waits for it, and the next one tries again.
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
