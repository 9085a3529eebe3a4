"use client";

import { useMutation } from "@tanstack/react-query";
import { CircleCheck, CirclePause, CircleX, Ellipsis } from "lucide-react";
import { useState } from "react";
import { tellError, useChange } from "@/components/form/change.ts";
import { TimeAgo } from "@/components/time/time.tsx";
import { Badge } from "@/components/ui/badge.tsx";
import { Button } from "@/components/ui/button.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { Menu, MenuItem, MenuSeparator } from "@/components/ui/overlay/menu.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import type { AuditStream } from "@/lib/outbound/audit-streams/audit-stream-schema.ts";
import { auditStreamFailure, auditStreamName } from "@/lib/outbound/audit-streams/audit-stream-words.ts";
import { plural } from "@/lib/text/labels.ts";
import { auditStreamApi, auditStreamKeys } from "@/lib/web/client/outbound.ts";

const DIALOGS = {
  credentials: lazyComponent(() =>
    import("./audit-stream-dialogs.tsx").then((file) => file.CredentialsDialog),
  ),
  remove: lazyComponent(() => import("./audit-stream-dialogs.tsx").then((file) => file.RemoveDialog)),
};

export function AuditStreamRow({ stream }: { stream: AuditStream }) {
  const { id, kind, paused, behind, position, lastError, deliveredAt, nextAttemptAt, swept } = stream;
  const { title, detail } = auditStreamName(stream);
  const [asking, setAsking] = useState<keyof typeof DIALOGS | null>(null);
  const Asked = asking && DIALOGS[asking];
  const test = useAuditStreamTest(id);
  const turn = useChange([auditStreamKeys.all], () => auditStreamApi.update(id, { paused: !paused }), {
    done: paused ? "Resumed where it was" : "Paused: lines wait here",
    onError: tellError,
  });
  return (
    <li className="flex flex-col gap-2 py-3 first:pt-0 last:pb-0">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <span className="flex min-w-0 flex-1 flex-col gap-1 max-md:basis-full">
          <span className="flex min-w-0 flex-wrap items-center gap-2">
            <span className="min-w-0 break-all">
              <span className="font-medium">{title}</span> <span className="text-muted">{detail}</span>
            </span>
            <StateBadge stream={stream} />
          </span>
          <span className="text-[13px] text-muted">
            {behind === 0 ? `Has all ${plural(position, "line")}` : `${plural(behind, "line")} behind`}
            {deliveredAt && (
              <>
                {" · "}last delivery <TimeAgo at={deliveredAt} />
              </>
            )}
          </span>
          {lastError && (
            <span className="text-[13px] text-muted">
              Last error <TimeAgo at={lastError.at} />: {auditStreamFailure(lastError.code)}
              {nextAttemptAt && " Intray keeps trying, and leaves no line out."}
            </span>
          )}
          {swept > 0 && (
            <span className="text-[13px] text-muted">
              {plural(swept, "line")} went without details, which retention had deleted before.
            </span>
          )}
        </span>
        <span className="flex gap-2 max-md:w-full max-md:*:flex-1">
          <Button
            aria-label={`Send a test line to ${title}`}
            disabled={test.isPending}
            onClick={() => test.mutate()}
          >
            {test.isPending ? "Testing…" : "Test"}
          </Button>
          <Button
            aria-label={`${paused ? "Resume" : "Pause"} ${title}`}
            disabled={turn.isPending}
            onClick={() => turn.mutate()}
          >
            {paused ? "Resume" : "Pause"}
          </Button>
          <Menu
            trigger={
              <Button size="icon" variant="ghost" className="h-9 w-9" aria-label={`More for ${title}`}>
                <Ellipsis aria-hidden strokeWidth={1.75} />
              </Button>
            }
          >
            {kind !== "webhook" && (
              <>
                <MenuItem onSelect={() => setAsking("credentials")}>
                  {kind === "s3" ? "New access key…" : "CA certificate…"}
                </MenuItem>
                <MenuSeparator />
              </>
            )}
            <MenuItem onSelect={() => setAsking("remove")}>Remove…</MenuItem>
          </Menu>
        </span>
      </div>
      {Asked && <Asked stream={stream} onClose={() => setAsking(null)} />}
    </li>
  );
}

/** Sends a test line, and says whether it arrived. */
function useAuditStreamTest(id: string) {
  return useMutation({
    mutationFn: () => auditStreamApi.test(id),
    onSuccess: ({ error }) => {
      if (error === null) toast("The test line arrived");
      else toast.error(auditStreamFailure(error));
    },
    onError: tellError,
  });
}

function StateBadge({ stream: { paused, failingSince } }: { stream: AuditStream }) {
  if (paused) return <Badge icon={CirclePause}>Paused</Badge>;
  if (failingSince)
    return (
      <Badge tone="bad" icon={CircleX}>
        Failing
      </Badge>
    );
  return (
    <Badge tone="good" icon={CircleCheck}>
      On
    </Badge>
  );
}
