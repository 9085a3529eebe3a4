/** Slack's signatures (https://docs.slack.dev/authentication/verifying-requests-from-slack). Pure. */
import { createHmac, timingSafeEqual } from "node:crypto";

/** A call that is older, or from a later time than this, is refused: its signature may be a copied one. */
const WINDOW_MS = 5 * 60_000;

/** Whether Slack sent exactly this body, lately. `body`: as it came, before anything reads it. */
export function isFromSlack(headers: Headers, body: string, signingSecret: string, now: number): boolean {
  const timestamp = headers.get("x-slack-request-timestamp") ?? "";
  const signature = headers.get("x-slack-signature") ?? "";
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now - Number(timestamp) * 1000) > WINDOW_MS) return false;
  const digest = createHmac("sha256", signingSecret).update(`v0:${timestamp}:${body}`).digest("hex");
  const [expected, given] = [Buffer.from(`v0=${digest}`), Buffer.from(signature)];
  return given.length === expected.length && timingSafeEqual(given, expected);
}
