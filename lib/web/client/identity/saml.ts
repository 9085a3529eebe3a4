import { queryOptions } from "@tanstack/react-query";
import type { SamlLink, SamlProvider } from "@/lib/people/saml/saml-schema.ts";
import { api } from "@/lib/web/client/base/client.ts";

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
