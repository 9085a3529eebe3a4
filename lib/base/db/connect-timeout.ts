/** Returns the time limit for connecting in ms: the URL's `connect_timeout` (libpq's, in seconds) if set. */
export function connectTimeoutMs(url: string, otherwise = 5_000): number {
  return 1_000 * Number(new URL(url).searchParams.get("connect_timeout")) || otherwise;
}
