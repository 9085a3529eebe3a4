import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { isDatabaseDown, type Tx } from "../../base/db/db.ts";
import type { Seal } from "../../base/seal.ts";
import type { CallOptions, Era, Peer } from "../../mcp/peer.ts";
import { storeMessages } from "../../protocol-messages/transitions.ts";
import type { Traits } from "../../servers/traits.ts";
import type { NewStreamMessage as StreamMessage } from "../../stream-messages/schema.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { LAST_TRIES, STORE_AGAIN_MS } from "../tunables.ts";
import { recordMessage, toStore } from "./recorded-messages.ts";
import type { LiveSession, WatchedTask } from "./watched-task.ts";

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
  /**
   * A transaction that holds the fence, with the task locked, if it is about one: it commits with others of the
   * organization. Throws LeaseLost when the epoch is not ours any more.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>, taskId?: string): Promise<T>;
  /**
   * The same without the fence, for what a server has said, which is true whoever has the lease by now: `work` has to
   * expect the attempt that it is the outcome of.
   */
  unfenced<T>(work: (tx: Tx) => Promise<T>, taskId: string): Promise<T>;
  /** One that only reads, which locks nothing. Throws LeaseLost. */
  read<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Waits until a change may begin on the server: soon after a heartbeat that came back. Throws LeaseLost. */
  mayChange(): Promise<void>;
  /** The server is paused: nothing new is sent to it. Looked at by every transaction, so that what one commits fits. */
  readonly paused: boolean;
  /**
   * Read in the transaction that commits the beginning of a change on the server: it may begin, by the pause and by the
   * heartbeat as the database has them. False: nothing is to be written, and the step taken again.
   */
  readonly mayBegin: boolean;
  /** The era the server speaks, found by probing where it is not known. Throws PeerError. */
  era(): Promise<Era>;
  peer(era: Era): Peer;
  /** Has a token that may be sent, where the server wants one. Throws PeerError. */
  ready(): Promise<void>;
  /** How often the connection's tokens were replaced, or taken away. */
  readonly renewals: number;
  /** More often than this a task can't be polled: there are so many, and the server takes so long. In ms. */
  leastPauseMs(): number;
  /** A poll was answered after so many ms. */
  answered(ms: number): void;
  /** Has a task's next step taken in `afterMs`. */
  wake(taskId: string, afterMs: number): void;
  /** 2026-07-28: has the server tell of a task's changes, where it does. */
  follow(handle: string): void;
  /** Aborted when this watcher leaves: a call that only reads need not be waited for. */
  readonly leaving: AbortSignal;
  readonly sessions: Sessions;
  /** The watched task of this id of ours. */
  task(id: string): WatchedTask | null;
  /** The watched task that the server knows by this handle. */
  taskByHandle(handle: string): WatchedTask | null;
  /** The server knows the task by this handle, from now on found by it. */
  name(entry: WatchedTask, handle: string | null): void;
  /** What the server was seen to do so far. */
  readonly traits: Traits;
  /** Stores what was heard on a stream of a session; `handle`: of the task that it names. False: it is more than is taken. */
  hear(said: Omit<StreamMessage, "id">, live: LiveSession, handle: string | null): boolean;
  /** A question came on this session of which nobody knows whose it is. */
  hasUnattributed(live: LiveSession): boolean;
  /** Notes what the server was just seen to do. Not waited for: it is seen again. */
  learn(seen: Traits): void;
}

/** Options of a call about a task: deadline, and its messages kept (masked) until something is stored. */
export function callOptions(entry: WatchedTask, deadlineMs: number): CallOptions {
  const secrets = () => secretsOf(entry);
  const { traced, traceparent } = entry.work;
  return {
    deadlineMs,
    secrets,
    ...(traced && traceparent !== null && { traceparent }),
    onMessage: (direction, method, body) => {
      entry.messages = recordMessage(entry.messages, { direction, method, body }, secrets());
    },
  };
}

function secretsOf({ handle, live }: WatchedTask): string[] {
  return [handle, live?.record.id].filter((secret) => typeof secret === "string");
}

/**
 * A transaction about one task: afterwards what is in memory is stale, and its messages are stored. The task is locked
 * first, as people's answers, undos and cancels do it, so that these and the engine wait for each other in one order.
 */
export function fencedTransaction<T>(
  ctx: WatcherContext,
  entry: WatchedTask,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  return write(ctx, entry, work, ctx.transaction);
}

/** The same of what a call came to: written by the one who knows it, whoever has the lease by now. */
export function storeOutcome<T>(
  ctx: WatcherContext,
  entry: WatchedTask,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  return write(ctx, entry, work, ctx.unfenced);
}

async function write<T>(
  ctx: WatcherContext,
  entry: WatchedTask,
  work: (tx: Tx) => Promise<T>,
  transaction: WatcherContext["unfenced"],
): Promise<T> {
  const messages = entry.messages;
  const toKeep = toStore(messages, secretsOf(entry));
  const result = await transaction(async (tx) => {
    await storeMessages(ctx.organizationId, tx, entry.id, toKeep);
    return work(tx);
  }, entry.id);
  entry.messages = entry.messages.filter((message) => !messages.includes(message));
  entry.stale = true;
  return result;
}

/**
 * What a server told is in memory only until this is stored: tried for as long as the database is away. Who leaves
 * waits no longer for it than a process that ends may take.
 */
export async function retryUntilStored<T>(
  ctx: Pick<WatcherContext, "leaving">,
  store: () => Promise<T>,
): Promise<T> {
  for (let triesLeft = LAST_TRIES; ; ) {
    try {
      return await store();
    } catch (error) {
      if (ctx.leaving.aborted) triesLeft--;
      if (!isDatabaseDown(error) || triesLeft <= 0) throw error;
      await sleep(STORE_AGAIN_MS);
    }
  }
}
