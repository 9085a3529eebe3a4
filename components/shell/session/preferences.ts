import type { Preferences, UpdatePreferences } from "@/lib/members/schema.ts";

export interface PreferenceStore {
  /** As the person has them, what the server has not yet said yes to included. */
  read: () => Preferences;
  subscribe: (listener: () => void) => () => void;
  /** Shows a change at once and takes it back if the server refuses it. Throws what went wrong. */
  prefer: (change: UpdatePreferences) => Promise<void>;
}

/** Changes are sent one after the other, so that the server ends with the last one as the page does. */
export function createPreferences(
  initial: Preferences,
  send: (change: UpdatePreferences) => Promise<Preferences>,
): PreferenceStore {
  let saved = initial;
  let pending: UpdatePreferences[] = [];
  let shown = initial;
  let last: Promise<unknown> = Promise.resolve();
  const listeners = new Set<() => void>();
  const show = () => {
    shown = Object.assign({}, saved, ...pending);
    for (const listener of listeners) listener();
  };
  return {
    read: () => shown,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    prefer: (change) => {
      pending = [...pending, change];
      show();
      const sent = last
        .then(() => send(change))
        .then((now) => {
          saved = now;
        })
        .finally(() => {
          pending = pending.filter((each) => each !== change);
          show();
        });
      last = sent.catch(() => undefined);
      return sent;
    },
  };
}
