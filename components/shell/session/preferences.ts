import type { Preferences, UpdatePreferences } from "@/lib/people/members/member-schema.ts";

/** Shows a change at once and reverts the change if the server refuses. Throws the server's error. */
export type Prefer = (change: UpdatePreferences) => Promise<void>;

/**
 * Changes a user's preferences. `show` receives the saved preferences with the pending changes applied.
 * Changes are sent one after the other, so that server and page end with the same one.
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
