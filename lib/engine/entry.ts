import type { Logger } from "pino";
import { isDatabaseDown, type Tx } from "../db.ts";
import type { CallOptions, Era, Peer, Question, RpcId, Session, Stream, TaskRef } from "../mcp/peer.ts";
import { maskMessage } from "../protocol-messages/mask.ts";
import { type NewMessage, storeMessages } from "../protocol-messages/transitions.ts";
import type { Seal } from "../seal.ts";
import type { TaskWork } from "../tasks/work.ts";

/** The lease was lost: whoever meets this stops and writes nothing. */
export class LeaseLost extends Error {
  constructor() {
    super("another engine watches this connection now");
    this.name = "LeaseLost";
  }
}

/** What the steps of one connection share. */
export interface WatcherContext {
  readonly organizationId: string;
  readonly connectionId: string;
  readonly serverId: string;
  readonly epoch: bigint;
  readonly seal: Seal;
  readonly log: Logger;
  /** A transaction that holds the fence; throws LeaseLost when the epoch is not ours any more. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Waits until a change may begin on the server: soon after a heartbeat that came back. Throws LeaseLost. */
  mayChange(): Promise<void>;
  /** The era the server speaks, found by probing where it is not known. Throws PeerError. */
  era(): Promise<Era>;
  peer(era: Era): Peer;
  /** Has a task's next step taken in `afterMs`. */
  wake(taskId: string, afterMs: number): void;
}

/** A 2025-11-25 session as it is kept: `own` stands for it where the server issues no id. */
export type KeptSession = Session & { own: string };

/** What arrived on a stream and is not stored yet. */
export type StreamNews =
  | { kind: "question"; question: Question; session: KeptSession }
  | { kind: "retracted"; rpcId: RpcId; session: KeptSession };

/** One task in a watcher's memory. Everything in it can be made again from the database. */
export interface TaskEntry {
  readonly id: string;
  work: TaskWork;
  /** Something was committed since `work` was read. */
  stale: boolean;
  /** Somebody waits for the next step: it is taken even while the server's circuit is open. */
  urgent: boolean;
  running: boolean;
  /** Woken during a step: the next one is due by then; monotonic, Infinity for not woken. */
  wokenFor: number;
  fingerprint: string | undefined;
  unchangedPolls: number;
  pollsInSending: number;
  failures: number;
  notFoundAt: number | null;
  session: KeptSession | null;
  handle: string | null;
  getStream: Stream | null;
  resultStream: Stream | null;
  resultStreamUntil: number;
  resultStreamAgainAt: number;
  getStreamUntil: number;
  getStreamAgainAt: number;
  news: StreamNews[];
  messages: NewMessage[];
  /** When the last poll began; monotonic. */
  polledAt: number;
  /** How often a result that should be there was not. */
  missingResults: number;
  lastCheckedAt: Date | null;
  nextCheckAt: Date | null;
  timesChanged: boolean;
}

export function newEntry(work: TaskWork): TaskEntry {
  return {
    id: work.id,
    work,
    stale: false,
    urgent: false,
    running: false,
    wokenFor: Number.POSITIVE_INFINITY,
    fingerprint: undefined,
    unchangedPolls: work.unchangedPolls,
    pollsInSending: 0,
    failures: 0,
    notFoundAt: null,
    session: null,
    handle: null,
    getStream: null,
    resultStream: null,
    resultStreamUntil: 0,
    resultStreamAgainAt: 0,
    getStreamUntil: Number.POSITIVE_INFINITY,
    getStreamAgainAt: 0,
    news: [],
    messages: [],
    polledAt: Number.NEGATIVE_INFINITY,
    missingResults: 0,
    lastCheckedAt: null,
    nextCheckAt: null,
    timesChanged: false,
  };
}

const handlePlace = (ctx: WatcherContext, taskId: string) => ({
  organizationId: ctx.organizationId,
  table: "task",
  row: taskId,
  column: "sealed_handle",
});
const sessionPlace = (ctx: WatcherContext, taskId: string) => ({
  ...handlePlace(ctx, taskId),
  column: "sealed_session",
});

export function sealHandle(ctx: WatcherContext, taskId: string, handle: string): string {
  return ctx.seal.seal(handlePlace(ctx, taskId), handle);
}

export function sealSession(ctx: WatcherContext, taskId: string, session: KeptSession | null): string | null {
  return session && ctx.seal.seal(sessionPlace(ctx, taskId), JSON.stringify(session));
}

/** Where the task lives at its server. */
export function taskRef(ctx: WatcherContext, entry: TaskEntry): TaskRef {
  const { sealedHandle } = entry.work;
  if (sealedHandle === null) throw new Error(`task ${entry.id} has no handle`);
  entry.handle ??= ctx.seal.open(handlePlace(ctx, entry.id), sealedHandle);
  return { taskId: entry.handle, session: keptSession(ctx, entry) };
}

export function keptSession(ctx: WatcherContext, entry: TaskEntry): KeptSession | null {
  const { sealedSession } = entry.work;
  if (!entry.session && sealedSession !== null)
    entry.session = JSON.parse(ctx.seal.open(sessionPlace(ctx, entry.id), sealedSession)) as KeptSession;
  return entry.session;
}

/** A session without its secret, for telling which asks belong to it. */
export function sessionDigest(ctx: WatcherContext, session: KeptSession): Buffer {
  return ctx.seal.digest("session", `${ctx.connectionId} ${session.id ?? session.own}`);
}

/** Options of a call about a task: deadline, and its messages kept (masked) until something is stored. */
export function callOptions(entry: TaskEntry, deadlineMs: number): CallOptions {
  return {
    deadlineMs,
    onMessage: (direction, method, body) => {
      const secrets = [entry.handle, entry.session?.id].filter((secret) => typeof secret === "string");
      entry.messages.push({ at: new Date(), direction, method, body: maskMessage(body, secrets) });
      // A task that is only polled keeps the last exchange, in case it turns out to matter.
      if (entry.messages.length > 20) entry.messages.splice(0, entry.messages.length - 20);
    },
  };
}

/**
 * A transaction about one task: afterwards what is in memory is stale, and its messages are stored. The task is locked
 * first, as people's answers, undos and cancels do it, so that these and the engine wait for each other in one order.
 */
export async function change<T>(
  ctx: WatcherContext,
  entry: TaskEntry,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const messages = entry.messages;
  const result = await ctx.transaction(async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM task WHERE organization_id = ${ctx.organizationId}::uuid
      AND id = ${entry.id}::uuid FOR NO KEY UPDATE`;
    await storeMessages(ctx.organizationId, tx, entry.id, messages);
    return work(tx);
  });
  entry.messages = entry.messages.filter((message) => !messages.includes(message));
  entry.stale = true;
  return result;
}

/** What a server told is in memory only until this is stored: outlast a restart of the database. */
export async function insist<T>(store: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await store();
    } catch (error) {
      if (!isDatabaseDown(error) || tries >= 60) throw error;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }
}
