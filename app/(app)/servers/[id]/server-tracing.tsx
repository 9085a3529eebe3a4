"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useMe } from "@/components/shell/session/me.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { Switch } from "@/components/ui/switch.tsx";
import { api, errorSentence } from "@/lib/api-client/base/client.ts";
import { serverKeys } from "@/lib/api-client/server-keys.ts";
import type { Server } from "@/lib/servers/schema.ts";

/** For admins: whether calls to the server carry trace context. */
export function ServerTracing({ server }: { server: Server }) {
  const me = useMe();
  const client = useQueryClient();
  const update = useMutation({
    mutationFn: (trace: boolean) => api.patch(`/api/v1/servers/${server.id}`, { trace }),
    onSuccess: () => client.invalidateQueries({ queryKey: serverKeys.all }),
  });
  if (!me.may("servers:manage") || server.origin !== "admin") return null;
  const isOn = update.isPending ? update.variables : server.trace;
  return (
    <section aria-labelledby="tracing-heading" className="flex flex-col gap-2.5">
      <h2 id="tracing-heading" className="font-medium text-[13px] text-muted">
        Tracing
      </h2>
      <div className="flex flex-col gap-3 rounded-lg border border-line bg-panel px-4 py-3">
        <Switch
          checked={isOn}
          onChange={(trace) => update.mutate(trace)}
          label="Send trace context"
          description="For your own servers: each call carries the id of its trace, and nothing else."
        />
        {update.error && <Notice live tone="bad" title={errorSentence(update.error)} />}
      </div>
    </section>
  );
}
