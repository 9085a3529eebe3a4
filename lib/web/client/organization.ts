import { keepPreviousData } from "@tanstack/react-query";
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
import { reading } from "@/lib/web/client/base/reading.ts";

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
  return reading<Organization>(organizationKeys.organization, "/api/v1/organization");
}

/** Changes the organization's own settings. */
export function updateOrganization(change: UpdateOrganization): Promise<Organization> {
  return api.patch<Organization>("/api/v1/organization", change);
}

/** The networks from which the organization is reached. */
export function organizationAddresses() {
  return reading<Addresses>(organizationKeys.addresses, "/api/v1/organization/addresses");
}

/** Whether what tasks are about is sealed; read again while the engine is at it. */
export function contentSealing() {
  return reading<ContentSealing>(organizationKeys.contentSealing, "/api/v1/organization/content-sealing", {
    refetchInterval: ({ state }) => (state.data?.progress ? 3_000 : false),
  });
}

/** The first 200 members that match `q`, part of a name or an e-mail address. */
export function memberList(q: string) {
  return reading<Page<Member>>(
    [...organizationKeys.members, q],
    `/api/v1/members${query({ q, limit: 200 })}`,
    {
      placeholderData: keepPreviousData,
    },
  );
}

/** The first 200 members who are suspended. Read anew with the members. */
export function suspendedList() {
  return reading<Page<Member>>(
    [...organizationKeys.members, "suspended", ""],
    `/api/v1/members${query({ state: "suspended", limit: 200 })}`,
  );
}

/** A member's sessions that work in the organization now. */
export function memberSessions(memberId: string) {
  return reading<{ items: MemberSession[] }>(
    ["member-sessions", memberId],
    `/api/v1/members/${memberId}/sessions`,
  );
}

export function invitationList() {
  return reading<Page<Invitation>>(
    organizationKeys.invitations,
    `/api/v1/invitations${query({ limit: 200 })}`,
  );
}

export function apiKeyList() {
  return reading<Page<ApiKey>>(organizationKeys.apiKeys, `/api/v1/api-keys${query({ limit: 200 })}`);
}

export function serviceAccountList() {
  return reading<Page<ServiceAccount>>(
    organizationKeys.serviceAccounts,
    `/api/v1/service-accounts${query({ limit: 200 })}`,
  );
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
  return reading<DeclineReasons>(["decline-reasons"], "/api/v1/decline-reasons", {
    staleTime: 60_000,
    refetchInterval: false,
  });
}

/** How long an answer is held, so that a slip can be undone. */
export function undoWindow() {
  return reading<UndoWindow>(["undo-window"], "/api/v1/undo-window", {
    staleTime: 60_000,
    refetchInterval: false,
  });
}

/** Members who may answer, by name or e-mail. `inputRequestId`: only those to whom that request can be given. */
export function people(q: string, inputRequestId?: string) {
  return reading<{ items: Answerer[] }>(
    ["people", q, inputRequestId],
    `/api/v1/people${query({ q, inputRequestId })}`,
    {
      staleTime: 60_000,
      refetchInterval: false,
    },
  );
}

/** How long the organization keeps ended tasks, messages and payloads. */
export function retention() {
  return reading<Retention>(["retention"], "/api/v1/organization/retention", {
    refetchInterval: false,
  });
}

/** The number of rows that these retention periods would delete at once. */
export function retentionPreview(wanted: Retention) {
  const asked = Object.entries(wanted).map(([kind, days]) => [kind, days ?? "forever"]);
  return reading<Preview>(
    ["retention", "preview", wanted],
    `/api/v1/organization/retention/preview${query(Object.fromEntries(asked))}`,
    {
      refetchInterval: false,
    },
  );
}
