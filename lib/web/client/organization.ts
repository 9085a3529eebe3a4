import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { Page } from "@/lib/base/page.ts";
import type { Preview, Retention } from "@/lib/history/retention/retention-schema.ts";
import type { ApiKey } from "@/lib/people/api-keys/api-key-schema.ts";
import type { ContentSealing } from "@/lib/people/content-sealing/sealing-writes.ts";
import type { Invitation } from "@/lib/people/invitations/invitation-schema.ts";
import type { Answerer, Member, MemberSession } from "@/lib/people/members/member-schema.ts";
import type {
  Addresses,
  DeclineReasons,
  Organization,
  UndoWindow,
  UpdateOrganization,
} from "@/lib/people/organizations/organization-schema.ts";
import type {
  CreateServiceAccount,
  ServiceAccount,
  UpdateServiceAccount,
} from "@/lib/people/service-accounts/service-account-schema.ts";
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

/** Changes the organization's own settings. */
export function updateOrganization(change: UpdateOrganization): Promise<Organization> {
  return api.patch<Organization>("/api/v1/organization", change);
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

/** What shows service accounts: their own list, and that of the keys. */
export const serviceAccountKeys = [organizationKeys.serviceAccounts, organizationKeys.apiKeys];

export const serviceAccountApi = {
  create: (input: CreateServiceAccount) => api.post("/api/v1/service-accounts", input),
  update: (id: string, input: UpdateServiceAccount) => api.patch(`/api/v1/service-accounts/${id}`, input),
  remove: (id: string) => api.delete(`/api/v1/service-accounts/${id}`),
};

/** The organization's reasons for declining. */
export function declineReasons() {
  return queryOptions({
    queryKey: ["decline-reasons"] as const,
    queryFn: ({ signal }) => api.get<DeclineReasons>("/api/v1/decline-reasons", signal),
    staleTime: 60_000,
    refetchInterval: false,
  });
}

/** How long an answer is held, so that a slip can be undone. */
export function undoWindow() {
  return queryOptions({
    queryKey: ["undo-window"] as const,
    queryFn: ({ signal }) => api.get<UndoWindow>("/api/v1/undo-window", signal),
    staleTime: 60_000,
    refetchInterval: false,
  });
}

/** Members who may answer, by name or e-mail. `inputRequestId`: only those to whom that request can be given. */
export function people(q: string, inputRequestId?: string) {
  return queryOptions({
    queryKey: ["people", q, inputRequestId] as const,
    queryFn: ({ signal }) =>
      api.get<{ items: Answerer[] }>(`/api/v1/people${query({ q, inputRequestId })}`, signal),
    staleTime: 60_000,
    refetchInterval: false,
  });
}

/** How long the organization keeps ended tasks, messages and payloads. */
export function retention() {
  return queryOptions({
    queryKey: ["retention"] as const,
    queryFn: ({ signal }) => api.get<Retention>("/api/v1/organization/retention", signal),
    refetchInterval: false,
  });
}

/** The number of rows that these retention periods would delete at once. */
export function retentionPreview(wanted: Retention) {
  const asked = Object.entries(wanted).map(([kind, days]) => [kind, days ?? "forever"]);
  return queryOptions({
    queryKey: ["retention", "preview", wanted] as const,
    queryFn: ({ signal }) =>
      api.get<Preview>(`/api/v1/organization/retention/preview${query(Object.fromEntries(asked))}`, signal),
    refetchInterval: false,
  });
}
