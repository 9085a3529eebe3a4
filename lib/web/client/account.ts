import { queryOptions } from "@tanstack/react-query";
import type { AccountSession, Security, SecurityEvent } from "@/lib/people/accounts/account-schema.ts";
import { api } from "@/lib/web/client/base/client.ts";

/** The signed-in person's ways to sign in. */
export function security() {
  return queryOptions({
    queryKey: ["me", "security"] as const,
    queryFn: ({ signal }) => api.get<Security>("/api/v1/me/security", signal),
    refetchInterval: false,
  });
}

/** The signed-in person's sessions. */
export function sessions() {
  return queryOptions({
    queryKey: ["me", "sessions"] as const,
    queryFn: ({ signal }) => api.get<{ items: AccountSession[] }>("/api/v1/me/sessions", signal),
  });
}

/** What happened to the signed-in person's account lately. */
export function securityEvents() {
  return queryOptions({
    queryKey: ["me", "security-events"] as const,
    queryFn: ({ signal }) => api.get<{ items: SecurityEvent[] }>("/api/v1/me/security-events", signal),
    refetchInterval: false,
  });
}
