import { queryOptions } from "@tanstack/react-query";
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

export const samlKeys = { all: ["saml"] as const };

export function samlProviderList() {
  return queryOptions({
    queryKey: [...samlKeys.all, "list"] as const,
    queryFn: ({ signal }) => api.get<{ items: SamlProvider[] }>("/api/v1/saml-providers", signal),
  });
}

export function samlLinkList() {
  return queryOptions({
    queryKey: [...samlKeys.all, "links"] as const,
    queryFn: ({ signal }) => api.get<{ items: SamlLink[] }>("/api/v1/me/saml-links", signal),
  });
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
  return queryOptions({
    queryKey: [...directoryKeys.all, "state"] as const,
    queryFn: ({ signal }) => api.get<Directory>("/api/v1/directory", signal),
    refetchInterval: AGAIN_MS,
  });
}

export function directoryGroupList() {
  return queryOptions({
    queryKey: [...directoryKeys.all, "groups"] as const,
    queryFn: ({ signal }) => api.get<{ items: DirectoryGroup[] }>("/api/v1/directory/groups", signal),
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
