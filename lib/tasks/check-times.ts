/** When a task was looked at last, and when it will be next, from what the engine writes of it. Pure. */

export interface CheckTimes {
  lastCheckedAt: Date | null;
  nextCheckAt: Date | null;
}

/**
 * Polls at an even pace write nothing: one that was written goes on at its pace for as long as the connection is known
 * to have been watched. `watchedUntil`: an engine was seen on it then, and its server is well; null: it is not.
 */
export function checkTimes(written: CheckTimes, watchedUntil: Date | null): CheckTimes {
  const { lastCheckedAt, nextCheckAt } = written;
  if (!lastCheckedAt || !nextCheckAt || !watchedUntil) return written;
  const paceMs = nextCheckAt.getTime() - lastCheckedAt.getTime();
  const sinceMs = watchedUntil.getTime() - nextCheckAt.getTime();
  if (paceMs <= 0 || sinceMs < 0) return written;
  const onMs = (Math.floor(sinceMs / paceMs) + 1) * paceMs;
  return {
    lastCheckedAt: new Date(lastCheckedAt.getTime() + onMs),
    nextCheckAt: new Date(nextCheckAt.getTime() + onMs),
  };
}
