/** `subscriptions/listen` of 2026-07-28 for tasks, by which a server reports each task's changes. */
import { z } from "zod";
import { acknowledgedSchema, type ServerMessage, statusSchema } from "./messages.ts";
import { type CallOptions, PeerError, type Stream, type StreamListener } from "./peer.ts";
import { Deadline } from "./wire/deadline.ts";
import { type Request, readResult, type Wire } from "./wire/wire.ts";

const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";
const CHANGED = "notifications/tasks";

/** Returns a stream, or null if the server lacks the method or agrees to report none of these tasks. */
export async function subscribe(
  wire: Wire,
  request: Request,
  taskIds: string[],
  listener: StreamListener,
  options: CallOptions,
): Promise<Stream | null> {
  const wanted = new Set(taskIds);
  const honoured = Promise.withResolvers<boolean>();
  let isHandedOut = false;
  let failure: PeerError | null = null;
  // Avoids an unhandled rejection if opening the stream fails before the promise is awaited.
  honoured.promise.catch(() => {});
  const deadline = new Deadline(options, honoured.reject);
  const onServerMessage = ({ method, params }: ServerMessage) => {
    if (method === ACKNOWLEDGED) {
      const accepted = acknowledgedSchema.safeParse(params).data?.notifications.taskIds ?? [];
      honoured.resolve(accepted.some((taskId) => wanted.has(taskId)));
    } else if (method === CHANGED) {
      const taskId = statusSchema.safeParse(params).data?.taskId;
      if (taskId !== undefined && wanted.has(taskId)) listener.onStatus(taskId);
    }
  };
  try {
    const stream = await wire.hold(request, options, {
      onServerMessage,
      onEventId: () => {},
      // A reply ends or refuses the subscription.
      onReply(reply) {
        try {
          readResult(reply, z.unknown(), options);
        } catch (error) {
          failure = error as PeerError;
          throw error;
        }
      },
      onClosed(reason) {
        if (isHandedOut) return listener.onClosed(reason);
        if (reason === "ended") honoured.resolve(false);
        else honoured.reject(failure ?? new PeerError("unreachable", "maybe", "The subscription broke off"));
      },
    });
    isHandedOut = await honoured.promise.catch((error: unknown) => {
      stream.close();
      throw error;
    });
    if (isHandedOut) return stream;
    stream.close();
    return null;
  } catch (error) {
    if (error instanceof PeerError && ["not_supported", "rejected"].includes(error.code)) return null;
    throw error;
  } finally {
    deadline.met();
  }
}
