/** Server only: judges arguments in a process of its own, since a server's schema may make it cost anything. */
import { aside } from "../../base/aside/aside.ts";
import type { ArgumentsCheck, validateTexts } from "./arguments.ts";

/** Processor time. The server judges whatever takes longer. */
const MOST_MS = 1_000;

const judge = aside<typeof validateTexts>("lib/mcp/forms/arguments.ts", "validateTexts", MOST_MS);

/** As `validateArguments`. What takes too long, or waits behind too many, is not checked. */
export async function judgeArguments(
  organizationId: string,
  inputSchema: Record<string, unknown>,
  args: unknown,
): Promise<ArgumentsCheck> {
  // As texts, which are copied in a fraction of the time.
  const outcome = await judge(organizationId, JSON.stringify(inputSchema), JSON.stringify(args ?? null));
  if (outcome.done) return outcome.value;
  const why =
    outcome.why === "busy" ? "Too many checks were waiting" : "The check took too much time or memory";
  return { checked: false, reason: why };
}
