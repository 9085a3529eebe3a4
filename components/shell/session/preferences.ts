import type { Preferences, UpdatePreferences } from "@/lib/members/schema.ts";

/** Shows a change at once and takes it back if the server refuses it. Throws what went wrong. */
export type Prefer = (change: UpdatePreferences) => Promise<void>;

/**
 * Changes what a person prefers. `show` gets what they have, with what the server has not yet said yes to. Changes are
 * sent one after the other, so that the server ends with the last one as the page does.
 */
export function createPrefer(
  saved: Preferences,
  send: (change: UpdatePreferences) => Promise<Preferences>,
  show: (preferences: Preferences) => void,
): Prefer {
  let pending: UpdatePreferences[] = [];
  let last: Promise<unknown> = Promise.resolve();
  let now = saved;
  const showAll = () => show(Object.assign({}, now, ...pending));
  return (change) => {
    pending.push(change);
    showAll();
    const sent = last
      .then(() => send(change))
      .then((answer) => {
        now = answer;
      })
      .finally(() => {
        pending = pending.filter((each) => each !== change);
        showAll();
      });
    last = sent.catch(() => undefined);
    return sent;
  };
}
