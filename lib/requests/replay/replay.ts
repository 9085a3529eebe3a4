/**
 * Replays a policy on what people decided in the last days. Reads only: nothing of it is written, sent or kept. Yields its
 * lines as they come, and lets other calls of the process go first again and again.
 */
import { setImmediate as otherCalls } from "node:timers/promises";
import type { Principal } from "../../access/principal.ts";
import type { Tx } from "../../base/db/db.ts";
import type { Similar } from "../../policy/automatic/judge.ts";
import type { WithPeople } from "../../policy/difference.ts";
import { type Decided, isLike, keyFigures, repeatOf, wasLetThrough } from "../similar/key-figures.ts";
import { LOOKED_AT } from "../similar/similar.ts";
import {
  type Candidate,
  listDecided,
  type PastRequest,
  readDecided,
  readDecidedBefore,
  toPast,
} from "./read.ts";
import { MOST_REPLAYED, type ReplayLine } from "./replay-schema.ts";
import { ReplayTally } from "./tally.ts";

/** What people had decided before a request was asked: `similar`, as it would have been then. Pure. */
interface PastDecision extends Decided {
  taskId: string;
  /** Mode and names of fields: a tool may ask several questions, and others can't be compared. */
  question: string;
  decidedAt: number;
}

/** Requests are added in the order in which they were asked. */
class PastDecisions {
  #byTool = new Map<string, PastDecision[]>();

  /** Whether the decisions of its server and tool were begun. */
  has({ server, tool }: Pick<PastRequest, "server" | "tool">): boolean {
    return this.#byTool.has(toolKey(server.id, tool));
  }

  /** Begins the decisions of its server and tool. */
  begin({ server, tool }: Pick<PastRequest, "server" | "tool">): void {
    this.#byTool.set(toolKey(server.id, tool), []);
  }

  /** What was known when the request was asked: decisions that came later, or of its own task, don't count. */
  similarTo(request: PastRequest): Similar {
    const asked = toDecided(request);
    const now = request.askedAt;
    const all = this.#byTool.get(toolKey(request.server.id, request.tool)) ?? [];
    const similar = { accepted: 0, declined: 0, repeats: false };
    let looked = 0;
    for (let at = all.length - 1; at >= 0 && looked < LOOKED_AT; at--) {
      const each = all[at]!;
      if (each.decidedAt >= now.getTime()) continue;
      looked++;
      if (each.taskId === request.taskId || each.question !== asked.question) continue;
      if (isLike(asked, each)) similar[each.isLetThrough ? "accepted" : "declined"]++;
      similar.repeats ||= repeatOf(asked, each, now) !== null;
    }
    return similar;
  }

  add(request: PastRequest): void {
    this.#byTool.get(toolKey(request.server.id, request.tool))?.push(toDecided(request));
  }
}

const toolKey = (serverId: string, tool: string) => `${serverId} ${tool}`;

function toDecided({ taskId, mode, form, label, amount, answer, ...request }: PastRequest): PastDecision {
  const names = form.kind === "supported" ? form.fields.map(({ name }) => name) : [];
  const given = { ...answer, comment: null, revise: false, words: "", at: answer.at.toISOString() };
  return {
    ...keyFigures(request.hasLongArguments ? {} : request.arguments, { label, amount }),
    taskId,
    question: JSON.stringify([mode, names]),
    decidedAt: answer.at.getTime(),
    isLetThrough: wasLetThrough(given, form),
    answer: given,
  };
}

/** Requests, and about their bytes, that are read at once. */
const BATCH = { requests: 50, bytes: 1024 * 1024 };
/** Longest that the process works without a break, but for one request. */
const TURN_MS = 4;
/** Most disagreements that have a line: more than anybody opens. */
const MOST_LISTED = 1_000;

export interface Replayed extends WithPeople {
  /** Null: a draft. */
  version: number | null;
}

/**
 * `within` opens a transaction for each piece. The last line is the summary; requests that were deleted meanwhile are left out,
 * and those that can't be opened.
 */
