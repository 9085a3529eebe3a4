/**
 * The address that tries are counted by. Next writes the socket's address into `x-forwarded-for` when the
 * header is absent, and a reverse proxy appends to it: a client behind a proxy cannot choose the last entry.
 * A client without a proxy can, so counting by account is the protection, and by address a courtesy.
 */
export function clientAddress(forwardedFor: string | null | undefined): string {
  return forwardedFor?.split(",").at(-1)?.trim().slice(0, 64) || "unknown";
}
