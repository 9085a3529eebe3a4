/**
 * Where a request came from, for counting tries. Next writes the socket's address into `x-forwarded-for` when the
 * header is absent, and a reverse proxy appends to it: the last entry is the one that a client cannot choose behind a
 * proxy. Without a proxy a client can, so that counting by address is a courtesy; counting by account is the wall.
 */
export function clientAddress(forwardedFor: string | null | undefined): string {
  return forwardedFor?.split(",").at(-1)?.trim().slice(0, 64) || "unknown";
}