export async function* replayPolicy(
  principal: Principal,
  replayed: Replayed,
  { from, now }: { from: Date; now: Date },
  within: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>,
  most = MOST_REPLAYED,
): AsyncGenerator<ReplayLine, void> {
  const found = await within((tx) => listDecided(tx, principal, from, most + 1));
  const isCut = found.length > most;
  const candidates = isCut ? found.slice(1) : found;
  const tally = new ReplayTally(replayed);
  const usesSimilar = (replayed.policy.automatic ?? []).some(({ when }) => /\bsimilar\b/.test(when));
  const past = usesSimilar ? new PastDecisions() : null;
  const progress = (done: number): ReplayLine => ({ kind: "progress", done, of: candidates.length });
  yield progress(0);
  let [done, listed, leftOut, unopened] = [0, 0, 0, 0];
  let begin: Date | null = null;
  const pause = paused();
  const batches = [...batchesOf(candidates)];
  const read = async (at: number) => {
    const batch = batches[at];
    return batch ? within((tx) => readDecided(tx, batch)) : [];
  };
  let next = read(0);
  for (const [at, batch] of batches.entries()) {
    const rows = await next;
    // Read while this one is judged. A caller that leaves before it is needed does not learn that it failed.
    next = read(at + 1);
    next.catch(() => undefined);
    for (const row of rows) {
      const request = toPast(row);
      if (!request) {
        unopened++;
        continue;
      }
      begin ??= request.askedAt;
      if (past && !past.has(request)) {
        const asked = { serverId: request.server.id, tool: request.tool, before: begin };
        past.begin(request);
        for (const earlier of await within((tx) => readDecidedBefore(tx, principal, asked))) {
          const decided = toPast(earlier);
          if (decided) past.add(decided);
          await pause();
        }
      }
      const disagreement = tally.add(request, () => past?.similarTo(request) ?? NONE);
      past?.add(request);
      if (disagreement) {
        if (listed < MOST_LISTED) yield disagreement;
        else leftOut++;
        listed++;
      }
      await pause();
    }
    done += batch.length;
    yield progress(done);
  }
  yield {
    kind: "summary",
    version: replayed.version,
    from: (isCut && begin ? begin : from).toISOString(),
    to: now.toISOString(),
    isCut,
    ...tally.summary(),
    disagreementsLeftOut: leftOut,
    notKnown: notKnown(replayed, past !== null, unopened),
  };
}

/** Lets other calls go first once the process has worked for a turn. */
function paused(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since <= TURN_MS) return;
    await otherCalls();
    since = performance.now();
  };
}

/** Of rules that ask nothing of it. */
const NONE = { accepted: 0, declined: 0, repeats: false };

/** Ids to be read at once. A request that is larger than a batch is one by itself. */
function* batchesOf(candidates: Candidate[]): Generator<string[]> {
  let [batch, bytes]: [string[], number] = [[], 0];
  for (const { id, bytes: its } of candidates) {
    if (batch.length > 0 && (batch.length === BATCH.requests || bytes + its > BATCH.bytes)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(id);
    bytes += its;
  }
  if (batch.length > 0) yield batch;
}

function notKnown({ policy }: Replayed, usesSimilar: boolean, unopened: number): string[] {
  const hasAutomatic = (policy.automatic ?? []).length > 0;
  return [
    "Today’s roles, groups and server names are used: Intray does not keep earlier ones.",
    "Each question is used in its last wording.",
    ...(unopened > 0
      ? [
          `${unopened} ${unopened === 1 ? "request is" : "requests are"} left out: something that is sealed there can’t be opened.`,
        ]
      : []),
    ...(hasAutomatic
      ? [
          "Automatic rules are tried in any mode, without cap and sample: live rules first, then shadow, then off.",
          "A rule never answers requests of its authors, nor calls of tools that changed. This is not checked here.",
        ]
      : []),
    ...(usesSimilar
      ? [
          "“similar” counts earlier decisions of people that still exist and were not taken back. Decisions of rules and keys are not counted here.",
        ]
      : []),
  ];
}
