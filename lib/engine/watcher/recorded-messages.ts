/**
 * Protocol messages of a task, held in memory until something of the task is written. Their size is the server's choice,
 * and a task that nothing is written of may be one of many thousand: both a task's step and its rest have a bound.
 */
import { maskMessage, maskWithin } from "../../protocol-messages/mask.ts";
import type { NewMessage } from "../../protocol-messages/transitions.ts";

/** What a server says is masked at once. What we say is masked when it is kept, and is there anyway until then. */
export type RecordedMessage = NewMessage & {
  /** To be masked; null: they are. */
  secrets: string[] | null;
  /** Of the masked body, in characters; 0 for one that is not masked yet. */
  size: number;
};

/** Messages of one task that are held, */
const MOST_MESSAGES = 20;
/** their characters during a step, */
const MOST_CHARACTERS = 128 * 1024;
/** and after one that wrote nothing, of the last exchange alone. */
const RESTING_CHARACTERS = 2_000;
/** A notification may come at any time, and as often as the server likes: so much of each. */
const NOTIFICATION_CHARACTERS = 2_000;

/** What was heard, and this; the newest of all that. */
export function recordMessage(
  heard: readonly RecordedMessage[],
  message: { direction: "in" | "out"; method: string; body: unknown },
  secrets: string[],
): readonly RecordedMessage[] {
  const { direction, method } = message;
  const at = new Date();
  if (direction === "out") return newest([...heard, { ...message, at, secrets, size: 0 }]);
  const most = method.startsWith("notifications/") ? NOTIFICATION_CHARACTERS : undefined;
  const { body, size } = maskWithin(message.body, secrets, most);
  return newest([...heard, { at, direction, method, body, secrets: null, size }]);
}

/** At the end of a step: what is left was not worth writing. The beginning of the last exchange stays, as evidence. */
export function trimmedAtRest(heard: readonly RecordedMessage[]): readonly RecordedMessage[] {
  if (heard.length <= 2 && heard.every(isShort)) return heard;
  return heard.slice(-2).map((message) => {
    if (isShort(message)) return message;
    const { body, size } = maskWithin(message.body, message.secrets ?? [], RESTING_CHARACTERS);
    return { ...message, body, size, secrets: null };
  });
}

/** A body that was cut is a little longer than asked for: that is not cut again. */
function isShort({ secrets, size }: RecordedMessage): boolean {
  return secrets === null && size <= 2 * RESTING_CHARACTERS;
}

/** As they are stored. `secrets`: of the task by now, which may have been unknown when something was said. */
export function toStore(heard: readonly RecordedMessage[], secrets: string[]): NewMessage[] {
  return heard.map(({ at, direction, method, body, secrets: own }) => {
    if (own === null) return { at, direction, method, body };
    return { at, direction, method, body: maskMessage(body, [...new Set([...own, ...secrets])]) };
  });
}

function newest(heard: RecordedMessage[]): readonly RecordedMessage[] {
  let characters = 0;
  let from = heard.length;
  while (from > 0 && heard.length - from < MOST_MESSAGES) {
    characters += heard[from - 1]!.size;
    // The last one is held whatever its size, which masking bounds.
    if (characters > MOST_CHARACTERS && from < heard.length) break;
    from--;
  }
  return from === 0 ? heard : heard.slice(from);
}
