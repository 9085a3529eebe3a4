import { queryOptions } from "@tanstack/react-query";
import { api } from "@/lib/api-client/base/client.ts";
import type { SamlLink, SamlProvider } from "@/lib/saml/schema.ts";

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
