/** Loopback checks. The demo, where anyone signs in with one click, runs on loopback only. */

/** Accepts a name or an address without a port, e.g. `localhost`, `127.0.0.1`, `::1` or `[::1]`. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|\[::1\]|::1|127(\.\d{1,3}){3})$/i.test(hostname);
}

/** Accepts the value of a Host header. Rejects other names that resolve to this machine (DNS rebinding). */
export function isLoopbackHost(host: string | null | undefined): boolean {
  return /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.test(host ?? "");
}

/** Returns true if Intray both listens on loopback and has a loopback `url` for browsers. */
export function staysOnThisMachine({ host, url }: { host: string; url: string }): boolean {
  return isLoopback(host) && isLoopback(new URL(url).hostname);
}
