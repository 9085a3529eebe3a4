"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import type { Me } from "@/lib/people/members/member-schema.ts";
import { api } from "@/lib/web/client/base/client.ts";
import { noteConnection, subscribeToConnection, type Trouble, trouble } from "@/lib/web/client/connection.ts";

/** How often the connection is probed while it is in trouble. */
const PROBE_MS = 3_000;

export function useTrouble(): Trouble | null {
  return useSyncExternalStore(subscribeToConnection, trouble, () => null);
}

/**
 * Follows the connection, and probes it during trouble; afterwards everything on screen is refetched.
 * `userId`: the page's user. The page reloads if somebody else signed in meanwhile; if they work in another
 * organization, the call is refused, and the page says so.
 */
export function useWatchedConnection(userId: string): Trouble | null {
  const client = useQueryClient();
  const now = useTrouble();

  useEffect(() => {
    const follow = () => noteConnection({ online: navigator.onLine });
    follow();
    window.addEventListener("online", follow);
    window.addEventListener("offline", follow);
    return () => {
      window.removeEventListener("online", follow);
      window.removeEventListener("offline", follow);
    };
  }, []);

  useEffect(() => {
    if (now === null || now === "offline") return;
    const stop = new AbortController();
    const probe = async () => {
      // The call itself records its outcome.
      const me = await api.get<Me>("/api/v1/me", stop.signal).catch(() => null);
      if (me && me.user?.id !== userId) window.location.reload();
    };
    void probe();
    const timer = setInterval(probe, PROBE_MS);
    return () => {
      clearInterval(timer);
      stop.abort();
      // The trouble changed: refetches the refused or missed data, again if this was too early.
      void client.invalidateQueries();
    };
  }, [now, client, userId]);
  return now;
}
