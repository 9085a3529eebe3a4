"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import { api } from "@/lib/api-client/base/client.ts";
import { noteConnection, subscribeToConnection, type Trouble, trouble } from "@/lib/api-client/connection.ts";
import type { Me } from "@/lib/members/schema.ts";

/** While something is wrong, how often it is asked whether it still is. */
const PROBE_MS = 3_000;

function useTrouble(): Trouble | null {
  return useSyncExternalStore(subscribeToConnection, trouble, () => null);
}

/**
 * Follows the network, and while there is trouble asks until it is over; then everything on screen is read again.
 * `userId`: whose page this is. If somebody else signed in meanwhile it is loaded anew; where they work in another
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
      // What it comes to is noted by the call itself.
      const me = await api.get<Me>("/api/v1/me", stop.signal).catch(() => null);
      if (me && me.user?.id !== userId) window.location.reload();
    };
    void probe();
    const timer = setInterval(probe, PROBE_MS);
    return () => {
      clearInterval(timer);
      stop.abort();
      // It changed: what was refused or missed meanwhile is read again, and again if that was too early.
      void client.invalidateQueries();
    };
  }, [now, client, userId]);
  return now;
}
