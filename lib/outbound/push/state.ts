/** What a device has to show, by the notices of its member that still apply. */
import { openingWhatOpens } from "../../base/content/content-keys.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { SESSION_IDLE_MS } from "../../people/accounts/sessions.ts";
import { visibleLine } from "../mail/compose.ts";
import { HELD_BY_ANOTHER } from "../notices/audience.ts";
import { MOST_COUNTED } from "../notices/notice-schema.ts";
import { noticeWords } from "../notices/notice-words.ts";
import { type StillTrue, stillTrue } from "../notices/still-true.ts";
import { bodyOf, compose, type Item, keyOf, type Matter, MOST_SHOWN, type Shown } from "./notifications.ts";

/** Delay before checking again whether another member still works on a request. */
const HELD_MS = 5 * 60_000;

interface Of {
  userId: string;
  sessionId: string;
  showsText: boolean;
}

interface State {
  next: Shown;
  items: Item[];
  /** Requests that wait for the member. */
  count: number;
  /** When this may change by time alone; null: never. */
  nextDueAt: Date | null;
}

export async function readState(tx: Tx, { userId, sessionId, showsText }: Of, shown: Shown): Promise<State> {
  const withText = showsText && (await mayShowText(tx, sessionId));
  // The newest: more than the screens count are not told apart either.
  const told = await stillTrue(
    tx,
    userId,
    Prisma.sql`n.push_after <= now() AND p.push IS NOT FALSE AND NOT ${HELD_BY_ANOTHER} AND n.id IN (
      SELECT newest.id FROM notice newest WHERE newest.organization_id = n.organization_id AND newest.user_id = n.user_id
        AND newest.push_after <= now() AND newest.read_at IS NULL AND newest.withdrawn_at IS NULL
      ORDER BY newest.created_at DESC, newest.id DESC LIMIT ${MOST_COUNTED})`,
  );
  const byMatter = Map.groupBy(told, ({ matter }) => matter);
  // More are counted, so that nobody reads their questions.
  const texts = withText && byMatter.size <= MOST_SHOWN ? await textsOf(tx, told) : new Map<string, Text>();
  const matters = [...byMatter.values()].map((of) => matterOf(of, texts));
  const [now, nextDueAt] = await nextTime(tx, userId);
  const { next, items } = compose(shown, matters, { withText, now });
  return { next, items, count: matters.filter(({ isRequest }) => isRequest).length, nextDueAt };
}

/** Text needs the organization's permission, and a session in force: somebody else may sit before one that is expired, or idle. */
async function mayShowText(tx: Tx, sessionId: string): Promise<boolean> {
  const [row] = await tx.$queryRaw<{ may: boolean }[]>`
    SELECT o.push_text AND gate.session_works_in(${sessionId}::uuid, o.id, ${SESSION_IDLE_MS}::bigint) AS may
    FROM organization o WHERE o.id = ${tx.organizationId}::uuid`;
  return row?.may === true;
}

interface Text {
  message: string;
  revision: string;
}

async function textsOf(tx: Tx, told: StillTrue[]): Promise<Map<string, Text>> {
  const ids = told.flatMap(({ inputRequestId }) => inputRequestId ?? []);
  if (ids.length === 0) return new Map();
  const rows = await openingWhatOpens(tx, "blank").inputRequest.findMany({
    where: { organizationId: tx.organizationId, id: { in: ids } },
    select: { id: true, message: true, questionHash: true },
  });
  return new Map(rows.map(({ id, message, questionHash }) => [id, { message, revision: questionHash }]));
}

/** Causes of notices that ask the member to decide. */
const ASKS = ["request.waiting", "request.assigned", "request.reminded", "request.woke"];

function matterOf(notices: StillTrue[], texts: Map<string, Text>): Matter {
  const newest = notices.at(-1) as StillTrue;
  const { text, about, path } = noticeWords(newest);
  const question = newest.inputRequestId === null ? undefined : texts.get(newest.inputRequestId);
  return {
    id: newest.matter,
    keys: notices.map(({ cause, subject }) => keyOf(cause, subject)),
    isRequest: notices.some(({ cause }) => ASKS.includes(cause)),
    path,
    title: visibleLine(text),
    body: bodyOf(question?.message ?? about),
    revision: question?.revision ?? about,
  };
}

/** The database's time, and when a notice is next to be pushed, or one that is held back is to be looked at again. */
async function nextTime(tx: Tx, userId: string): Promise<[now: number, next: Date | null]> {
  const [row] = await tx.$queryRaw<{ now: Date; next: Date | null }[]>`
    SELECT now() AS now, (SELECT min(CASE WHEN n.push_after > now() THEN n.push_after
        ELSE now() + ${HELD_MS} * interval '1 ms' END)
      FROM notice n WHERE n.organization_id = ${tx.organizationId}::uuid AND n.user_id = ${userId}::uuid
        AND n.read_at IS NULL AND n.withdrawn_at IS NULL AND n.push_after IS NOT NULL
        AND (n.push_after > now() OR ${HELD_BY_ANOTHER})) AS next`;
  return [row?.now.getTime() ?? 0, row?.next ?? null];
}
