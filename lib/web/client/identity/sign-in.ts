import { queryOptions } from "@tanstack/react-query";
import type { OrganizationDomain } from "@/lib/people/organizations/domains/domain-schema.ts";
import type { ShownSignInPolicy } from "@/lib/people/organizations/sign-in/sign-in-schema.ts";
import { api } from "@/lib/web/client/base/client.ts";

/** How the organization's people have to sign in. */
export function signInPolicy() {
  return queryOptions({
    queryKey: ["sign-in-policy"] as const,
    queryFn: ({ signal }) => api.get<ShownSignInPolicy>("/api/v1/organization/sign-in", signal),
    refetchInterval: false,
  });
}

/** The organization's domains by name. */
export function organizationDomains() {
  return queryOptions({
    queryKey: ["organization-domains"] as const,
    queryFn: ({ signal }) => api.get<{ items: OrganizationDomain[] }>("/api/v1/organization/domains", signal),
  });
}
