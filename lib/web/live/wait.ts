/**
 * Calls that wait for a change of one thing: an entry in a map each, woken by the process's one LISTEN connection. Whoever
 * is woken reads anew, by the caller's own rights.
 */
import { AppError } from "../../base/errors.ts";
import { onePerProcess } from "../../base/process/process-wide.ts";
import { WAITING_AGAIN_MS, WAITING_CALLS } from "../tunables.ts";
import { watch } from "./live.ts";

interface Waiting {
  byId: Map<string, Set<() => void>>;
  leave(): void;
}

const organizations = onePerProcess("waiting calls", () => new Map<string, Waiting>())();

/** Calls `wake` whenever something with this id may have changed, until the returned function is called. */
function onChangeOf(organizationId: string, id: string, wake: () => void): () => void {
  const waiting = organizations.get(organizationId) ?? begin(organizationId);
  const those = waiting.byId.get(id) ?? new Set();
  waiting.byId.set(id, those.add(wake));
  return () => {
    those.delete(wake);
    if (those.size === 0 && waiting.byId.get(id) === those) waiting.byId.delete(id);
    if (waiting.byId.size > 0 || organizations.get(organizationId) !== waiting) return;
    organizations.delete(organizationId);
    waiting.leave();
  };
}

function begin(organizationId: string): Waiting {
  const byId: Waiting["byId"] = new Map();
  const leave = watch(organizationId, {
    hear: (_topic, id) => {
      const woken = id === null ? [...byId.values()] : [byId.get(id) ?? []];
      for (const those of woken) for (const wake of [...those]) wake();
    },
  });
  const waiting = { byId, leave };
  organizations.set(organizationId, waiting);
  return waiting;
}

/** How many calls of a caller wait, by its id. */
const callers = onePerProcess("callers that wait", () => new Map<string, number>())();

/** Throws `throttled`. Each of them reads anew when what it waits for changes. */
function countIn(callerId: string): () => void {
  const waiting = callers.get(callerId) ?? 0;
  if (waiting >= WAITING_CALLS)
    throw new AppError("throttled", `${WAITING_CALLS} of your calls wait already; let some of them end.`, {
      retryAfterMs: WAITING_AGAIN_MS,
    });
  callers.set(callerId, waiting + 1);
  return () => {
    const left = (callers.get(callerId) ?? 1) - 1;
    if (left > 0) callers.set(callerId, left);
    else callers.delete(callerId);
  };
}

/**
 * Reads until `isDone`, at once and after each change of `id`; returns what was read last when the time is over or a signal
 * is aborted. Throws `throttled` if too many calls of the caller wait.
 */
export async function readUntil<T>(
  {
    organizationId,
    callerId,
    id,
    waitMs,
    signals,
  }: { organizationId: string; callerId: string; id: string; waitMs: number; signals: AbortSignal[] },
  read: (isFirst: boolean) => Promise<T>,
  isDone: (value: T) => boolean,
): Promise<T> {
  if (waitMs === 0) return read(true);
  const countOut = countIn(callerId);
  let changed = false;
  let wake: (() => void) | undefined;
  const end = AbortSignal.any([...signals, AbortSignal.timeout(waitMs)]);
  const stir = () => {
    changed = true;
    wake?.();
  };
  // Before the first read: a change during it is seen.
  const leave = onChangeOf(organizationId, id, stir);
  end.addEventListener("abort", stir);
  try {
    let isOver = end.aborted;
    for (let isFirst = true; ; isFirst = false) {
      changed = false;
      const value = await read(isFirst);
      if (isDone(value) || isOver) return value;
      if (!changed && !end.aborted)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      // The last look: what came at the last moment is told.
      isOver = end.aborted;
    }
  } finally {
    leave();
    countOut();
    end.removeEventListener("abort", stir);
  }
}
