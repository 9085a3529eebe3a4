/**
 * Returns a path of this site, query included, or `/` for anything else, so that no link leads through our
 * sign-in to another site. Two leading slashes would name another host, and `/.//` becomes two.
 */
export function ownPath(url: unknown, site: string): string {
  if (typeof url !== "string") return "/";
  const home = new URL(site).origin;
  const path = url.startsWith(`${home}/`) ? url.slice(home.length) : url;
  if (!path.startsWith("/") || !URL.canParse(path, home)) return "/";
  const { origin, pathname, search } = new URL(path, home);
  return origin === home ? pathname.replace(/^\/+/, "/") + search : "/";
}
