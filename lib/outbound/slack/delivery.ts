/**
 * Sends members' messages at Slack. A member is due whenever a notice of theirs or a request that they were told of changes. One engine
 * takes a due member, commits which message it is going to post or edit, calls Slack outside of any transaction, and records the result.
 * If the engine dies after it posted, the next one finds the message at Slack by its id, and posts none beside it.
 */
import type { WebClient } from "@slack/web-api";
import { z } from "zod";
import { type Database, Prisma, type Tx } from "../../base/db/db.ts";
import { uuidv7 } from "../../base/ids.ts";
import { publishChange } from "../../base/live-updates.ts";
import type { Network } from "../../base/network/network.ts";
import type { Seal } from "../../base/seal.ts";
import { appendEvents, ENGINE_ACTOR } from "../../history/events/event-writes.ts";
import { countSent } from "../../history/metrics/engine.ts";
import { countMessage, type Shown, TEST_MESSAGE } from "./message.ts";
import { failureOf, type SlackFailure, secretPlace, slackClient } from "./slack-api.ts";
import { type Looking, memberAsCaller, nextSlackTime, noticeView, requestView, toldInSlack } from "./view.ts";

/** Duration of a claim, longer than the calls of any attempt. */
const TAKEN_MS = 60_000;
/** Slack takes a message a second in a conversation. */
const BETWEEN_MS = 1_100;
const BACKOFF_BASE_MS = 15_000;
const BACKOFF_CAP_MS = 3600_000;
/** After this long without success, a member is tried again only when there is something new. */
const GIVEN_UP_MS = 24 * 3600_000;
/** Open messages about requests of a member; more are counted in one message. */
const MOST_OPEN = 10;
/** Other notices at once, as of tasks that failed; more are counted in the same message. */
const MOST_OTHERS = 3;

interface Means {
  database: Database;
  network: Network;
  seal: Seal;
}

/** Returns the organization's members who are due. */
export async function slackDue(tx: Tx): Promise<string[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`SELECT a.user_id AS id FROM slack_account a
    JOIN slack_app s ON s.organization_id = a.organization_id AND s.revoked_at IS NULL AND s.not_before <= now()
    WHERE a.organization_id = ${tx.organizationId}::uuid AND a.due_at <= now() AND a.not_before <= now()`;
  return rows.map(({ id }) => id);
}

/** Posts or edits one message of a member. Returns false if the member is not due, or nothing has changed. */
export async function sendToSlack(
  { database, network, seal }: Means,
  organizationId: string,
  userId: string,
  { appUrl, slackUrl }: { appUrl: string; slackUrl: string },
): Promise<boolean> {
  const within = <T>(work: (tx: Tx) => Promise<T>) => database.withOrganization(organizationId, work);
  const taken = await within((tx) => take(tx, seal, userId, appUrl));
  if (!taken) return false;
  const client = slackClient({ network, slackUrl }, taken.botToken);
  const outcome = await carryOut(client, taken).catch((error: unknown): Outcome => failureOf(error));
  countSent("slack", outcome.kind === "done" ? "ok" : outcome.kind === "revoked" ? "given_up" : "failed");
  await within((tx) => settle(tx, taken, outcome));
  return true;
}

/** A message's row, its place and what it has to show. */
type Step =
  | { kind: "test" }
  | { kind: "post"; id: string; shown: Shown; digest: string; isUnsure: boolean; since: Date }
  | { kind: "edit"; id: string; shown: Shown; digest: string; ts: string; isSecond: boolean };

interface Taken {
  userId: string;
  slackUserId: string;
  channel: string | null;
  botToken: string;
  sealedBotToken: string;
  /** The attempt's number since Slack last took a message. */
  attempts: number;
  claimedUntil: Date;
  /** When the member is due again, even if nothing happens; null: never. */
  nextDueAt: Date | null;
  step: Step;
}

interface AccountRow {
  slackUserId: string;
  channel: string | null;
  attempts: number;
  claimedUntil: Date;
  asksTest: boolean;
  appId: string;
  sealedBotToken: string;
  showsText: boolean;
}

