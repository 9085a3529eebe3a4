/**
 * Sends members' messages. A member is due whenever a notice of theirs or a request that they were told of changes. One engine takes a
 * due member, commits which message it is going to post or edit, calls the platform outside of any transaction, and records the result.
 * What happens if the engine dies after it posted is the platform's to say, since only some can look for a message.
 */
import { type Database, Prisma, type Tx } from "../../base/db/db.ts";
import { uuidv7 } from "../../base/ids.ts";
import { publishChange } from "../../base/live-updates.ts";
import type { Seal } from "../../base/seal.ts";
import { appendEvents, ENGINE_ACTOR } from "../../history/events/event-writes.ts";
import { countSent } from "../../history/metrics/engine.ts";
import { countMessage, type Message, TEST_MESSAGE } from "./message.ts";
import type { Platform } from "./platforms.ts";
import { type Looking, memberAsCaller, nextTimeOn, noticeView, requestView, toldOn } from "./view.ts";

/** Duration of a claim, longer than the calls of any attempt. */
const TAKEN_MS = 60_000;
/** Platforms take a message a second in a conversation. */
const BETWEEN_MS = 1_100;
const BACKOFF_BASE_MS = 15_000;
const BACKOFF_CAP_MS = 3600_000;
/** After this long without success, a member is tried again only when there is something new. */
const GIVEN_UP_MS = 24 * 3600_000;
/** Open messages about requests of a member; more are counted in one message. */
const MOST_OPEN = 10;
/** Other notices at once, as of tasks that failed; more are counted in the same message. */
const MOST_OTHERS = 3;

/** What a platform does of its own. `Shown`: a message in its form. `Opened`: with which it is called. */
export interface Sending<Shown, Opened> {
  platform: Platform;
  show(message: Message): Shown;
  /** Reads the secrets of the app, and what is the platform's own of the member's account. */
  open(tx: Tx, member: { userId: string; appId: string }): Promise<Opened>;
  /** Makes the calls of one step, outside of any transaction. */
  carryOut(opened: Opened, step: Step<Shown>, recipient: Recipient): Promise<Outcome>;
}

/** A message's row, its place and what it has to show. */
export type Step<Shown> =
  | { kind: "test"; shown: Shown }
  /** `isUnsure`: it may have been posted by an earlier attempt. */
  | (Showing<Shown> & { kind: "post"; isUnsure: boolean; since: Date })
  /** `isSecond`: it was deleted on the platform, and posted once again. */
  | (Showing<Shown> & { kind: "edit"; messageId: string; isSecond: boolean });

interface Showing<Shown> {
  id: string;
  shown: Shown;
  isClosed: boolean;
  digest: string;
}

/** `conversation`: null if it was not opened yet. */
export interface Recipient {
  userId: string;
  person: string;
  conversation: string | null;
  /** The attempt's number since the platform last took a message. */
  attempts: number;
}

export type Outcome =
  /** `messageId`: by which the platform knows the message. Of a test: not used. */
  | { kind: "done"; messageId: string; isSecond?: true }
  /** The platform takes the app's secrets no more. */
  | { kind: "revoked"; code: string }
  | { kind: "limited"; waitMs: number }
  /** The platform answered no, and did nothing. */
  | { kind: "refused"; error: string }
  /** It is not known whether the platform did it. */
  | { kind: "unknown"; error: string };

/** In the place of a message's id: it was deleted on the platform. */
export const GONE = "";

/** Returns the organization's members who are due. */
export async function channelDue({ account, app }: Platform, tx: Tx): Promise<string[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`SELECT a.user_id AS id FROM ${account} a
    JOIN ${app} s ON s.organization_id = a.organization_id AND s.revoked_at IS NULL AND s.not_before <= now()
    WHERE a.organization_id = ${tx.organizationId}::uuid AND a.due_at <= now() AND a.not_before <= now()`;
  return rows.map(({ id }) => id);
}

