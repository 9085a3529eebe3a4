/** Work that takes much of a core, one at a time for each organization in this process. */
import { AppError } from "../../base/errors.ts";
import { onePerProcess } from "../../base/process/process-wide.ts";
import { throttle } from "../http/throttle.ts";
import {
  REPLAY_MS,
  REPLAY_RETRY_AFTER_MS,
  VERIFICATION_RETRY_AFTER_MS,
  VERIFICATIONS_PER_ORGANIZATION,
} from "../tunables.ts";

const replaying = onePerProcess("replays", () => new Set<string>())();

/**
 * Streams a replay of an organization's policy, which takes a good part of a core: one at a time in each process. Throws
 * `throttled` while another one runs. One whose reader takes too long is broken off.
 */
export function oneReplay(
  organizationId: string,
  lines: () => AsyncGenerator<object, void>,
): AsyncGenerator<string, void> {
  if (replaying.has(organizationId))
    throw new AppError("throttled", "A replay of the policy runs already; wait until it has ended.", {
      retryAfterMs: REPLAY_RETRY_AFTER_MS,
    });
  replaying.add(organizationId);
  let isOver = false;
  const end = () => {
    if (!isOver) replaying.delete(organizationId);
    isOver = true;
  };
  // Also of a reader that never comes back.
  const timer = setTimeout(end, REPLAY_MS);
  timer.unref();
  return held(
    lines(),
    () => isOver,
    () => {
      clearTimeout(timer);
      end();
    },
  );
}

async function* held(
  lines: AsyncGenerator<object, void>,
  isOver: () => boolean,
  end: () => void,
): AsyncGenerator<string, void> {
  try {
    for await (const line of lines) {
      if (isOver()) throw new AppError("throttled", "The replay took too long.");
      yield `${JSON.stringify(line)}\n`;
    }
  } finally {
    end();
  }
}

const verifying = onePerProcess("verifications", () => new Set<string>())();

/**
 * Runs a check of an organization's whole history, which reads every line of it: one at a time in each process, and some a
 * minute over all. Throws `throttled`.
 */
export async function oneVerification<T>(organizationId: string, check: () => Promise<T>): Promise<T> {
  if (verifying.has(organizationId))
    throw new AppError("throttled", "A check of the history runs already; wait until it has ended.", {
      retryAfterMs: VERIFICATION_RETRY_AFTER_MS,
    });
  verifying.add(organizationId);
  try {
    await throttle(`verify ${organizationId}`, VERIFICATIONS_PER_ORGANIZATION);
    return await check();
  } finally {
    verifying.delete(organizationId);
  }
}
