/** What is on this machine alone. The demonstration, where anyone signs in with one click, is never anywhere else. */

/** A name or an address without a port, e.g. `localhost`, `127.0.0.1`, `::1` or `[::1]`. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|\[::1\]|::1|127(\.\d{1,3}){3})$/i.test(hostname);
}

/** The value of a Host header: what a browser was pointed at. Another name that leads here (DNS rebinding) is none. */
export function isLoopbackHost(host: string | null | undefined): boolean {
  return /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.test(host ?? "");
}

/** Whether Intray both listens and is known on this machine alone. `url` is where browsers find it. */
export function staysOnThisMachine({ host, url }: { host: string; url: string }): boolean {
  return isLoopback(host) && isLoopback(new URL(url).hostname);
}
