/**
 * Protocol messages of a task, in memory until something about the task is written. The server chooses their
 * size, and thousands of tasks may hold some, so both a step and the rest between steps have a bound.
 */
import { maskMessage, maskWithin } from "../../history/protocol-messages/mask.ts";
import type { NewMessage } from "../../history/protocol-messages/protocol-message-writes.ts";

/**
 * An incoming message is masked at once; an outgoing one when stored, because memory holds its body anyway.
 */
export type ProtocolMessage = NewMessage & {
  /** Secrets still to be masked; null if the body is masked. */
  secrets: string[] | null;
  /** Length of the masked body, in characters; 0 if not masked yet. */
  size: number;
};

/** Messages held for one task. */
const MOST_MESSAGES = 20;
/** Characters held for one task during a step. */
const MOST_CHARACTERS = 128 * 1024;
/** Characters held per message of the last exchange, after a step that wrote nothing. */
const RESTING_CHARACTERS = 2_000;
/** Characters held of one notification, because servers may send any number of them. */
const NOTIFICATION_CHARACTERS = 2_000;

/** Adds a message and returns the newest ones within the bounds. */
export function recordProtocolMessage(
  messages: readonly ProtocolMessage[],
  message: { direction: "in" | "out"; method: string; body: unknown },
  secrets: string[],
): readonly ProtocolMessage[] {
  const { direction, method } = message;
  const at = new Date();
  if (direction === "out") return newest([...messages, { ...message, at, secrets, size: 0 }]);
  const most = method.startsWith("notifications/") ? NOTIFICATION_CHARACTERS : undefined;
  const { body, size } = maskWithin(message.body, secrets, most);
  return newest([...messages, { at, direction, method, body, secrets: null, size }]);
}

/** Trims the messages that a step did not store to the beginnings of the last exchange, kept as evidence. */
export function trimmedAtRest(messages: readonly ProtocolMessage[]): readonly ProtocolMessage[] {
  if (messages.length <= 2 && messages.every(isShort)) return messages;
  return messages.slice(-2).map((message) => {
    if (isShort(message)) return message;
    const { body, size } = maskWithin(message.body, message.secrets ?? [], RESTING_CHARACTERS);
    return { ...message, body, size, secrets: null };
  });
}

/** Allows twice the limit, because a cut body is slightly longer than asked and must not be cut again. */
function isShort({ secrets, size }: ProtocolMessage): boolean {
  return secrets === null && size <= 2 * RESTING_CHARACTERS;
}

/**
 * Returns the messages in their stored form. `secrets` are the task's current ones; some were unknown when a
 * message was recorded.
 */
export function toStore(messages: readonly ProtocolMessage[], secrets: string[]): NewMessage[] {
  return messages.map(({ at, direction, method, body, secrets: own }) => {
    if (own === null) return { at, direction, method, body };
    return { at, direction, method, body: maskMessage(body, [...new Set([...own, ...secrets])]) };
  });
}

function newest(messages: ProtocolMessage[]): readonly ProtocolMessage[] {
  let characters = 0;
  let from = messages.length;
  while (from > 0 && messages.length - from < MOST_MESSAGES) {
    characters += messages[from - 1]!.size;
    // The last message is kept at any size, which masking bounds.
    if (characters > MOST_CHARACTERS && from < messages.length) break;
    from--;
  }
  return from === 0 ? messages : messages.slice(from);
}
