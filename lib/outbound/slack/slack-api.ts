/** Calls to Slack's Web API by Slack's own package, over the guarded network, and what their failures mean. */
import {
  LogLevel,
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebClient,
  type WebClientOptions,
} from "@slack/web-api";
import type { Tx } from "../../base/db/db.ts";
import { type Network, receiverUrl } from "../../base/network/network.ts";
import type { Seal, SealedPlace } from "../../base/seal.ts";

export interface SlackMeans {
  network: Network;
  /** Where Slack is, without a slash at the end. */
  slackUrl: string;
}

/** Time for Slack to respond. */
const DEADLINE_MS = 10_000;

/** The packages would log bodies, which have people's questions. */
export const SILENT: NonNullable<WebClientOptions["logger"]> = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  setName() {},
  getLevel: () => LogLevel.ERROR,
};

/** Makes one attempt a call: pauses and repeats are kept in the database, where all processes see them. */
export function slackClient(means: SlackMeans, token?: string): WebClient {
  return new WebClient(token, { ...clientOptions(means), logger: SILENT });
}

export function clientOptions({ network, slackUrl }: SlackMeans) {
  return {
    slackApiUrl: `${slackUrl}/api/`,
    fetch: (url, init) => network.fetch(receiverUrl(network, String(url)), init as RequestInit),
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: DEADLINE_MS,
    allowAbsoluteUrls: false,
  } satisfies WebClientOptions;
}

export type SlackFailure =
  /** Slack takes the token no more. */
  | { kind: "revoked"; code: string }
  | { kind: "limited"; waitMs: number }
  /** Slack answered no, and did nothing. */
  | { kind: "refused"; code: string; error: string }
  /** It is not known whether Slack did it. */
  | { kind: "unknown"; error: string };

const REVOKED = [
  "account_inactive",
  "app_uninstalled",
  "invalid_auth",
  "not_authed",
  "team_access_not_granted",
  "token_expired",
  "token_revoked",
];
/** After these nobody knows whether Slack did it (https://docs.slack.dev/reference/methods/chat.postMessage#errors). */
const UNSURE = [
  "fatal_error",
  "internal_error",
  "request_timeout",
  "service_unavailable",
  "team_added_to_org",
];
/** Limits without a Retry-After. */
const LIMITED = ["rate_limited", "ratelimited"];
const LIMITED_MS = 60_000;
/** The longest pause that Slack is granted. */
const MOST_WAIT_MS = 3600_000;

/** Says what a failed call means. Throws what is no failure of a call. */
export function failureOf(error: unknown): SlackFailure {
  if (error instanceof WebAPIRateLimitedError)
    return { kind: "limited", waitMs: Math.min(Math.max(error.retryAfter, 1) * 1000, MOST_WAIT_MS) };
  if (error instanceof WebAPIPlatformError) {
    const code = /^[a-z_]{1,60}$/.exec(error.data.error)?.[0] ?? "an unknown error";
    if (REVOKED.includes(code)) return { kind: "revoked", code };
    if (LIMITED.includes(code)) return { kind: "limited", waitMs: LIMITED_MS };
    const answered = `Slack answered ${code}.`;
    if (UNSURE.includes(code)) return { kind: "unknown", error: answered };
    return { kind: "refused", code, error: answered };
  }
  if (error instanceof WebAPIHTTPError)
    return { kind: "unknown", error: `Slack answered ${error.statusCode}.` };
  // Also for an address that is not allowed any more: it is told as one that can't be reached.
  if (error instanceof Error) return { kind: "unknown", error: "Slack can’t be reached." };
  throw error;
}

type SealedColumn =
  | "sealed_app_token"
  | "sealed_bot_token"
  | "sealed_client_secret"
  | "sealed_signing_secret";

export const secretPlace = (organizationId: string, row: string, column: SealedColumn): SealedPlace => ({
  organizationId,
  table: "slack_app",
  row,
  column,
});

/** With which Intray calls Slack for the organization. `appId`: of the row in `slack_app`. */
export async function openBotToken(
  { organizationId, slackApp }: Tx,
  seal: Seal,
  appId: string,
): Promise<string> {
  const { sealedBotToken } = await slackApp.findFirstOrThrow({
    where: { organizationId, id: appId },
    select: { sealedBotToken: true },
  });
  return seal.open(secretPlace(organizationId, appId, "sealed_bot_token"), sealedBotToken);
}
