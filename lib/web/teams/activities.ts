/**
 * Takes what Teams sends the organization's bot: where conversations are, and presses. A press is stored first, then carried out for as
 * long as Teams waits: the answer says what became of it, or opens a window.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Database, Tx } from "../../base/db/db.ts";
import { env } from "../../base/env.ts";
import { log } from "../../base/log.ts";
import type { Network } from "../../base/network/network.ts";
import type { Seal } from "../../base/seal.ts";
import { TEAMS } from "../../outbound/channel/platforms.ts";
import { carryOutPress, type Done, storePress } from "../../outbound/channel/press-writes.ts";
import { type Cloud, teamsCloud } from "../../outbound/teams/cloud.ts";
import { forgetConversation, keepConversation } from "../../outbound/teams/conversation-writes.ts";
import { CARD, card, plain } from "../../outbound/teams/message.ts";
import {
  type Activity,
  type Asked,
  readActivity,
  readPress,
  windowOf,
} from "../../outbound/teams/press-schema.ts";
import { writeTo } from "../../outbound/teams/press-writes.ts";
import { readText } from "../http/body.ts";
import { services } from "../tenant.ts";
import { believeTeams, notFromTeams } from "./believe.ts";

interface Means {
  database: Database;
  network: Network;
  seal: Seal;
  cloud: Cloud;
}

/** Of an activity with a card's inputs. */
const MOST_BYTES = 256 * 1024;
/** Teams gives up an answer after some more seconds. */
const PATIENCE_MS = 2_000;

/** Throws `unauthenticated` unless Teams sent this to the organization's app, from its tenant. */
export async function receiveActivity(request: Request, organizationId: string): Promise<Response> {
  const body = await readText(request, MOST_BYTES);
  const { db: database, network, seal } = await services();
  const cloud = teamsCloud(env().teamsCloud);
  const app = await database.withOrganization(organizationId, ({ teamsApp }) =>
    teamsApp.findFirst({ where: { organizationId }, select: { appId: true, tenantId: true } }),
  );
  const activity = readActivity(jsonOf(body));
  if (!app || !activity) throw notFromTeams();
  const { serviceUrl, channelData, from } = activity;
  await believeTeams({ network, cloud }, request.headers.get("authorization"), {
    appId: app.appId,
    serviceUrl,
  });
  if (channelData.tenant.id.toLowerCase() !== app.tenantId) throw notFromTeams();
  const oid = from.aadObjectId;
  if (oid === undefined) return nothing();
  const means = { database, network, seal, cloud };
  const pressed = readPress(activity);
  if (pressed && activity.id !== undefined) {
    const ownId = `${activity.conversation.id} ${activity.id}`;
    return press(means, organizationId, { person: oid, ownId }, pressed);
  }
  await note(means, organizationId, oid, activity);
  return nothing();
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Nothing is answered to what is no press. */
const nothing = () => Response.json({});

/** Keeps where the conversation is, of one person alone with the bot, and says how to go on. */
async function note(
  means: Means,
  organizationId: string,
  oid: string,
  { type, action, conversation, serviceUrl }: Activity,
): Promise<void> {
  if (conversation.conversationType !== "personal" || !means.cloud.isConnector(serviceUrl)) return;
  const within = <T>(work: (tx: Tx) => Promise<T>) => means.database.withOrganization(organizationId, work);
  if (type === "installationUpdate" && action?.startsWith("remove")) {
    await within((tx) => forgetConversation(tx, oid));
    return;
  }
  if (type !== "installationUpdate" && type !== "message") return;
  const { isNew, isLinked } = await within(async (tx) => ({
    isNew: await keepConversation(tx, oid, { id: conversation.id, serviceUrl }),
    isLinked: (await tx.teamsAccount.count({ where: { organizationId, oid } })) > 0,
  }));
  if (isLinked || !(isNew || type === "message")) return;
  // Not awaited: Teams waits for its answer.
  writeTo(means, organizationId, oid, `Link your account in Intray: ${env().url}/settings/channels`).catch(
    (error: unknown) => log.error({ err: error }, "somebody at Teams was not told how to link"),
  );
}

async function press(
  means: Means,
  organizationId: string,
  from: { person: string; ownId: string },
  { asked, press: stored }: NonNullable<ReturnType<typeof readPress>>,
): Promise<Response> {
  const pressId = await means.database.withOrganization(organizationId, (tx) =>
    storePress(TEAMS, tx, means.seal, from, stored),
  );
  if (pressId === null) return answer(asked, { text: TAKEN });
  const working = carryOutPress(TEAMS, means, organizationId, pressId);
  const done = await Promise.race([working, sleep(PATIENCE_MS, "late" as const, { ref: false })]);
  if (done !== "late") return answerTo(asked, done);
  // If this process dies, an engine tells the person to press again.
  working
    .then((late) => tellLate(means, organizationId, late))
    .catch((error: unknown) => log.error({ err: error }, "a press in Teams was not carried out"));
  return answer(asked, { text: "Intray is at it. The message shows what becomes of it." });
}

const TAKEN = "Intray has this press already.";

/** A window can't be opened any more. */
async function tellLate(means: Means, organizationId: string, done: Done | null): Promise<void> {
  const text = done?.asking ? "Press again, or decide in Intray." : done?.reply;
  if (done && text) await writeTo(means, organizationId, done.person, text);
}

function answerTo(asked: Asked, done: Done | null): Response {
  if (!done) return answer(asked, { text: TAKEN });
  const { outcome, reply, asking } = done;
  if (asking)
    return asked === "fetch"
      ? answer(asked, { window: windowOf(asking) })
      : answer(asked, { text: "A reason is needed. Decide in Intray." });
  // A copy of a message, whose answer was lost, or one that was forwarded: it never changes.
  if (outcome === "other_message") return answer(asked, { text: reply ?? "", isStale: true });
  return answer(asked, { text: reply ?? "Done. The message shows it soon." });
}

interface Said {
  text?: string;
  window?: ReturnType<typeof windowOf>;
  /** The message stays as it is, if it is not replaced by this answer. */
  isStale?: boolean;
}

/** As Teams wants the answer of each kind of invoke. */
function answer(asked: Asked, { text = "", window, isStale }: Said): Response {
  if (asked !== "execute") {
    const content = window && { contentType: CARD, content: window.card };
    return Response.json({
      task: window
        ? { type: "continue", value: { title: window.title, card: content } }
        : { type: "message", value: text },
    });
  }
  return Response.json(
    isStale
      ? { statusCode: 200, type: CARD, value: card([plain(text)], []) }
      : { statusCode: 200, type: "application/vnd.microsoft.activity.message", value: text },
  );
}
