/** One POST of an agent's client: who calls, what the client is, and what becomes of its answer. */
import { AppError } from "../../base/errors.ts";
import type { Era } from "../../mcp/peer.ts";
import type { AgentCaller } from "../auth/agent.ts";
import { BATCH_CHARACTERS } from "../tunables.ts";
import type { HeldKind } from "./held/call.ts";
import type { StreamWish } from "./held/event-stream.ts";

/** What the client says of itself, and is able to do. */
export interface Client {
  name: string | null;
  version: string | null;
  /** 2026-07-28: it takes a task for an answer. In 2025-11-25 each call says so by itself. */
  takesTasks: boolean;
}

/** Instead of an answer: the call stays open until its task has ended, or its time is over. */
export interface HoldWish {
  kind: HeldKind;
  taskId: string;
  /** In ms since the epoch; null: until the task has ended. */
  until: number | null;
  progressToken: string | number | null;
}

export interface Exchange {
  caller: AgentCaller;
  era: Era;
  client: Client;
  /** A batch of 2025-03-26 has one answer for all: none of its calls is held. */
  isBatch: boolean;
  hold: HoldWish | null;
  /** Instead of an answer: events, until the client leaves. */
  stream: StreamWish | null;
  /** Tasks whose results are in the answer. */
  carries: string[];
  /** How long those results and lists of tools are together, in characters of JSON, and the read of the last of them: a batch reads one by one. */
  carried: number;
  reading: Promise<unknown>;
}

/** Reads what a batch asks for one by one. */
export function inTurn<T>(exchange: Exchange, read: () => Promise<T>): Promise<T> {
  const result = exchange.reading.then(read);
  exchange.reading = result.catch(() => undefined);
  return result;
}

/** Counts what a batch has in its answer. */
export function carry(exchange: Exchange, value: unknown): void {
  if (exchange.isBatch) exchange.carried += JSON.stringify(value)?.length ?? 0;
}

/** Throws `too_large` where a batch has as much as one answer holds. */
export function refuseTooLong({ carried }: Exchange): void {
  if (carried > BATCH_CHARACTERS)
    throw new AppError(
      "too_large",
      "The answers to this batch are too long together; ask again, not in a batch.",
    );
}

/** Whatever a held call's handler returns is replaced by the answer that comes later. */
export const HELD = { content: [] };
