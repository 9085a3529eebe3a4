/** An address split so that its host can be set in bold. `suspect` says why a person should look twice. */
export interface UrlParts {
  before: string;
  host: string;
  after: string;
  suspect: string | null;
}

export function urlParts(url: string): UrlParts | null {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    return null;
  }
  // Anything but http(s) could run code or open another program.
  if (parsed.protocol !== "https:" && parsed.protocol !== "http:") return null;
  const credentials = parsed.username || parsed.password ? "It carries a user name before the host." : null;
  const punycode = parsed.hostname.split(".").some((label) => label.startsWith("xn--"))
    ? "Its host uses letters of another alphabet (punycode), which can imitate a known name."
    : null;
  const plain = parsed.protocol === "http:" ? "It is not encrypted (http)." : null;
  return {
    before: `${parsed.protocol}//${parsed.username ? `${parsed.username}@` : ""}`,
    host: parsed.host,
    after: `${parsed.pathname}${parsed.search}${parsed.hash}`,
    suspect: credentials ?? punycode ?? plain,
  };
}
