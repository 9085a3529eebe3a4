"use client";

import { useQuery } from "@tanstack/react-query";
import { Plus, ScrollText } from "lucide-react";
import { useState } from "react";
import { useMe } from "@/components/shell/session/me.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Empty } from "@/components/ui/empty.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { auditStreamList } from "@/lib/web/client/outbound.ts";
import { Section } from "../section.tsx";
import { AuditStreamRow } from "./audit-stream-row.tsx";

const AddDialog = lazyComponent(() => import("./add-dialog.tsx").then((file) => file.AddDialog), {
  warm: true,
});

/** The destinations outside that get the organization's history. */
export function AuditStreamsScreen() {
  const me = useMe();
  const streams = useQuery({ ...auditStreamList(), enabled: me.may("audit:manage") });
  const [adding, setAdding] = useState(false);
  if (!me.may("audit:manage"))
    return <Notice title="Only owners manage the audit stream.">Ask one of them.</Notice>;
  if (streams.isError && !streams.data)
    return (
      <LoadFailure what="The audit streams" error={streams.error} onRetry={() => void streams.refetch()} />
    );
  const list = streams.data?.items;
  const add = (
    <Button variant="primary" onClick={() => setAdding(true)}>
      <Plus aria-hidden strokeWidth={1.75} />
      Add a destination…
    </Button>
  );
  return (
    <>
      <Section
        title="Audit stream"
        description="Intray sends the organization’s whole history to a system of yours, line by line, as it happens. Details of private tasks are left out. With a copy outside you can tell whether somebody changed the history here."
        action={list && list.length > 0 && add}
      >
        {!list && <div aria-hidden className="skeleton h-32" />}
        {list?.length === 0 && (
          <Empty icon={ScrollText} title="No destinations yet" action={add}>
            A webhook, a syslog server or an S3 bucket can get the history.
          </Empty>
        )}
        {list && list.length > 0 && (
          <ul aria-label="Destinations" className="flex flex-col divide-y divide-line">
            {list.map((stream) => (
              <AuditStreamRow key={stream.id} stream={stream} />
            ))}
          </ul>
        )}
      </Section>
      {adding && <AddDialog onClose={() => setAdding(false)} />}
    </>
  );
}
