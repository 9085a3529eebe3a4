"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Organization, UpdateOrganization } from "@/lib/people/organizations/organization-schema.ts";
import { api } from "@/lib/web/client/base/client.ts";
import { showSaved } from "@/lib/web/client/base/query-client.ts";
import { organizationKeys } from "@/lib/web/client/organization.ts";

/** Changes the organization, and puts the server's reply into the query cache. */
export function useUpdate(onDone: (saved: Organization) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: UpdateOrganization) => api.patch<Organization>("/api/v1/organization", input),
    onSuccess: async (saved) => {
      await showSaved(client, organizationKeys.organization, saved);
      onDone(saved);
    },
  });
}
