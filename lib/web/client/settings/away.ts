import { queryOptions } from "@tanstack/react-query";
import type { Away } from "@/lib/policy/away/away-schema.ts";
import { api } from "@/lib/web/client/base/client.ts";

/** When somebody is away: oneself, or by the id of a membership another member. */
export function away(memberId: string | null) {
  return queryOptions({
    queryKey: ["away", memberId] as const,
    queryFn: ({ signal }) => api.get<Away | null>(awayPath(memberId), signal),
  });
}

export function awayPath(memberId: string | null): string {
  return memberId === null ? "/api/v1/me/away" : `/api/v1/members/${memberId}/away`;
}
