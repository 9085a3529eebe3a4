/** Names that lead to this machine or into a private network, by their text. */
const PRIVATE_NAME = /^[^.:]+$|(^|\.)(localhost|local|internal|intranet|lan|home\.arpa)$/i;
/** Without 0.0.0.0/8 and link-local addresses, which no setting opens. */
const PRIVATE_ADDRESS =
  /^(10|127|192\.168|172\.(1[6-9]|2\d|3[01])|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\.|^\[(::1\]|f[cd])/i;

/** What a name or an address needs. A URL's host may have `$`, `;` and quotes too, which a shell would run. */
const PLAIN_HOST = /^[\w.:[\]-]+$/;

/** Returns `localhost:3055` of an address whose text says that it is private, or null. */
export function privateHostOf(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { hostname, port, protocol } = new URL(url);
  if (!PLAIN_HOST.test(hostname)) return null;
  if (!PRIVATE_NAME.test(hostname) && !PRIVATE_ADDRESS.test(hostname)) return null;
  return `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
}

/** What to do about a server that was not reached. Judged by the address's text, so that it tells nothing of the network. */
export function unreachedAdvice(url: string): string {
  const host = privateHostOf(url);
  return host === null
    ? "Check that it runs and that the address is right."
    : `Check that it runs. Intray calls addresses of this machine and of private networks only where they are allowed. To allow this one, start Intray with: INTRAY_ALLOW_HOSTS=${host} npm start`;
}
