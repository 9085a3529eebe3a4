"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Activity } from "lucide-react";
import { useMe } from "@/components/shell/session/me.tsx";
import { Button } from "@/components/ui/button.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import type { CheckedServer, Server } from "@/lib/servers/server-schema.ts";
import { formatLatency } from "@/lib/text/latency.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";
import { serverKeys } from "@/lib/web/client/server-keys.ts";

/** Tests the server now and shows the steps of the test. */
export function TestButton({
  server,
  small = false,
  onChecked,
}: {
  server: Server;
  small?: boolean;
  onChecked?: (checked: CheckedServer) => void;
}) {
  const me = useMe();
  const client = useQueryClient();
  const check = useMutation({
    mutationFn: () => api.post<CheckedServer>(`/api/v1/servers/${server.id}/check`),
    onSuccess: (checked) => {
      onChecked?.(checked);
      if (checked.health.state === "ok")
        toast.success(`${server.name} answers, in ${formatLatency(totalMs(checked), me.formats)}`);
      else toast.error(checked.health.message ?? `${server.name} does not answer as it should`);
    },
    onError: (error) => toast.error(errorSentence(error)),
    onSettled: () => client.invalidateQueries({ queryKey: serverKeys.all }),
  });
  if (!me.may("servers:check")) return null;
  return (
    <Button
      size={small ? "sm" : "md"}
      disabled={check.isPending}
      aria-label={`Test ${server.name}`}
      onClick={() => check.mutate()}
    >
      <Activity aria-hidden strokeWidth={1.75} />
      {check.isPending ? "Testing…" : "Test"}
    </Button>
  );
}

function totalMs({ steps }: CheckedServer): number {
  return steps.reduce((total, { ms }) => total + (ms ?? 0), 0);
}
