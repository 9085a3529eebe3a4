/**
 * Carries out what members press in Slack, by the same writers and rules as the screen. A press is stored before Slack gets its answer,
 * and is carried out once, whoever tries: the row that says so and the decision are one transaction.
 */
import { createHash } from "node:crypto";
import type { ModalView } from "@slack/web-api";
import { actorWords } from "../../access/actor-words.ts";
import type { Principal } from "../../access/principal.ts";
import { type Database, Prisma, type Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { uuidv7 } from "../../base/ids.ts";
import { log } from "../../base/log.ts";
import type { Network } from "../../base/network/network.ts";
import type { Seal } from "../../base/seal.ts";
import { readUndoWindow } from "../../people/organizations/organization-reads.ts";
import { recordDecision } from "../../requests/answers/answer-writes.ts";
import { refuseUnfitChange } from "../../requests/answers/changed-call.ts";
import { isOwnNo } from "../../requests/answers/form-buttons.ts";
import { lockRequest, refuseUnlessOpen } from "../../requests/lock-request.ts";
import type { AnswerInput } from "../../requests/request-input-schema.ts";
import { readInputRequest } from "../../requests/request-reads.ts";
import type { InputRequestDetail } from "../../requests/request-schema.ts";
import { readSimilar } from "../../requests/similar/similar.ts";
import { uncapitalise } from "../../text/labels.ts";
import { visibleLine } from "../mail/compose.ts";
import { type OfferedButton, offeredButtons } from "./offer.ts";
import {
  changedBy,
  changeModal,
  type Interaction,
  pressSchema,
  reasonModal,
  type StoredPress,
} from "./press-schema.ts";
import { failureOf, secretPlace, slackClient } from "./slack-api.ts";
import { memberAsCaller } from "./view.ts";

interface Means {
  database: Database;
  network: Network;
  seal: Seal;
  slackUrl: string;
}

const pressPlace = (organizationId: string, row: string) => ({
  organizationId,
  table: "slack_press",
  row,
  column: "sealed_press",
});

/** Stores a press. Returns its id, or null if Slack has sent the same one before. */
export async function storePress(
  tx: Tx,
  seal: Seal,
  { slackUserId, triggerId }: Interaction,
  press: StoredPress,
): Promise<string | null> {
  const { organizationId } = tx;
  const id = uuidv7();
  const sealed = seal.seal(pressPlace(organizationId, id), JSON.stringify(press));
  const digest = createHash("sha256").update(triggerId).digest();
  const stored =
    await tx.$executeRaw`INSERT INTO slack_press (organization_id, id, trigger_digest, slack_user_id, sealed_press)
    VALUES (${organizationId}::uuid, ${id}::uuid, ${digest}, ${slackUserId}, ${sealed}) ON CONFLICT DO NOTHING`;
  return stored === 1 ? id : null;
}

interface Done {
  outcome: string;
  /** Told to the person alone. */
  reply?: string;
  modal?: ModalView;
}

interface Pressed {
  id: string;
  slackUserId: string;
  press: StoredPress;
  botToken: string;
  withText: boolean;
}

/** Carries out a press, unless another process has. */
export async function carryOutPress(means: Means, organizationId: string, pressId: string): Promise<void> {
  const within = <T>(work: (tx: Tx) => Promise<T>) => means.database.withOrganization(organizationId, work);
  const pressed = await within((tx) => readPress(tx, means.seal, pressId));
  if (!pressed) return;
  const tried = refuseUnfit(within, pressed).then(() => within((tx) => decide(tx, pressed)));
  const done = await tried.catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error;
    const done: Done = { outcome: error.code, reply: error.detail };
    return within(async (tx) => {
      const isFirst = await finish(tx, pressed, done.outcome);
      await lookAgain(tx, pressed);
      return isFirst ? done : null;
    });
  });
  if (done) await tell(means, pressed, done);
}

async function readPress(tx: Tx, seal: Seal, pressId: string): Promise<Pressed | null> {
  const { organizationId } = tx;
  const [row] = await tx.$queryRaw<
    { slackUserId: string; sealed: string; appId: string; sealedBotToken: string; withText: boolean }[]
  >`SELECT p.slack_user_id AS "slackUserId", p.sealed_press AS sealed, s.id AS "appId", s.sealed_bot_token AS "sealedBotToken",
      s.shows_text AS "withText"
    FROM slack_press p JOIN slack_app s ON s.organization_id = p.organization_id
    WHERE p.organization_id = ${organizationId}::uuid AND p.id = ${pressId}::uuid AND p.done_at IS NULL`;
  if (!row) return null;
  const { slackUserId, withText } = row;
  return {
    id: pressId,
    slackUserId,
    press: pressSchema.parse(JSON.parse(seal.open(pressPlace(organizationId, pressId), row.sealed))),
    botToken: seal.open(secretPlace(organizationId, row.appId, "sealed_bot_token"), row.sealedBotToken),
    withText,
  };
}

