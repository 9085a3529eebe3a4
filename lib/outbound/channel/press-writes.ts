/**
 * Carries out what members press on a platform, by the same writers and rules as the screen. A press is stored before the platform gets
 * its answer, and is carried out once, whoever tries: the row that says so and the decision are one transaction.
 */
import { createHash } from "node:crypto";
import { actorWords } from "../../access/actor-words.ts";
import type { Principal } from "../../access/principal.ts";
import { type Database, Prisma, type Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { uuidv7 } from "../../base/ids.ts";
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
import type { Platform } from "./platforms.ts";
import {
  type Asking,
  askChange,
  askReason,
  changedBy,
  pressSchema,
  type StoredPress,
} from "./press-schema.ts";
import { memberAsCaller } from "./view.ts";

interface Means {
  database: Database;
  seal: Seal;
}

const pressPlace = ({ name }: Platform, organizationId: string, row: string) => ({
  organizationId,
  table: `${name}_press`,
  row,
  column: "sealed_press",
});

/**
 * Stores a press of a person, by the platform's id of them. `ownId`: the platform's of the press. Returns its id, or null if the platform
 * has sent the same one before.
 */
export async function storePress(
  platform: Platform,
  tx: Tx,
  seal: Seal,
  { person, ownId }: { person: string; ownId: string },
  press: StoredPress,
): Promise<string | null> {
  const { organizationId } = tx;
  const id = uuidv7();
  const sealed = seal.seal(pressPlace(platform, organizationId, id), JSON.stringify(press));
  const digest = createHash("sha256").update(ownId).digest();
  const stored =
    await tx.$executeRaw`INSERT INTO ${platform.press} (organization_id, id, ${platform.pressDigest}, ${platform.person}, sealed_press)
    VALUES (${organizationId}::uuid, ${id}::uuid, ${digest}, ${person}, ${sealed}) ON CONFLICT DO NOTHING`;
  return stored === 1 ? id : null;
}

/** What became of a press. */
export interface Done {
  outcome: string;
  /** Told to the person alone. */
  reply?: string;
  /** Asked in a window before anything is decided. */
  asking?: Asking;
  /** Who pressed, by the platform's own id. */
  person: string;
  press: StoredPress;
}

interface Pressed {
  platform: Platform;
  id: string;
  person: string;
  press: StoredPress;
  withText: boolean;
}

/** Carries out a press. Null: another process has. */
export async function carryOutPress(
  platform: Platform,
  { database, seal }: Means,
  organizationId: string,
  pressId: string,
): Promise<Done | null> {
  const within = <T>(work: (tx: Tx) => Promise<T>) => database.withOrganization(organizationId, work);
  const pressed = await within((tx) => readPress(platform, tx, seal, pressId));
  if (!pressed) return null;
  const { person, press } = pressed;
  const tried = refuseUnfit(within, pressed).then(() => within((tx) => decide(tx, pressed)));
  const done = await tried.catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error;
    return within(async (tx) => {
      const isFirst = await finish(platform, tx, pressId, error.code);
      await lookAgain(tx, pressed);
      return isFirst ? { outcome: error.code, reply: error.detail } : null;
    });
  });
  return done && { ...done, person, press };
}

async function readPress(platform: Platform, tx: Tx, seal: Seal, pressId: string): Promise<Pressed | null> {
  const { organizationId } = tx;
  const [row] = await tx.$queryRaw<{ person: string; sealed: string; withText: boolean }[]>`
    SELECT p.${platform.person} AS person, p.sealed_press AS sealed, s.shows_text AS "withText"
    FROM ${platform.press} p JOIN ${platform.app} s ON s.organization_id = p.organization_id
    WHERE p.organization_id = ${organizationId}::uuid AND p.id = ${pressId}::uuid AND p.done_at IS NULL`;
  if (!row) return null;
  const opened = seal.open(pressPlace(platform, organizationId, pressId), row.sealed);
  const { person, withText } = row;
  return { platform, id: pressId, person, press: pressSchema.parse(JSON.parse(opened)), withText };
}

/** Notes that the press is carried out. False: another process has. */
async function finish({ press }: Platform, tx: Tx, id: string, outcome: string): Promise<boolean> {
  const finished =
    await tx.$executeRaw`UPDATE ${press} SET done_at = now(), outcome = ${outcome}, sealed_press = NULL
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${id}::uuid AND done_at IS NULL`;
  return finished === 1;
}

/** Has the member's messages looked at again, which then show how the request stands. */
async function lookAgain(tx: Tx, { platform, person }: Pressed): Promise<void> {
  await tx.$executeRaw`UPDATE ${platform.account} SET due_at = now()
    WHERE organization_id = ${tx.organizationId}::uuid AND ${platform.person} = ${person}`;
}

