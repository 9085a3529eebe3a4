/** Calls to Entra and to Teams' Bot Connector, over the guarded network, and what their failures mean. */
import { z } from "zod";
import type { Tx } from "../../base/db/db.ts";
import { type Network, receiverUrl } from "../../base/network/network.ts";
import type { Seal, SealedPlace } from "../../base/seal.ts";
import type { Outcome } from "../channel/delivery.ts";
import type { Cloud } from "./cloud.ts";

export interface TeamsMeans {
  network: Network;
  cloud: Cloud;
}

/** Time for Microsoft to respond. */
const DEADLINE_MS = 10_000;

/** Microsoft answered no. `code`: in its words. */
class TeamsRefusal extends Error {
  readonly from: "entra" | "teams";
  readonly status: number;
  readonly code: string;
  /** The pause that it asks for; null: none. */
  readonly retryAfterMs: number | null;

  constructor(from: "entra" | "teams", reply: Response, body: unknown) {
    super(`${from} answered ${reply.status}`);
    this.from = from;
    this.status = reply.status;
    this.code = codeSchema.safeParse(body).data ?? "an unknown error";
    const seconds = Number(reply.headers.get("retry-after") ?? "");
    this.retryAfterMs = seconds > 0 ? Math.min(seconds * 1000, MOST_WAIT_MS) : null;
  }
}

const codeText = z.string().regex(/^[\w.-]{1,80}$/);
/** Entra’s errors have the code itself, and Teams’ an object with it. */
const codeSchema = z
  .object({ error: z.union([codeText, z.object({ code: codeText }).transform(({ code }) => code)]) })
  .transform(({ error }) => error);

/** The longest pause that Microsoft is granted. */
const MOST_WAIT_MS = 3600_000;
/** A limit without a Retry-After. */
const LIMITED_MS = 60_000;