/** Claims the member, and keeps which message is going to be posted. Null: they are not due, or nothing has changed. */
async function take(tx: Tx, seal: Seal, userId: string, appUrl: string): Promise<Taken | null> {
  const { organizationId } = tx;
  const [row] = await tx.$queryRaw<AccountRow[]>`
    UPDATE slack_account a SET attempts = a.attempts + 1, not_before = now() + ${TAKEN_MS} * interval '1 ms',
      due_at = now() + ${TAKEN_MS} * interval '1 ms'
    FROM slack_app s
    WHERE a.organization_id = ${organizationId}::uuid AND a.user_id = ${userId}::uuid AND a.due_at <= now() AND a.not_before <= now()
      AND s.organization_id = a.organization_id AND s.revoked_at IS NULL AND s.not_before <= now()
    RETURNING a.slack_user_id AS "slackUserId", a.channel, a.attempts, a.due_at AS "claimedUntil",
      a.test_asked_at IS NOT NULL AND a.test_sent_at IS NULL AS "asksTest", s.id AS "appId", s.sealed_bot_token AS "sealedBotToken",
      s.shows_text AS "showsText"`;
  if (!row) return null;
  const looking = { appUrl, withText: row.showsText };
  const digestOf = (shown: Shown) =>
    seal.digest(`slack message ${organizationId}`, JSON.stringify(shown)).toString("base64url").slice(0, 22);
  const step: Step | null = row.asksTest ? { kind: "test" } : await nextStep(tx, userId, looking, digestOf);
  const nextDueAt = await nextSlackTime(tx, userId);
  if (!step) {
    await tx.$executeRaw`UPDATE slack_account SET attempts = 0, not_before = now(), due_at = ${nextDueAt}::timestamptz
      WHERE organization_id = ${organizationId}::uuid AND user_id = ${userId}::uuid`;
    return null;
  }
  const { slackUserId, channel, attempts, claimedUntil, sealedBotToken } = row;
  const botToken = seal.open(secretPlace(organizationId, row.appId, "sealed_bot_token"), sealedBotToken);
  return { userId, slackUserId, channel, botToken, sealedBotToken, attempts, claimedUntil, nextDueAt, step };
}

interface MessageRow {
  id: string;
  matter: string;
  isRequest: boolean;
  ts: string | null;
  isSecond: boolean;
  digest: string;
  closedAt: Date | null;
  createdAt: Date;
}

/** The first message that shows something else than it has to: edits come before new ones. */
async function nextStep(
  tx: Tx,
  userId: string,
  looking: Looking,
  digestOf: (shown: Shown) => string,
): Promise<Step | null> {
  const member = await memberAsCaller(tx, userId);
  if (!member) return null;
  const { organizationId } = tx;
  const told = Map.groupBy(await toldInSlack(tx, userId), ({ matter }) => matter);
  const messages: MessageRow[] = await tx.slackMessage.findMany({
    where: { organizationId, userId, OR: [{ closedAt: null }, { matter: { in: [...told.keys(), userId] } }] },
    orderBy: [{ createdAt: "asc" }, { id: "asc" }],
  });
  const view = (matter: string, isRequest: boolean) =>
    isRequest
      ? requestView(tx, member, matter, told.get(matter) ?? [], looking)
      : noticeView(tx, userId, matter, told.get(matter) ?? [], looking.appUrl);
  const counting = messages.find(({ matter }) => matter === userId);
  for (const message of messages) {
    if (message === counting) continue;
    const shown = await view(message.matter, message.isRequest);
    const step = shown && stepTo(message, shown, digestOf);
    if (step) return step;
  }
  const known = new Set(messages.map(({ matter }) => matter));
  const fresh = [...told].filter(([matter]) => !known.has(matter));
  const isOfRequest = ([, notices]: (typeof fresh)[number]) =>
    notices.some(({ inputRequestId }) => inputRequestId !== null);
  const requests = fresh.filter(isOfRequest);
  const others = fresh.filter((each) => !isOfRequest(each));
  const open = messages.filter(({ isRequest, closedAt }) => isRequest && closedAt === null).length;
  const first = open < MOST_OPEN && requests[0] ? requests[0] : others.length <= MOST_OTHERS && others[0];
  if (first) {
    const [matter] = first;
    const isRequest = isOfRequest(first);
    const shown = await view(matter, isRequest);
    return shown && insert(tx, userId, { matter, isRequest }, shown, digestOf);
  }
  const shown = countMessage(fresh.length, looking.appUrl);
  if (counting) return stepTo(counting, shown, digestOf);
  return fresh.length === 0
    ? null
    : insert(tx, userId, { matter: userId, isRequest: false }, shown, digestOf);
}

function stepTo(message: MessageRow, shown: Shown, digestOf: (shown: Shown) => string): Step | null {
  const { id, ts, isSecond, createdAt: since } = message;
  const digest = digestOf(shown);
  if (ts === null) return { kind: "post", id, shown, digest, isUnsure: true, since };
  return digest === message.digest ? null : { kind: "edit", id, shown, digest, ts, isSecond };
}