/** Posts or edits one message of a member. Returns false if the member is not due, or nothing has changed. */
export async function sendNext<Shown, Opened>(
  sending: Sending<Shown, Opened>,
  { database, seal }: { database: Database; seal: Seal },
  organizationId: string,
  userId: string,
  appUrl: string,
): Promise<boolean> {
  const { platform } = sending;
  const within = <T>(work: (tx: Tx) => Promise<T>) => database.withOrganization(organizationId, work);
  const taken = await within((tx) => take(sending, tx, seal, userId, appUrl));
  if (!taken) return false;
  const outcome = await sending.carryOut(taken.opened, taken.step, taken);
  countSent(
    platform.name,
    outcome.kind === "done" ? "ok" : outcome.kind === "revoked" ? "given_up" : "failed",
  );
  await within((tx) => settle(platform, tx, taken, outcome));
  return true;
}

interface Taken<Shown, Opened> extends Recipient {
  claimedUntil: Date;
  /** Of the app whose secrets are used. */
  setUpAt: Date;
  /** When the member is due again, even if nothing happens; null: never. */
  nextDueAt: Date | null;
  opened: Opened;
  step: Step<Shown>;
}

interface AccountRow {
  person: string;
  conversation: string | null;
  attempts: number;
  claimedUntil: Date;
  asksTest: boolean;
  appId: string;
  setUpAt: Date;
  showsText: boolean;
}

/** Claims the member, and keeps which message is going to be posted. Null: they are not due, or nothing has changed. */
async function take<Shown, Opened>(
  sending: Sending<Shown, Opened>,
  tx: Tx,
  seal: Seal,
  userId: string,
  appUrl: string,
): Promise<Taken<Shown, Opened> | null> {
  const { organizationId } = tx;
  const { platform, show } = sending;
  const { account, app, person, conversation } = platform;
  const [row] = await tx.$queryRaw<AccountRow[]>`
    UPDATE ${account} a SET attempts = a.attempts + 1, not_before = now() + ${TAKEN_MS} * interval '1 ms',
      due_at = now() + ${TAKEN_MS} * interval '1 ms'
    FROM ${app} s
    WHERE a.organization_id = ${organizationId}::uuid AND a.user_id = ${userId}::uuid AND a.due_at <= now() AND a.not_before <= now()
      AND s.organization_id = a.organization_id AND s.revoked_at IS NULL AND s.not_before <= now()
    RETURNING a.${person} AS person, ${conversation} AS conversation, a.attempts, a.due_at AS "claimedUntil",
      a.test_asked_at IS NOT NULL AND a.test_sent_at IS NULL AS "asksTest", s.id AS "appId", s.set_up_at AS "setUpAt",
      s.shows_text AS "showsText"`;
  if (!row) return null;
  const { asksTest, appId, showsText, ...recipient } = row;
  const digestOf = (shown: Shown) =>
    seal
      .digest(`${platform.name} message ${organizationId}`, JSON.stringify(shown))
      .toString("base64url")
      .slice(0, 22);
  const step: Step<Shown> | null = asksTest
    ? { kind: "test", shown: show(TEST_MESSAGE) }
    : await nextStep<Shown>({ platform, show, digestOf }, tx, userId, { appUrl, withText: showsText });
  const nextDueAt = await nextTimeOn(platform, tx, userId);
  if (!step) {
    await tx.$executeRaw`UPDATE ${account} SET attempts = 0, not_before = now(), due_at = ${nextDueAt}::timestamptz
      WHERE organization_id = ${organizationId}::uuid AND user_id = ${userId}::uuid`;
    return null;
  }
  const opened = await sending.open(tx, { userId, appId });
  return { ...recipient, userId, nextDueAt, opened, step };
}

interface MessageRow {
  id: string;
  matter: string;
  isRequest: boolean;
  messageId: string | null;
  isSecond: boolean;
  digest: string;
  closedAt: Date | null;
  createdAt: Date;
}

interface Form<Shown> {
  platform: Platform;
  show(message: Message): Shown;
  digestOf(shown: Shown): string;
}

