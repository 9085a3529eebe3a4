import { env } from "../base/env.ts";

/** The address of an invitation. The token appears in it only, and is logged nowhere. */
export function joinUrl(token: string): string {
  return `${env().url}/join?token=${token}`;
}
