"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Activity } from "lucide-react";
import { api, errorSentence } from "@/components/api/client.ts";
import { serverKeys } from "@/components/api/server-keys.ts";
import { useMe } from "@/components/shell/me.tsx";
import { Button } from "@/components/ui/button.tsx";
import { toast } from "@/components/ui/toast.ts";
import type { Health, Server } from "@/lib/servers/schema.ts";

/** Asks the server now and says what came of it. */
export function TestButton({ server, small = false }: { server: Server; small?: boolean }) {
  const me = useMe();
  const client = useQueryClient();
  const check = useMutation({
    mutationFn: () => api.post<Health>(`/api/v1/servers/${server.id}/check`),
    onSuccess: (health) =>
      health.state === "ok"
        ? toast.success(`${server.name} answers`)
        : toast.error(health.message ?? `${server.name} does not answer as it should`),
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
