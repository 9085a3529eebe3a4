/** Addresses (URLs) that others wrote. Pure. */

/** No name of a host is half as long (RFC 1035: 253 octets). */
const HOST_CHARACTERS = 500;

/**
 * Returns the address, or null for a text that is none. The platform's parser takes time with the square of the length
 * of a host in foreign letters (punycode): 80 ms for
 * 5,000. A longer host is none, without being parsed.
 */
export function readAddress(text: string, base?: string | URL): URL | null {
  return hasShortHost(text) ? URL.parse(text, base) : null;
}

/** Whether a text may be given to a parser of addresses, which reads `%E6%BC%A2` as a foreign letter. */
export function hasShortHost(text: string): boolean {
  const [, host = ""] = /^(?:[^:/?#\\]*:)?[/\\\s]*([^/?#\\]*)/.exec(text) ?? [];
  return host.length <= HOST_CHARACTERS || (isAscii(host) && !host.includes("%"));
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
}