/** Notes that the press is carried out. False: another process has. */
async function finish(tx: Tx, { id }: Pick<Pressed, "id">, outcome: string): Promise<boolean> {
  const { organizationId } = tx;
  const finished =
    await tx.$executeRaw`UPDATE slack_press SET done_at = now(), outcome = ${outcome}, sealed_press = NULL
    WHERE organization_id = ${organizationId}::uuid AND id = ${id}::uuid AND done_at IS NULL`;
  return finished === 1;
}

/** Has the member's messages looked at again, which then show how the request stands. */
async function lookAgain(tx: Tx, { slackUserId }: Pressed): Promise<void> {
  await tx.$executeRaw`UPDATE slack_account SET due_at = now()
    WHERE organization_id = ${tx.organizationId}::uuid AND slack_user_id = ${slackUserId}`;
}

/** Decides, asks for a reason first, or says why not. Null: another process has. Throws the refusals of `recordDecision`. */
async function decide(tx: Tx, pressed: Pressed): Promise<Done | null> {
  const { press } = pressed;
  // First, so that a second try waits here and finds it done.
  if (!(await finish(tx, pressed, "recorded"))) return null;
  const end = async (done: Done): Promise<Done> => {
    await tx.$executeRaw`UPDATE slack_press SET outcome = ${done.outcome}
      WHERE organization_id = ${tx.organizationId}::uuid AND id = ${pressed.id}::uuid`;
    // After the history was appended to, as the engine does it.
    await lookAgain(tx, pressed);
    return done;
  };
  const member = await pressingMember(tx, pressed);
  if (!member)
    return end({
      outcome: "not_linked",
      reply: "Link your Slack account first: Intray → Settings → Channels.",
    });
  if (await isSignedOut(tx, member.userId))
    return end({
      outcome: "signed_out",
      reply: "Sign in to Intray first: your organization requires it.",
    });
  if (!(await isOwnMessage(tx, member.userId, press)))
    return end({
      outcome: "other_message",
      reply: "Intray wrote this message to somebody else. Decide in Intray.",
    });
  const request = await readInputRequest(tx, member, press.request);
  if (request.questionHash !== press.questionHash && request.state === "open")
    return end({ outcome: "question_changed", reply: "The question changed. Look at it again." });
  const button = offeredButtons(request, { member, withText: pressed.withText }).find((each) =>
    isSame(each, press),
  );
  if (!button) {
    // Says how it ended, if it did.
    await refuseUnlessOpen(tx, await lockRequest(tx, member, press.request));
    return end({ outcome: "in_intray", reply: "This can only be decided in Intray." });
  }
  const repeats = await repeatedBy(tx, member, request, press);
  if (repeats)
    return end({
      outcome: "in_intray",
      reply: `${repeats} Decide this one in Intray, if it is no duplicate.`,
    });
  const about = visibleLine(`${request.tool} on ${request.server.name}`);
  if (press.kind === "change" && press.typed === null)
    return end({ outcome: "asked", modal: changeModal(button, press, about, request.arguments) });
  if (button.reason && press.reason === null)
    return end({ outcome: "asked", modal: reasonModal(button, press, about) });
  const { holdMs } = await readUndoWindow(tx);
  const input: AnswerInput = { ...inputOf(press, request.arguments), holdMs };
  const proof = { sessionId: null, withinMs: 0, via: "slack" as const };
  const { outcome } = await recordDecision(tx, member, press.request, input, undefined, proof);
  return end({ outcome });
}

/** What the screen warns of before a yes: that the same was decided already. Null: it was not, or the press says no. */
async function repeatedBy(
  tx: Tx,
  member: Principal,
  { id, rejection }: InputRequestDetail,
  { kind, content }: StoredPress,
): Promise<string | null> {
  if ((kind !== "accept" && kind !== "change") || isOwnNo(rejection, content)) return null;
  const { repeats } = await readSimilar(tx, member, id);
  if (!repeats) return null;
  const what = repeats.by === "label" && repeats.label ? visibleLine(repeats.label) : "The same amount";
  return `${what} was already ${uncapitalise(repeats.answer.words)} by ${actorWords(repeats.answer.by)}.`;
}