/** The first message that shows something else than it has to: edits come before new ones. */
async function nextStep<Shown>(
  form: Form<Shown>,
  tx: Tx,
  userId: string,
  looking: Looking,
): Promise<Step<Shown> | null> {
  const { platform } = form;
  const member = await memberAsCaller(tx, userId);
  if (!member) return null;
  const told = Map.groupBy(await toldOn(platform, tx, userId), ({ matter }) => matter);
  const messages = await tx.$queryRaw<MessageRow[]>`
    SELECT id, matter, is_request AS "isRequest", ${platform.messageId} AS "messageId", is_second AS "isSecond", digest,
      closed_at AS "closedAt", created_at AS "createdAt"
    FROM ${platform.message} WHERE organization_id = ${tx.organizationId}::uuid AND user_id = ${userId}::uuid
      AND (closed_at IS NULL OR matter = ANY (${[...told.keys(), userId]}::uuid[]))
    ORDER BY created_at, id`;
  const view = (matter: string, isRequest: boolean) =>
    isRequest
      ? requestView(tx, member, matter, told.get(matter) ?? [], looking)
      : noticeView(tx, userId, matter, told.get(matter) ?? [], looking.appUrl);
  const counting = messages.find(({ matter }) => matter === userId);
  for (const row of messages) {
    if (row === counting) continue;
    const message = await view(row.matter, row.isRequest);
    const step = message && stepTo(form, row, message);
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
    const message = await view(matter, isRequest);
    return message && insert(form, tx, userId, { matter, isRequest }, message);
  }
  const message = countMessage(fresh.length, looking.appUrl);
  if (counting) return stepTo(form, counting, message);
  return fresh.length === 0 ? null : insert(form, tx, userId, { matter: userId, isRequest: false }, message);
}

function stepTo<Shown>(
  { show, digestOf }: Form<Shown>,
  row: MessageRow,
  message: Message,
): Step<Shown> | null {
  const { id, messageId, isSecond, createdAt: since } = row;
  const { isClosed } = message;
  const shown = show(message);
  const showing = { id, shown, isClosed, digest: digestOf(shown) };
  if (messageId === null) return { ...showing, kind: "post", isUnsure: true, since };
  return showing.digest === row.digest ? null : { ...showing, kind: "edit", messageId, isSecond };
}

async function insert<Shown>(
  { platform, show, digestOf }: Form<Shown>,
  tx: Tx,
  userId: string,
  { matter, isRequest }: { matter: string; isRequest: boolean },
  message: Message,
): Promise<Step<Shown>> {
  const id = uuidv7();
  const shown = show(message);
  const digest = digestOf(shown);
  const since = new Date();
  await tx.$executeRaw`INSERT INTO ${platform.message} (organization_id, id, user_id, matter, is_request, digest, created_at)
    VALUES (${tx.organizationId}::uuid, ${id}::uuid, ${userId}::uuid, ${matter}::uuid, ${isRequest}, ${digest}, ${since})`;
  return { kind: "post", id, shown, isClosed: message.isClosed, digest, isUnsure: false, since };
}

/** Records an attempt, unless another one was made meanwhile, whose result counts. */
async function settle<Shown, Opened>(
  platform: Platform,
  tx: Tx,
  taken: Taken<Shown, Opened>,
  outcome: Outcome,
): Promise<void> {
  const { userId, attempts, step } = taken;
  const { account, message } = platform;
  const thisAttempt = Prisma.sql`organization_id = ${tx.organizationId}::uuid AND user_id = ${userId}::uuid AND attempts = ${attempts}`;
  const [held] = await tx.$queryRaw<unknown[]>`SELECT FROM ${account} WHERE ${thisAttempt} FOR UPDATE`;
  if (!held) return;
  // For the settings, which show the outcome of a test, and failures.
  if (outcome.kind !== "done" || step.kind === "test" || attempts > 1)
    await publishChange(tx, "notice", [userId]);
  if (outcome.kind === "done") return settleDone(platform, tx, thisAttempt, taken, outcome);
  // The platform did nothing, so that no message has to be looked for.
  if (outcome.kind !== "unknown" && step.kind === "post" && !step.isUnsure)
    await tx.$executeRaw`DELETE FROM ${message} WHERE organization_id = ${tx.organizationId}::uuid AND id = ${step.id}::uuid`;
  if (outcome.kind === "limited" || outcome.kind === "revoked") {
    await tx.$executeRaw`UPDATE ${account} SET attempts = 0, not_before = now(), due_at = now() WHERE ${thisAttempt}`;
    return outcome.kind === "limited"
      ? pause(platform, tx, outcome.waitMs)
      : noteRevoked(platform, tx, taken, outcome.code);
  }
  // A message that the platform will not change must not keep back others.
  if (outcome.kind === "refused" && step.kind === "edit") await noteShown(platform, tx, step, step.messageId);
  const waitMs = Math.random() * Math.min(BACKOFF_CAP_MS, BACKOFF_BASE_MS * 2 ** attempts);
  await tx.$executeRaw`UPDATE ${account} SET failing_since = coalesce(failing_since, now()), error = ${outcome.error},
      not_before = now() + ${waitMs} * interval '1 ms',
      due_at = CASE WHEN failing_since < now() - ${GIVEN_UP_MS} * interval '1 ms' AND due_at = ${taken.claimedUntil}::timestamptz
        THEN ${taken.nextDueAt}::timestamptz ELSE now() END
    WHERE ${thisAttempt}`;
}

