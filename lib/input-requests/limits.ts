/** Limits without zod, so that the inbox can import them. */

/** The most characters of a note beside an assigned request. */
export const NOTE_CHARACTERS = 500;
/** The most characters of a message in a list: a message may have hundreds of thousands. */
export const MESSAGE_IN_LISTS = 1_000;

/** A message as lists have it. */
export function messageInList(message: string): string {
  return message.length > MESSAGE_IN_LISTS
    ? `${message.slice(0, MESSAGE_IN_LISTS - 1).toWellFormed()}…`
    : message;
}
