"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { RefreshCw } from "lucide-react";
import { useState } from "react";
import { useMe } from "@/components/shell/session/me.tsx";
import { CandidateFacts } from "@/components/task/candidate-facts.tsx";
import { Button } from "@/components/ui/button.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { Link } from "@/components/ui/link.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import type { Page } from "@/lib/base/page.ts";
import type { ServerDetail } from "@/lib/servers/server-schema.ts";
import type { FoundTask } from "@/lib/tasks/found-task-schema.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";
import { foundTasks, serverKeys } from "@/lib/web/client/servers.ts";

const AdoptDialog = lazyComponent(() => import("./adopt-dialog.tsx").then((file) => file.AdoptDialog), {
  warm: true,
});

/** Untracked tasks: others started them on the server, or Intray lost track of them. */
export function FoundTasks({ server }: { server: ServerDetail }) {
  const me = useMe();
  const client = useQueryClient();
  const list = useQuery(foundTasks(server.id));
  const [adopting, setAdopting] = useState<FoundTask | null>(null);
  const refresh = useMutation({
    mutationFn: () => api.post<Page<FoundTask>>(`/api/v1/servers/${server.id}/found-tasks/refresh`),
    onSuccess: (page) => client.setQueryData(foundTasks(server.id).queryKey, page),
    onSettled: () => void client.invalidateQueries({ queryKey: serverKeys.server(server.id) }),
  });
  return (
    <section aria-labelledby="found-heading" className="flex flex-col gap-2.5">
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1.5">
        <h2 id="found-heading" className="font-medium text-[13px] text-muted">
          Untracked tasks
        </h2>
        <Button size="sm" disabled={refresh.isPending} onClick={() => refresh.mutate()}>
          <RefreshCw aria-hidden strokeWidth={1.75} />
          {refresh.isPending ? "Refreshing…" : "Refresh"}
        </Button>
      </div>
      {refresh.isError && (
        <Notice live tone="bad" title={errorSentence(refresh.error)}>
          <p>The list below is the last one.</p>
        </Notice>
      )}
      {list.isPending && <div aria-hidden className="skeleton h-12" />}
      {list.isError && (
        <LoadFailure what="These tasks" error={list.error} onRetry={() => void list.refetch()} />
      )}
      {list.data?.items.length === 0 && (
        <p aria-live="polite" className="text-muted">
          {refresh.isSuccess ? "No untracked tasks." : "None found yet."}
        </p>
      )}
      {list.data && list.data.items.length > 0 && (
        <ul className="flex flex-col divide-y divide-line rounded-lg border border-line bg-panel">
          {list.data.items.map((found) => (
            <li key={found.id} className="flex flex-wrap items-center gap-3 px-4 py-3">
              <CandidateFacts found={found} />
              {found.taskId ? (
                <Button asChild size="sm">
                  <Link href={`/tasks/${found.taskId}`}>May be a broken start</Link>
                </Button>
              ) : (
                me.may("tasks:adopt") && (
                  <Button size="sm" onClick={() => setAdopting(found)}>
                    Adopt…
                  </Button>
                )
              )}
            </li>
          ))}
        </ul>
      )}
      {adopting && <AdoptDialog server={server} found={adopting} onClose={() => setAdopting(null)} />}
    </section>
  );
}
