import { setTimeout as sleep } from "node:timers/promises";
import { readSandbox } from "../../lib/people/sandbox/sandbox-file.ts";

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
