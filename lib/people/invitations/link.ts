import { env } from "../../base/env.ts";

/**
 * The address of an invitation. The token appears in it only, and is logged nowhere: it stands in the fragment, which
 * no browser sends to a server, a proxy or another site.
 */
export function joinUrl(token: string): string {
  return `${env().url}/join#token=${token}`;
}
