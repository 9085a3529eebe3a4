/**
 * Only a path of this site, query included; `/` for anything else: a link must not lead through our sign-in to
 * somewhere else. Two slashes at the start would name another host, and `/.//` becomes two.
 */
export function ownPath(url: unknown): string {
  if (typeof url !== "string" || !url.startsWith("/") || !URL.canParse(url, NOWHERE)) return "/";
  const { origin, pathname, search } = new URL(url, NOWHERE);
  return origin === NOWHERE ? pathname.replace(/^\/+/, "/") + search : "/";
}

const NOWHERE = "http://intray.invalid";