async function settleDone<Shown, Opened>(
  platform: Platform,
  tx: Tx,
  thisAttempt: Prisma.Sql,
  { step }: Taken<Shown, Opened>,
  { messageId, isSecond }: Extract<Outcome, { kind: "done" }>,
): Promise<void> {
  if (step.kind !== "test") await noteShown(platform, tx, step, messageId, isSecond);
  const tested = step.kind === "test" ? Prisma.sql`, test_sent_at = now()` : Prisma.empty;
  // Looked at again, since one message is sent at a time.
  await tx.$executeRaw`UPDATE ${platform.account} SET attempts = 0, failing_since = NULL, error = NULL, sent_at = now(),
      not_before = now() + ${BETWEEN_MS} * interval '1 ms', due_at = now()${tested} WHERE ${thisAttempt}`;
}

async function noteShown<Shown>(
  { message, messageId: column }: Platform,
  tx: Tx,
  { id, digest, isClosed }: Exclude<Step<Shown>, { kind: "test" }>,
  messageId: string,
  isSecond = false,
): Promise<void> {
  await tx.$executeRaw`UPDATE ${message} SET digest = ${digest}, ${column} = ${messageId},
      closed_at = CASE WHEN ${isClosed || messageId === GONE} THEN now() END, is_second = is_second OR ${isSecond}
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${id}::uuid`;
}

/** No process calls the platform for this organization before. */
export async function pause({ app }: Platform, tx: Tx, waitMs: number): Promise<void> {
  await tx.$executeRaw`UPDATE ${app} SET not_before = greatest(not_before, now() + ${waitMs} * interval '1 ms')
    WHERE organization_id = ${tx.organizationId}::uuid`;
}

/**
 * Nothing more is sent until an admin sets the platform up again: they get a notice, and the settings say so. Does nothing where they
 * have done so since the call began: it is the earlier secrets that the platform takes no more.
 */
async function noteRevoked(
  { name, app, place }: Platform,
  tx: Tx,
  { setUpAt }: { setUpAt: Date },
  because: string,
): Promise<void> {
  const { organizationId } = tx;
  const [revoked] = await tx.$queryRaw<
    { place: string }[]
  >`UPDATE ${app} SET revoked_at = now(), revoked_because = ${because}
    WHERE organization_id = ${organizationId}::uuid AND revoked_at IS NULL AND set_up_at = ${setUpAt}
    RETURNING ${place.column} AS place`;
  if (!revoked) return;
  const data = { organizationId, [place.inEvents]: revoked.place, because };
  await appendEvents(tx, [{ type: `${name}.revoked`, actor: ENGINE_ACTOR, data }]);
}

/** Deletes what is known of messages that were closed so long ago. */
export async function forgetOldMessages({ message }: Platform, tx: Tx, keepMs: number): Promise<void> {
  await tx.$executeRaw`DELETE FROM ${message} WHERE organization_id = ${tx.organizationId}::uuid
    AND closed_at < now() - ${keepMs} * interval '1 ms'`;
}