async function insert(
  tx: Tx,
  userId: string,
  { matter, isRequest }: { matter: string; isRequest: boolean },
  shown: Shown,
  digestOf: (shown: Shown) => string,
): Promise<Step> {
  const id = uuidv7();
  const digest = digestOf(shown);
  const since = new Date();
  await tx.slackMessage.create({
    data: { organizationId: tx.organizationId, id, userId, matter, isRequest, digest, createdAt: since },
  });
  return { kind: "post", id, shown, digest, isUnsure: false, since };
}

type Outcome =
  /** `ts`: by which Slack knows the message. */
  { kind: "done"; channel: string; ts: string; isSecond?: true } | SlackFailure;

async function carryOut(client: WebClient, taken: Taken): Promise<Outcome> {
  const { step } = taken;
  const channel = taken.channel ?? (await openChannel(client, taken.slackUserId));
  if (step.kind === "test") return { kind: "done", channel, ts: await post(client, channel, TEST_MESSAGE) };
  if (step.kind === "post") {
    const found = step.isUnsure ? await find(client, channel, step) : null;
    if (found === null) {
      const isOver = step.isUnsure && step.shown.isClosed;
      const ts = isOver ? GONE : await post(client, channel, step.shown, step.id);
      return { kind: "done", channel, ts };
    }
    await edit(client, channel, found, step.shown, step.id);
    return { kind: "done", channel, ts: found };
  }
  if (step.ts !== GONE) {
    try {
      await edit(client, channel, step.ts, step.shown, step.id);
      return { kind: "done", channel, ts: step.ts };
    } catch (error) {
      const failure = failureOf(error);
      if (failure.kind !== "refused" || failure.code !== "message_not_found") return failure;
    }
  }
  // Deleted in Slack: posted once again while it still waits for the member.
  if (step.isSecond || step.shown.isClosed) return { kind: "done", channel, ts: GONE };
  return { kind: "done", channel, ts: await post(client, channel, step.shown, step.id), isSecond: true };
}

/** In the place of a message's `ts`: it was deleted in Slack. */
const GONE = "";

async function openChannel(client: WebClient, users: string): Promise<string> {
  const { channel } = await client.conversations.open({ users });
  if (!channel?.id) throw new Error("Slack opened a conversation without an id");
  return channel.id;
}

type Message = Pick<Shown, "text" | "blocks">;

async function post(client: WebClient, channel: string, message: Message, id?: string): Promise<string> {
  const { ts } = await client.chat.postMessage({
    ...bodyOf(channel, message, id),
    unfurl_links: false,
    unfurl_media: false,
  });
  if (!ts) throw new Error("Slack took a message without saying where it is");
  return ts;
}

async function edit(client: WebClient, channel: string, ts: string, message: Message, id: string) {
  await client.chat.update({ ...bodyOf(channel, message, id), ts });
}

const EVENT_TYPE = "intray_message";

/** The text stands for the blocks in notifications, and is escaped: Slack reads mentions and links in it. */
function bodyOf(channel: string, { text, blocks }: Message, id: string | undefined) {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return {
    channel,
    text: escaped,
    blocks,
    parse: "none" as const,
    link_names: false,
    ...(id && { metadata: { event_type: EVENT_TYPE, event_payload: { id } } }),
  };
}

const metadataSchema = z.object({
  event_type: z.literal(EVENT_TYPE),
  event_payload: z.object({ id: z.string() }),
});

/** Allowed between the clocks of Slack and of the engine that wrote the row. */
const CLOCKS_MS = 10 * 60_000;

/** Returns the place of a message that may have been posted; null: it was not. */
async function find(
  client: WebClient,
  channel: string,
  { id, since }: { id: string; since: Date },
): Promise<string | null> {
  const { messages = [] } = await client.conversations.history({
    channel,
    oldest: String((since.getTime() - CLOCKS_MS) / 1000),
    include_all_metadata: true,
    // The network takes half a megabyte. Nothing else is posted to the member before the message is known.
    limit: 30,
  });
  const isIt = (metadata: unknown) => metadataSchema.safeParse(metadata).data?.event_payload.id === id;
  return messages.find(({ metadata }) => isIt(metadata))?.ts ?? null;
}

