/**
 * Sends statements in one packet, where none needs another's result. Postgres carries them out one after the other, in the
 * order in which they are given, and each sees what the ones before it did, locks that it waited for among it. `work`
 * has to send its statement before it awaits anything, but for `planOnce`.
 *
 * Throws what the first one threw that failed, in that order: it counts as it would have alone.
 */
export async function together<const T extends readonly Promise<unknown>[]>(
  ...work: T
): Promise<{ [K in keyof T]: Awaited<T[K]> }> {
  const done = await Promise.allSettled(work);
  return done.map((one) => {
    if (one.status === "rejected") throw one.reason;
    return one.value;
  }) as { [K in keyof T]: Awaited<T[K]> };
}
