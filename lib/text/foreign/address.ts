/** Addresses (URLs) that others wrote. Pure. */

/** No name of a host is longer (RFC 1035: 253 octets). */
const HOST_CHARACTERS = 253;

/**
 * Returns the address, or null for a text that is none. The platform's parser takes time with the square of the length
 * of a host in foreign letters (punycode): 80 ms for 5,000. A longer host is none, without being parsed.
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

/** A URL split so that its host can be shown in bold. */
export interface UrlParts {
  /** The URL as a browser opens it, which may differ from the given text. */
  href: string;
  before: string;
  host: string;
  after: string;
  /** Reasons to be suspicious, in sentences. */
  warnings: string[];
}

/** Returns null for anything but http and https: other schemes could run code or open another program. */
export function urlParts(url: string): UrlParts | null {
  const parsed = readAddress(url);
  if (!parsed || !["https:", "http:"].includes(parsed.protocol)) return null;
  const { protocol, username, password, hostname, host, port, pathname, search, hash } = parsed;
  const credentials = username !== "" || password !== "";
  const warnings = [
    credentials && `The part before @ is not the site. This opens ${host}.`,
    hostname.split(".").some((label) => label.startsWith("xn--")) &&
      "Its name holds letters of other alphabets, which can look like those of a known name. It is shown as computers write it.",
    isAddress(hostname) && "It has a number in place of a name, so that nobody can say whose it is.",
    port !== "" && `Unusual port: ${port}.`,
    protocol === "http:" && "It is not encrypted (http): others on the way can read and change it.",
  ];
  return {
    href: parsed.href,
    before: `${protocol}//${credentials ? `${username}${password && ":…"}@` : ""}`,
    host,
    after: `${pathname}${search}${hash}`,
    warnings: warnings.filter((warning) => warning !== false),
  };
}

/** Scheme and host of an address, e.g. `https://bank.example`; of other schemes than http and https the scheme. */
export function siteOf(url: string): string {
  const parts = urlParts(url);
  // Not parsed again: the parser does not take every host that it writes.
  if (parts) return `${parts.href.slice(0, parts.href.indexOf(":"))}://${parts.host}`;
  return readAddress(url)?.protocol ?? "";
}

/** The URL parser already converts decimal and hexadecimal addresses to this form. */
function isAddress(hostname: string): boolean {
  return hostname.startsWith("[") || /^\d+(\.\d+){3}$/.test(hostname);
}
