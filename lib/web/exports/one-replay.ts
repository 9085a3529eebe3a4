import { AppError } from "../../base/errors.ts";
import { onePerProcess } from "../../base/process/process-wide.ts";
import { REPLAY_MS, REPLAY_RETRY_AFTER_MS } from "../tunables.ts";

const running = onePerProcess("replays", () => new Set<string>())();

/**
 * Streams a replay of an organization's policy, which takes a good part of a core: one at a time in each process. Throws
 * `throttled` while another one runs. One whose reader takes too long is broken off.
 */
export function oneReplay(
  organizationId: string,
  lines: () => AsyncGenerator<object, void>,
): AsyncGenerator<string, void> {
  if (running.has(organizationId))
    throw new AppError("throttled", "A replay of the policy runs already; wait until it has ended.", {
      retryAfterMs: REPLAY_RETRY_AFTER_MS,
    });
  running.add(organizationId);
  let isOver = false;
  const end = () => {
    if (!isOver) running.delete(organizationId);
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
