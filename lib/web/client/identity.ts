import type { AccountSession, Security, SecurityEvent } from "@/lib/people/accounts/account-schema.ts";
import type {
  Directory,
  DirectoryGroup,
  MakeDirectoryToken,
  MappedRole,
  UpdateDirectory,
} from "@/lib/people/directory/directory-schema.ts";
import type { OrganizationDomain } from "@/lib/people/organizations/domains/domain-reads.ts";
import type { ShownSignInPolicy } from "@/lib/people/organizations/sign-in/sign-in-schema.ts";
import type { SamlLink, SamlProvider } from "@/lib/people/saml/saml-schema.ts";
import { api } from "@/lib/web/client/base/client.ts";
import { reading } from "@/lib/web/client/base/reading.ts";

/** How the organization's people have to sign in. */
export function signInPolicy() {
  return reading<ShownSignInPolicy>(["sign-in-policy"], "/api/v1/organization/sign-in", {
    refetchInterval: false,
  });
}

/** The organization's domains by name. */
export function organizationDomains() {
  return reading<{ items: OrganizationDomain[] }>(["organization-domains"], "/api/v1/organization/domains");
}

export const samlKeys = { all: ["saml"] as const };

export function samlProviderList() {
  return reading<{ items: SamlProvider[] }>([...samlKeys.all, "list"], "/api/v1/saml-providers");
}

export function samlLinkList() {
  return reading<{ items: SamlLink[] }>([...samlKeys.all, "links"], "/api/v1/me/saml-links");
}

export const samlApi = {
  create: (body: object) => api.post("/api/v1/saml-providers", body),
  update: (id: string, change: object) => api.patch(`/api/v1/saml-providers/${id}`, change),
  confirm: (id: string) => api.post(`/api/v1/saml-providers/${id}/confirm`),
  remove: (id: string) => api.delete(`/api/v1/saml-providers/${id}`),
  test: (id: string) => api.post<{ url: string }>(`/api/v1/saml-providers/${id}/test`),
};

/** Refetch interval: a provider that is being set up shows its first calls. */
const AGAIN_MS = 15_000;

export const directoryKeys = { all: ["directory"] as const };

export function directoryState() {
  return reading<Directory>([...directoryKeys.all, "state"], "/api/v1/directory", {
    refetchInterval: AGAIN_MS,
  });
}

export function directoryGroupList() {
  return reading<{ items: DirectoryGroup[] }>([...directoryKeys.all, "groups"], "/api/v1/directory/groups", {
    refetchInterval: AGAIN_MS,
  });
}

export const directoryApi = {
  makeToken: (input: MakeDirectoryToken) => api.post<{ secret: string }>("/api/v1/directory/token", input),
  revokeToken: () => api.delete("/api/v1/directory/token"),
  update: (change: UpdateDirectory) => api.patch<Directory>("/api/v1/directory", change),
  mapGroup: ({ id, role }: { id: string; role: MappedRole | null }) =>
    api.patch<DirectoryGroup>(`/api/v1/directory/groups/${id}`, { role }),
};

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
