/** The times of a task's last and next check, derived from the times that the engine wrote. Pure. */

export interface CheckTimes {
  lastCheckedAt: Date | null;
  nextCheckAt: Date | null;
}

/**
 * Extrapolates from the written times, since polls at an even pace write nothing: checks continue at that
 * pace for as long as the connection was watched. `watchedUntil`: when an engine was last seen on the
 * connection, with a healthy server. Null: returns the written times.
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
