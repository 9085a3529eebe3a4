"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMe } from "@/components/shell/session/me.tsx";
import { Button } from "@/components/ui/button.tsx";
import type { AllowedHosts } from "@/lib/servers/server-schema.ts";
import { privateHostOf } from "@/lib/servers/words/address-words.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";
import { showSaved } from "@/lib/web/client/base/query-client.ts";
import { allowedHosts, serverKeys } from "@/lib/web/client/servers.ts";

/** Offers the installation's operator to allow an unreached private address. Nothing for anybody else. */
export function AllowHost({ url, onAllowed }: { url: string; onAllowed: () => unknown }) {
  const me = useMe();
  const client = useQueryClient();
  const host = privateHostOf(url);
  const { data } = useQuery({ ...allowedHosts(), enabled: host !== null && me.may("hosts:allow") });
  const allow = useMutation({
    mutationFn: () => api.post<AllowedHosts>("/api/v1/allowed-hosts", { url }),
    onSuccess: (saved) => {
      onAllowed();
      return showSaved(client, serverKeys.allowedHosts, saved);
    },
  });
  if (host === null || !data?.possible || data.hosts.includes(host)) return null;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 pt-1">
      <Button disabled={allow.isPending} onClick={() => allow.mutate()}>
        {allow.isPending ? "Allowing…" : `Allow ${host}`}
      </Button>
      <span>Takes effect at once. Listed in Settings → Organization.</span>
      {allow.error && <p role="alert">{errorSentence(allow.error)}</p>}
    </div>
  );
}
