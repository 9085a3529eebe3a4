/**
 * Posts and edits members' messages at Teams. Nobody can ask Teams whether a message was posted: one whose answer was lost is posted once
 * more while its matter is open, and decides nothing (docs/decisions/098).
 */
import type { Database, Tx } from "../../base/db/db.ts";
import type { Network } from "../../base/network/network.ts";
import type { Seal } from "../../base/seal.ts";
import { channelDue, GONE, type Outcome, type Step, sendNext } from "../channel/delivery.ts";
import { TEAMS } from "../channel/platforms.ts";
import type { Cloud } from "./cloud.ts";
import { readConversation } from "./conversation-writes.ts";
import { type Shown, teamsMessage } from "./message.ts";
import {
  type Conversation,
  failureOf,
  isDeleted,
  type OpenedApp,
  openApp,
  type TeamsClient,
  teamsClient,
  withAccess,
} from "./teams-api.ts";

interface Means {
  database: Database;
  network: Network;
  seal: Seal;
}

/** Returns the organization's members who are due. */
export const teamsDue = (tx: Tx): Promise<string[]> => channelDue(TEAMS, tx);

interface Opened {
  app: OpenedApp | null;
  conversation: Conversation | null;
}

/** Posts or edits one message of a member. Returns false if the member is not due, or nothing has changed. */
export function sendToTeams(
  { database, network, seal }: Means,
  organizationId: string,
  userId: string,
  { appUrl, cloud }: { appUrl: string; cloud: Cloud },
): Promise<boolean> {
  const within = <T>(work: (tx: Tx) => Promise<T>) => database.withOrganization(organizationId, work);
  const sending = {
    platform: TEAMS,
    show: teamsMessage,
    open: async (tx: Tx): Promise<Opened> => ({
      app: await openApp(tx, seal),
      conversation: await readConversation(tx, userId),
    }),
    async carryOut({ app, conversation }: Opened, step: Step<Shown>): Promise<Outcome> {
      if (!conversation) return { kind: "refused", error: NOT_ADDED };
      if (!app) throw new Error("the app went between two statements of a transaction");
      const using = { network, cloud, seal, within };
      return withAccess(using, app, async (token) =>
        carryOut(await teamsClient(using, token, conversation), step),
      ).catch(failureOf);
    },
  };
  return sendNext(sending, { database, seal }, organizationId, userId, appUrl);
}

const NOT_ADDED = "Intray’s app is not in your Teams yet. Add it there.";

async function carryOut(client: TeamsClient, step: Step<Shown>): Promise<Outcome> {
  if (step.kind === "test") return { kind: "done", messageId: await client.post(step.shown) };
  if (step.kind === "post") {
    const isOver = step.isUnsure && step.isClosed;
    return { kind: "done", messageId: isOver ? GONE : await client.post(step.shown) };
  }
  if (step.messageId !== GONE) {
    try {
      await client.edit(step.messageId, step.shown);
      return { kind: "done", messageId: step.messageId };
    } catch (error) {
      if (!isDeleted(error)) throw error;
    }
  }
  // Deleted in Teams: posted once again while it still waits for the member.
  if (step.isSecond || step.isClosed) return { kind: "done", messageId: GONE };
  return { kind: "done", messageId: await client.post(step.shown), isSecond: true };
}
