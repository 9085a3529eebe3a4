import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { Page } from "@/lib/base/page.ts";
import type { ApiKey } from "@/lib/people/api-keys/api-key-schema.ts";
import type { ContentSealing } from "@/lib/people/content-sealing/sealing-schema.ts";
import type { Invitation } from "@/lib/people/invitations/invitation-schema.ts";
import type { Member, MemberSession } from "@/lib/people/members/member-schema.ts";
import type { Addresses, Organization } from "@/lib/people/organizations/organization-schema.ts";
import type { ServiceAccount } from "@/lib/people/service-accounts/service-account-schema.ts";
import { api, query } from "@/lib/web/client/base/client.ts";

/** The organization itself, its members, invitations and keys. */
export const organizationKeys = {
  organization: ["organization"] as const,
  members: ["members"] as const,
  invitations: ["invitations"] as const,
  apiKeys: ["api-keys"] as const,
  serviceAccounts: ["service-accounts"] as const,
  addresses: ["organization-addresses"] as const,
  contentSealing: ["content-sealing"] as const,
};

export function organization() {
  return queryOptions({
    queryKey: organizationKeys.organization,
    queryFn: ({ signal }) => api.get<Organization>("/api/v1/organization", signal),
  });
}

/** The networks from which the organization is reached. */
export function organizationAddresses() {
  return queryOptions({
    queryKey: organizationKeys.addresses,
    queryFn: ({ signal }) => api.get<Addresses>("/api/v1/organization/addresses", signal),
  });
}

/** Whether what tasks are about is sealed; read again while the engine is at it. */
export function contentSealing() {
  return queryOptions({
    queryKey: organizationKeys.contentSealing,
    queryFn: ({ signal }) => api.get<ContentSealing>("/api/v1/organization/content-sealing", signal),
    refetchInterval: ({ state }) => (state.data?.progress ? 3_000 : false),
  });
}

/** The first 200 members that match `q`, part of a name or an e-mail address. */
export function memberList(q: string) {
  return queryOptions({
    queryKey: [...organizationKeys.members, q] as const,
    queryFn: ({ signal }) => api.get<Page<Member>>(`/api/v1/members${query({ q, limit: 200 })}`, signal),
    placeholderData: keepPreviousData,
  });
}

/** The first 200 members who are suspended. Read anew with the members. */
export function suspendedList() {
  return queryOptions({
    queryKey: [...organizationKeys.members, "suspended", ""] as const,
    queryFn: ({ signal }) =>
      api.get<Page<Member>>(`/api/v1/members${query({ state: "suspended", limit: 200 })}`, signal),
  });
}

/** A member's sessions that work in the organization now. */
export function memberSessions(memberId: string) {
  return queryOptions({
    queryKey: ["member-sessions", memberId] as const,
    queryFn: ({ signal }) =>
      api.get<{ items: MemberSession[] }>(`/api/v1/members/${memberId}/sessions`, signal),
  });
}

export function invitationList() {
  return queryOptions({
    queryKey: organizationKeys.invitations,
    queryFn: ({ signal }) => api.get<Page<Invitation>>(`/api/v1/invitations${query({ limit: 200 })}`, signal),
  });
}

export function apiKeyList() {
  return queryOptions({
    queryKey: organizationKeys.apiKeys,
    queryFn: ({ signal }) => api.get<Page<ApiKey>>(`/api/v1/api-keys${query({ limit: 200 })}`, signal),
  });
}

export function serviceAccountList() {
  return queryOptions({
    queryKey: organizationKeys.serviceAccounts,
    queryFn: ({ signal }) =>
      api.get<Page<ServiceAccount>>(`/api/v1/service-accounts${query({ limit: 200 })}`, signal),
  });
}