type Ended = Pick<Done, "outcome" | "reply" | "asking">;

/** Decides, asks for a reason first, or says why not. Null: another process has. Throws the refusals of `recordDecision`. */
async function decide(tx: Tx, pressed: Pressed): Promise<Ended | null> {
  const { platform, id, press } = pressed;
  // First, so that a second try waits here and finds it done.
  if (!(await finish(platform, tx, id, "recorded"))) return null;
  const end = async (done: Ended): Promise<Ended> => {
    await tx.$executeRaw`UPDATE ${platform.press} SET outcome = ${done.outcome}
      WHERE organization_id = ${tx.organizationId}::uuid AND id = ${id}::uuid`;
    // After the history was appended to, as the engine does it.
    await lookAgain(tx, pressed);
    return done;
  };
  const member = await pressingMember(tx, pressed);
  if (!member)
    return end({
      outcome: "not_linked",
      reply: `Link your ${platform.title} account first: Intray → Settings → Channels.`,
    });
  if (await isSignedOut(tx, member.userId))
    return end({
      outcome: "signed_out",
      reply: "Sign in to Intray first: your organization requires it.",
    });
  if (!(await isOwnMessage(tx, platform, member.userId, press)))
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
    return end({ outcome: "asked", asking: askChange(button, press, about, request.arguments) });
  if (button.reason && press.reason === null)
    return end({ outcome: "asked", asking: askReason(button, press, about) });
  const { holdMs } = await readUndoWindow(tx);
  const input: AnswerInput = { ...inputOf(press, request.arguments), holdMs };
  const proof = { sessionId: null, withinMs: 0, via: platform.name };
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
async function pressingMember(tx: Tx, { platform, person }: Pressed) {
  const [account] = await tx.$queryRaw<
    { userId: string }[]
  >`SELECT user_id AS "userId" FROM ${platform.account}
    WHERE organization_id = ${tx.organizationId}::uuid AND ${platform.person} = ${person}`;
  return account ? memberAsCaller(tx, account.userId) : null;
}

/** Whether a required sign-in provider has signed the member out: their keys rest then, and nothing decides in their name. */
async function isSignedOut(tx: Tx, userId: string): Promise<boolean> {
  const [row] = await tx.$queryRaw<
    { rests: boolean }[]
  >`SELECT gate.keys_rest(${tx.organizationId}::uuid, ${userId}::uuid) AS rests`;
  return row?.rests !== false;
}

/** A message that was forwarded, or is another person's, decides nothing. */
async function isOwnMessage(
  tx: Tx,
  { account, message, messageId, conversation }: Platform,
  userId: string,
  { request, channel, ts }: StoredPress,
): Promise<boolean> {
  const own = await tx.$queryRaw<unknown[]>`SELECT FROM ${message} m
    JOIN ${account} a ON a.organization_id = m.organization_id AND a.user_id = m.user_id
    WHERE m.organization_id = ${tx.organizationId}::uuid AND m.user_id = ${userId}::uuid AND m.matter = ${request}::uuid
      AND m.${messageId} = ${ts} AND ${conversation} = ${channel}`;
  return own.length === 1;
}

/** After this long, a press is lost: the process that was to carry it out has died. */
export const LOST_MS = 30_000;

/** Notes that a press was lost: nothing was decided. Returns whom to tell; `nobody`: the platform was removed meanwhile. Null: none is lost. */
export async function takeLost(
  platform: Platform,
  { database, seal }: Means,
  organizationId: string,
): Promise<Pick<Done, "press" | "person"> | "nobody" | null> {
  return database.withOrganization(organizationId, async (tx) => {
    const [lost] = await tx.$queryRaw<{ id: string }[]>`SELECT id FROM ${platform.press}
      WHERE organization_id = ${organizationId}::uuid AND done_at IS NULL
        AND created_at < now() - ${LOST_MS} * interval '1 ms' ORDER BY created_at LIMIT 1`;
    if (!lost) return null;
    const pressed = await readPress(platform, tx, seal, lost.id);
    const isFirst = await finish(platform, tx, lost.id, "lost");
    return isFirst && pressed ? pressed : "nobody";
  });
}

export const LOST_WORDS = "Your press was not carried out. Press again.";

/** Deletes presses that were carried out so long ago, longer than a copy of a call is taken. */
export async function forgetOldPresses({ press }: Platform, tx: Tx, keepMs: number): Promise<void> {
  await tx.$executeRaw(Prisma.sql`DELETE FROM ${press} WHERE organization_id = ${tx.organizationId}::uuid
    AND done_at < now() - ${keepMs} * interval '1 ms'`);
}
