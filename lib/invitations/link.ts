import { env } from "../base/env.ts";

/** Where whoever was invited comes in. The token stands in it alone: it is logged nowhere. */
export function joinUrl(token: string): string {
  return `${env().url}/join?token=${token}`;
}
