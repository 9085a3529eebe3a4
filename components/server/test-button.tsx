"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Activity, Check, X } from "lucide-react";
import { useFormats, useMe } from "@/components/shell/session/me.tsx";
import { Button } from "@/components/ui/button.tsx";
import { cn } from "@/components/ui/cn.ts";
import { toast } from "@/components/ui/toast/toast.ts";
import type { CheckedServer, CheckStep, Server } from "@/lib/servers/server-schema.ts";
import { formatLatency } from "@/lib/text/formats/formats.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";
import { serverKeys } from "@/lib/web/client/servers.ts";

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

const STEPS: Record<CheckStep["step"], string> = {
  sign_in: "Signed in",
  identify: "Answers as an MCP server",
  tools: "Lists its tools",
};

/** The steps of a test, in order, up to the failed one. */
export function TestResult({ steps }: { steps: CheckStep[] }) {
  const formats = useFormats();
  return (
    <section aria-label="Test result" className="rounded-lg border border-line bg-panel">
      <ol aria-live="polite" className="flex flex-col divide-y divide-line">
        {steps.map(({ step, ok, ms, message }) => {
          const Icon = ok ? Check : X;
          return (
            <li key={step} className="flex flex-wrap items-center gap-x-2.5 gap-y-0.5 px-4 py-2.5">
              <Icon
                aria-hidden
                strokeWidth={2}
                className={cn("size-4 shrink-0", ok ? "text-good" : "text-bad")}
              />
              <span className="font-medium">{STEPS[step]}</span>
              <span className="sr-only">{ok ? "yes" : "no"}</span>
              {message && <span className="text-muted">{message}</span>}
              {ms !== null && (
                <span className="ml-auto text-muted tabular-nums">{formatLatency(ms, formats)}</span>
              )}
            </li>
          );
        })}
      </ol>
    </section>
  );
}
