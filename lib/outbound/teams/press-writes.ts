/** Tells people in Teams what became of a press, where its answer came too late. */
import type { Database, Tx } from "../../base/db/db.ts";
import { log } from "../../base/log.ts";
import type { Network } from "../../base/network/network.ts";
import type { Seal } from "../../base/seal.ts";
import { TEAMS } from "../channel/platforms.ts";
import { LOST_WORDS, takeLost } from "../channel/press-writes.ts";
import type { Cloud } from "./cloud.ts";
import { failureOf, openApp, teamsClient, withAccess } from "./teams-api.ts";

interface Means {
  database: Database;
  network: Network;
  seal: Seal;
  cloud: Cloud;
}

/**
 * Writes to a person in their conversation with the bot, which is theirs alone. What Teams refuses is in the log: the message itself shows
 * how the request stands.
 */
export async function writeTo(
  { database, ...means }: Means,
  organizationId: string,
  oid: string,
  text: string,
): Promise<void> {
  const within = <T>(work: (tx: Tx) => Promise<T>) => database.withOrganization(organizationId, work);
  const { app, kept } = await within(async (tx) => ({
    app: await openApp(tx, means.seal),
    kept: await tx.teamsConversation.findFirst({ where: { organizationId, oid } }),
  }));
  if (!app || !kept) return;
  const { conversation: id, serviceUrl } = kept;
  const using = { ...means, within };
  await withAccess(using, app, async (token) =>
    // Plain: what is told may have words of others.
    (await teamsClient(using, token, { id, serviceUrl })).post({ text, textFormat: "plain" }),
  ).catch((error: unknown) => log.info({ failure: failureOf(error) }, "Teams took no reply to a press"));
}

/** Tells a person whose press was lost to press again. Returns false if none was. */
export async function tellLostInTeams(means: Means, organizationId: string): Promise<boolean> {
  const lost = await takeLost(TEAMS, means, organizationId);
  if (lost !== null && lost !== "nobody") await writeTo(means, organizationId, lost.person, LOST_WORDS);
  return lost !== null;
}