/** The answer of a press. Throws `invalid_content` for a number that can't be sent as it was typed. */
function inputOf(
  { kind, content, reason, questionHash, typed }: StoredPress,
  args: Record<string, unknown>,
): AnswerInput {
  const changed = typed && changedBy(args, typed);
  if (typed && !changed)
    throw new AppError("invalid_content", "A number is not valid, or too large to be exact.");
  return {
    action: kind === "accept" || kind === "change" ? "accept" : "decline",
    questionHash,
    ...(content && { content }),
    ...(changed && { content: { arguments: changed } }),
    ...(reason && { comment: reason }),
    ...(kind === "revise" && { revise: true }),
  };
}

/** Checks changed arguments apart from the answer's transaction, as `refuseUnfitChange` wants it. */
async function refuseUnfit(
  within: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>,
  pressed: Pressed,
): Promise<void> {
  const { press } = pressed;
  if (press.typed === null) return;
  const found = await within(async (tx) => {
    const member = await pressingMember(tx, pressed);
    return member && { member, request: await readInputRequest(tx, member, press.request) };
  });
  if (!found) return;
  const { member, request } = found;
  await refuseUnfitChange(member, press.request, inputOf(press, request.arguments), within);
}

const isSame = (button: OfferedButton, { kind, content }: StoredPress) =>
  button.kind === kind && JSON.stringify(button.content) === JSON.stringify(content);

/** The member who linked the account, and may act now. */
async function pressingMember(tx: Tx, { slackUserId }: Pressed) {
  const account = await tx.slackAccount.findFirst({
    where: { organizationId: tx.organizationId, slackUserId },
    select: { userId: true },
  });
  return account && memberAsCaller(tx, account.userId);
}

/** Whether a required sign-in provider has signed the member out: their keys rest then, and nothing decides in their name. */
async function isSignedOut(tx: Tx, userId: string): Promise<boolean> {
  const [row] = await tx.$queryRaw<
    { rests: boolean }[]
  >`SELECT gate.keys_rest(${tx.organizationId}::uuid, ${userId}::uuid) AS rests`;
  return row?.rests !== false;
}

/** A message that was forwarded, or is another person's, decides nothing. */
async function isOwnMessage(tx: Tx, userId: string, { request, channel, ts }: StoredPress): Promise<boolean> {
  const { organizationId } = tx;
  const account = await tx.slackAccount.count({ where: { organizationId, userId, channel } });
  return (
    account === 1 &&
    (await tx.slackMessage.count({ where: { organizationId, userId, matter: request, ts } })) === 1
  );
}

/** Opens the modal, or replies to the person alone. What Slack refuses is in the log: the message itself shows how the request stands. */
async function tell(
  means: Means,
  { botToken, slackUserId, press }: Pressed,
  { reply, modal }: Done,
): Promise<void> {
  const client = slackClient(means, botToken);
  const { channel, triggerId } = press;
  const noted = (error: unknown) => {
    log.info({ failure: failureOf(error) }, "Slack took no reply to a press");
    return null;
  };
  const opened = modal && (await client.views.open({ trigger_id: triggerId, view: modal }).catch(noted));
  const told = opened === null ? NOT_OPENED : reply;
  if (told) await client.chat.postEphemeral({ channel, user: slackUserId, text: escaped(told) }).catch(noted);
}

const NOT_OPENED = "Slack did not open the window. Press again, or decide in Intray.";

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** After this long, a press is lost: the process that was to carry it out has died. */
export const LOST_MS = 30_000;

/** Tells people whose press was lost to press again: nothing was decided. Returns true if more are left. */
export async function tellLost(means: Means, organizationId: string): Promise<boolean> {
  const within = <T>(work: (tx: Tx) => Promise<T>) => means.database.withOrganization(organizationId, work);
  const [lost] = await within(
    (tx) => tx.$queryRaw<
      { id: string }[]
    >`SELECT id FROM slack_press WHERE organization_id = ${organizationId}::uuid AND done_at IS NULL
      AND created_at < now() - ${LOST_MS} * interval '1 ms' ORDER BY created_at LIMIT 1`,
  );
  if (!lost) return false;
  const pressed = await within((tx) => readPress(tx, means.seal, lost.id));
  // Also where Slack was removed meanwhile, and nobody can be told.
  const isFirst = await within((tx) => finish(tx, lost, "lost"));
  if (isFirst && pressed)
    await tell(means, pressed, { outcome: "lost", reply: "Your press was not carried out. Press again." });
  return true;
}

/** Deletes presses that were carried out so long ago, longer than a copy of a call is taken. */
export async function forgetOldPresses(tx: Tx, keepMs: number): Promise<void> {
  await tx.$executeRaw(Prisma.sql`DELETE FROM slack_press WHERE organization_id = ${tx.organizationId}::uuid
    AND done_at < now() - ${keepMs} * interval '1 ms'`);
}
