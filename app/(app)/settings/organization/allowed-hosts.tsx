"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import type { AllowedHosts as Allowed } from "@/lib/servers/server-schema.ts";
import { api, errorSentence, query } from "@/lib/web/client/base/client.ts";
import { showSaved } from "@/lib/web/client/base/query-client.ts";
import { allowedHosts, serverKeys } from "@/lib/web/client/servers.ts";
import { Section } from "../section.tsx";

/** Private addresses that the installation's operator allowed by a press. Nothing for anybody else. */
export function AllowedHosts() {
  const client = useQueryClient();
  const { data } = useQuery(allowedHosts());
  const remove = useMutation({
    mutationFn: (host: string) => api.delete<Allowed>(`/api/v1/allowed-hosts${query({ host })}`),
    onSuccess: (saved, host) => {
      toast(`Intray opens no new connection to ${host}`);
      return showSaved(client, serverKeys.allowedHosts, saved);
    },
  });
  if (!data?.possible) return null;
  return (
    <Section
      title="Private addresses"
      description="Intray may call these addresses of this machine or of a private network, for every organization here. To add one, connect a server there and press Allow."
    >
      {data.hosts.length === 0 ? (
        <p className="text-muted">None.</p>
      ) : (
        <ul aria-label="Private addresses" className="flex flex-col divide-y divide-line">
          {data.hosts.map((host) => (
            <li key={host} className="flex items-center gap-3 py-1.5">
              <span className="min-w-0 flex-1 break-all font-mono text-[13px]">{host}</span>
              <Button
                size="sm"
                disabled={remove.isPending}
                aria-label={`Remove ${host}`}
                onClick={() => remove.mutate(host)}
              >
                Remove
              </Button>
            </li>
          ))}
        </ul>
      )}
      {remove.error && <Notice live tone="bad" title={errorSentence(remove.error)} />}
    </Section>
  );
}