async function call(
  network: Network,
  from: TeamsRefusal["from"],
  url: string,
  init: RequestInit,
): Promise<unknown> {
  const reply = await network.fetch(receiverUrl(network, url), {
    ...init,
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
  const body = jsonOf(await reply.text());
  if (!reply.ok) throw new TeamsRefusal(from, reply, body);
  return body;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Asks Entra for tokens (https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow). */
export function askTokens(
  { network, cloud }: TeamsMeans,
  { appId, tenantId, clientSecret }: { appId: string; tenantId: string; clientSecret: string },
  grant: Record<string, string>,
): Promise<unknown> {
  const body = new URLSearchParams({ client_id: appId, client_secret: clientSecret, ...grant });
  return call(network, "entra", `${cloud.loginUrl}/${tenantId}/oauth2/v2.0/token`, { method: "POST", body });
}

const accessSchema = z.object({ access_token: z.string().max(10_000), expires_in: z.number() });

export interface AccessToken {
  token: string;
  until: Date;
}

/** The token with which Intray calls Teams as the bot. */
export async function askAccess(
  means: TeamsMeans,
  app: Parameters<typeof askTokens>[1],
): Promise<AccessToken> {
  const grant = { grant_type: "client_credentials", scope: means.cloud.scope };
  const { access_token: token, expires_in } = accessSchema.parse(await askTokens(means, app, grant));
  return { token, until: new Date(Date.now() + expires_in * 1000) };
}

/** Where a member’s conversation with the bot is. */
export interface Conversation {
  id: string;
  serviceUrl: string;
}

/** Posts and edits in one conversation. */
export interface TeamsClient {
  /** Returns by which Teams knows the message. */
  post(activity: object): Promise<string>;
  edit(activityId: string, activity: object): Promise<void>;
}

/** A request as the package makes it. */
interface Asking {
  url?: string | undefined;
  method?: string | undefined;
  data?: unknown;
}

const postedSchema = z.object({ id: z.string().min(1).max(300) });

/**
 * Makes one attempt a call: pauses and repeats are kept in the database, where all processes see them. Throws for an address that is not
 * Microsoft’s: it is from outside, and would get the token.
 */
export async function teamsClient(
  { network, cloud }: TeamsMeans,
  token: string,
  { id, serviceUrl }: Conversation,
): Promise<TeamsClient> {
  if (!cloud.isConnector(serviceUrl)) throw new Error("The conversation is not at Microsoft’s");
  // In the place of the package’s own way out, which is past the guarded network, and logs what fails with its body.
  const guarded = {
    async invoke<R>({ config }: { config: Asking }): Promise<R> {
      const data = await call(network, "teams", config.url ?? "", {
        method: (config.method ?? "post").toUpperCase(),
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(config.data),
      });
      return { data } as R;
    },
  };
  // Loaded where an organization has Teams: it takes 33 MB and a third of a second.
  const { ConversationClient } = await import("@microsoft/teams.api");
  const client = new ConversationClient(serviceUrl, { middlewares: [guarded] });
  const place = encodeURIComponent(id);
  return {
    async post(activity) {
      return postedSchema.parse(await client.createActivity(place, { type: "message", ...activity })).id;
    },
    async edit(activityId, activity) {
      await client.updateActivity(place, encodeURIComponent(activityId), { type: "message", ...activity });
    },
  };
}

/** What a member can do about a refusal, by its code. */
const WORDS: Record<string, string> = {
  ConversationBlockedByUser: "You blocked Intray in Teams.",
  MessageWritesBlocked: "You blocked Intray in Teams.",
  BotNotInConversationRoster: "Intray’s app was removed in Teams. Add it again.",
  ConversationNotFound: "Intray’s app was removed in Teams. Add it again.",
  BotDisabledByAdmin: "An admin of Teams disabled Intray’s app.",
};

/** Says what a failed call means (https://learn.microsoft.com/microsoftteams/platform/bots/how-to/rate-limit). Throws what is no failure of a call. */
export function failureOf(error: unknown): Exclude<Outcome, { kind: "done" }> {
  if (error instanceof TeamsRefusal) {
    const { from, status, code, retryAfterMs } = error;
    if (status === 429 || status === 412) return { kind: "limited", waitMs: retryAfterMs ?? LIMITED_MS };
    const who = from === "entra" ? "Microsoft’s sign-in" : "Teams";
    if (status >= 500) return { kind: "unknown", error: `${who} answered ${status}.` };
    if (from === "entra" || status === 401) return { kind: "revoked", code };
    return { kind: "refused", error: WORDS[code] ?? `Teams answered ${status} ${code}.` };
  }
  // Also for an address that is not allowed any more: it is told as one that can’t be reached.
  if (error instanceof Error) return { kind: "unknown", error: "Teams can’t be reached." };
  throw error;
}

/** Whether the message was deleted in Teams. */
export const isDeleted = (error: unknown): boolean =>
  error instanceof TeamsRefusal && error.from === "teams" && error.code === "ActivityNotFoundInConversation";

export const secretPlace = (
  organizationId: string,
  row: string,
  column: "sealed_client_secret" | "sealed_token",
): SealedPlace => ({ organizationId, table: "teams_app", row, column });

/** The secrets with which Intray calls Microsoft for the organization. */
export interface OpenedApp {
  id: string;
  appId: string;
  tenantId: string;
  clientSecret: string;
  setUpAt: Date;
  /** Null: none is known, or it ends soon. */
  access: string | null;
}

/** A token is replaced so long before its end. */
const SOON_MS = 60_000;

/** Null: Teams is not set up, or Microsoft takes the secret no more. */
export async function openApp({ organizationId, teamsApp }: Tx, seal: Seal): Promise<OpenedApp | null> {
  const app = await teamsApp.findFirst({ where: { organizationId, revokedAt: null } });
  if (!app) return null;
  const { id, appId, tenantId, sealedClientSecret, sealedToken, tokenUntil, setUpAt } = app;
  const isFresh = tokenUntil !== null && tokenUntil.getTime() > Date.now() + SOON_MS;
  return {
    ...{ id, appId, tenantId, setUpAt },
    clientSecret: seal.open(secretPlace(organizationId, id, "sealed_client_secret"), sealedClientSecret),
    access:
      isFresh && sealedToken !== null
        ? seal.open(secretPlace(organizationId, id, "sealed_token"), sealedToken)
        : null,
  };
}

interface Using extends TeamsMeans {
  seal: Seal;
  within<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
}

/**
 * Calls Teams with the known token, or with a new one, which is kept. A token that Teams takes no more is replaced once. Throws
 * TeamsRefusal, and errors of the network.
 */
export async function withAccess<T>(
  { seal, within, ...means }: Using,
  app: OpenedApp,
  work: (token: string) => Promise<T>,
): Promise<T> {
  if (app.access !== null) {
    try {
      return await work(app.access);
    } catch (error) {
      if (!(error instanceof TeamsRefusal && error.from === "teams" && error.status === 401)) throw error;
    }
  }
  const { token, until } = await askAccess(means, app);
  await within(({ organizationId, teamsApp }) =>
    teamsApp.updateMany({
      // Not where the app was set up again meanwhile: the token is of the earlier one.
      where: { organizationId, id: app.id, setUpAt: app.setUpAt },
      data: {
        sealedToken: seal.seal(secretPlace(organizationId, app.id, "sealed_token"), token),
        tokenUntil: until,
      },
    }),
  );
  return work(token);
}
