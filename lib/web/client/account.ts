import type { AccountSession, Security, SecurityEvent } from "@/lib/people/accounts/account-schema.ts";
import { reading } from "@/lib/web/client/base/reading.ts";

/** The signed-in person's ways to sign in. */
export function security() {
  return reading<Security>(["me", "security"], "/api/v1/me/security", {
    refetchInterval: false,
  });
}

/** The signed-in person's sessions. */
export function sessions() {
  return reading<{ items: AccountSession[] }>(["me", "sessions"], "/api/v1/me/sessions");
}

/** What happened to the signed-in person's account lately. */
export function securityEvents() {
  return reading<{ items: SecurityEvent[] }>(["me", "security-events"], "/api/v1/me/security-events", {
    refetchInterval: false,
  });
}