/** Records an attempt, unless another one was made meanwhile, whose result counts. */
async function settle(tx: Tx, taken: Taken, outcome: Outcome): Promise<void> {
  const { userId, attempts, step } = taken;
  const its = Prisma.sql`organization_id = ${tx.organizationId}::uuid AND user_id = ${userId}::uuid AND attempts = ${attempts}`;
  const [held] = await tx.$queryRaw<unknown[]>`SELECT FROM slack_account WHERE ${its} FOR UPDATE`;
  if (!held) return;
  // For the settings, which show the outcome of a test, and failures.
  if (outcome.kind !== "done" || step.kind === "test" || attempts > 1)
    await publishChange(tx, "notice", [userId]);
  if (outcome.kind === "done") return settleDone(tx, its, taken, outcome);
  // Slack did nothing, so that no message has to be looked for.
  if (outcome.kind !== "unknown" && step.kind === "post" && !step.isUnsure)
    await tx.slackMessage.deleteMany({ where: { organizationId: tx.organizationId, id: step.id } });
  if (outcome.kind === "limited" || outcome.kind === "revoked") {
    await tx.$executeRaw`UPDATE slack_account SET attempts = 0, not_before = now(), due_at = now() WHERE ${its}`;
    return outcome.kind === "limited" ? pause(tx, outcome.waitMs) : noteRevoked(tx, taken, outcome.code);
  }
  // A message that Slack will not change must not keep back others.
  if (outcome.kind === "refused" && step.kind === "edit") await noteShown(tx, step, step.ts);
  const error = outcome.kind === "refused" ? `Slack answered ${outcome.code}.` : outcome.error;
  const waitMs = Math.random() * Math.min(BACKOFF_CAP_MS, BACKOFF_BASE_MS * 2 ** attempts);
  await tx.$executeRaw`UPDATE slack_account SET failing_since = coalesce(failing_since, now()), error = ${error},
      not_before = now() + ${waitMs} * interval '1 ms',
      due_at = CASE WHEN failing_since < now() - ${GIVEN_UP_MS} * interval '1 ms' AND due_at = ${taken.claimedUntil}::timestamptz
        THEN ${taken.nextDueAt}::timestamptz ELSE now() END
    WHERE ${its}`;
}

async function settleDone(
  tx: Tx,
  its: Prisma.Sql,
  { step }: Taken,
  { channel, ts, isSecond }: Extract<Outcome, { kind: "done" }>,
): Promise<void> {
  if (step.kind !== "test") await noteShown(tx, step, ts, isSecond);
  const tested = step.kind === "test" ? Prisma.sql`, test_sent_at = now()` : Prisma.empty;
  // Looked at again, since one message is sent at a time.
  await tx.$executeRaw`UPDATE slack_account SET attempts = 0, failing_since = NULL, error = NULL, sent_at = now(), channel = ${channel},
      not_before = now() + ${BETWEEN_MS} * interval '1 ms', due_at = now()${tested} WHERE ${its}`;
}

async function noteShown(
  tx: Tx,
  { id, digest, shown }: Exclude<Step, { kind: "test" }>,
  ts: string,
  isSecond?: true,
): Promise<void> {
  const where = { organizationId: tx.organizationId, id };
  const isOver = shown.isClosed || ts === GONE;
  await tx.slackMessage.updateMany({
    where,
    data: { digest, ts, closedAt: isOver ? new Date() : null, ...(isSecond && { isSecond }) },
  });
}

/** No process calls Slack for this organization before. */
async function pause(tx: Tx, waitMs: number): Promise<void> {
  await tx.$executeRaw`UPDATE slack_app SET not_before = greatest(not_before, now() + ${waitMs} * interval '1 ms')
    WHERE organization_id = ${tx.organizationId}::uuid`;
}

/**
 * Nothing more is sent until an admin sets Slack up again: they get a notice, and the settings say so. Does nothing where they have
 * done so since the call began: it is the earlier token that Slack takes no more.
 */
async function noteRevoked(tx: Tx, { sealedBotToken }: Taken, because: string): Promise<void> {
  const { organizationId } = tx;
  const [app] = await tx.$queryRaw<
    { team: string }[]
  >`UPDATE slack_app SET revoked_at = now(), revoked_because = ${because}
    WHERE organization_id = ${organizationId}::uuid AND revoked_at IS NULL AND sealed_bot_token = ${sealedBotToken}
    RETURNING team_name AS team`;
  if (!app) return;
  await appendEvents(tx, [
    { type: "slack.revoked", actor: ENGINE_ACTOR, data: { organizationId, team: app.team, because } },
  ]);
}

/** Deletes what is known of messages that were closed so long ago. */
export async function forgetOldMessages(tx: Tx, keepMs: number): Promise<void> {
  await tx.$executeRaw`DELETE FROM slack_message WHERE organization_id = ${tx.organizationId}::uuid
    AND closed_at < now() - ${keepMs} * interval '1 ms'`;
}
