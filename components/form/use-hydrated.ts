"use client";

import { useSyncExternalStore } from "react";

const never = () => () => {};

/**
 * Whether this page's scripts run. Before that a press does nothing, and a form would be sent by the browser itself, with
 * a password in the address: what is drawn on the server is disabled until then.
 */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
