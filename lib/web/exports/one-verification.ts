import { AppError } from "../../base/errors.ts";
import { onePerProcess } from "../../base/process/process-wide.ts";
import { throttle } from "../http/throttle.ts";
import { VERIFICATION_RETRY_AFTER_MS, VERIFICATIONS_PER_ORGANIZATION } from "../tunables.ts";

const running = onePerProcess("verifications", () => new Set<string>())();

/**
 * Runs a check of an organization's whole history, which reads every line of it: one at a time in each process, and some a
 * minute over all. Throws `throttled`.
 */
export async function oneVerification<T>(organizationId: string, check: () => Promise<T>): Promise<T> {
  if (running.has(organizationId))
    throw new AppError("throttled", "A check of the history runs already; wait until it has ended.", {
      retryAfterMs: VERIFICATION_RETRY_AFTER_MS,
    });
  running.add(organizationId);
  try {
    await throttle(`verify ${organizationId}`, VERIFICATIONS_PER_ORGANIZATION);
    return await check();
  } finally {
    running.delete(organizationId);
  }
}
