import { z } from "zod";
import type { Question, RpcId } from "../peer.ts";

/** What was heard on a stream, before it is stored. */
export interface NewStreamMessage {
  id: string;
  /** Of the session: where an answer goes. */
  sessionDigest: Buffer;
  rpcId: RpcId;
  /** Null: the server took a question back (`notifications/cancelled`). */
  question: Question | null;
  /** The task whose own call or `tasks/result` the stream was; null: the standalone one. */
  streamTaskId: string | null;
  /** `task.handle_digest` of the task that it names. */
  namedDigest: Buffer | null;
  /** It came on a stream that was gone on with after an event: it may have been said before. */
  replayed: boolean;
  /** The question is put as an elicitation task (lib/requests/elicitation-tasks). */
  elicitationTask?: NewElicitationTask;
}

/** A question that a server puts as a task, as it is heard. */
export interface NewElicitationTask {
  /** The task id that the server is given. */
  id: string;
  /** How long the server wants to ask for the task, in ms from now; null: it does not say. */
  ttlMs: number | null;
}

export interface StreamMessage extends NewStreamMessage {
  connectionId: string;
  receivedAt: Date;
  /** Those that it may be of, as long as nobody knows. */
  candidates: string[];
}

/** `stream_message.params`: the question as parsed; its id stands beside it. */
export const storedQuestion = z.object({
  mode: z.enum(["form", "url"]),
  message: z.string(),
  requestedSchema: z.unknown(),
  url: z.string().nullable(),
  cut: z.object({ characters: z.number(), digest: z.string() }).optional(),
});
