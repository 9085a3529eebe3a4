"use client";

import { useMutation } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { useState } from "react";
import { TimeAgo } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { errorSentence } from "@/lib/api-client/base/client.ts";
import { downloadAsPerson } from "@/lib/api-client/base/download.ts";
import type { Organization } from "@/lib/organizations/schema.ts";
import { Section } from "../section.tsx";
import { DeleteDialog } from "./delete-dialog.tsx";
import { PendingDeletion } from "./pending-deletion.tsx";

/** Exports all data, then deletes the organization. */
export function DeletePart({ saved }: { saved: Organization }) {
  const [asking, setAsking] = useState(false);
  const download = useMutation({
    mutationFn: () => downloadAsPerson("/api/v1/organization/export"),
  });
  return (
    <Section
      title="Export and delete"
      description="Deleting takes every task, request, answer, member, key and line of history away for good, 72 hours after an owner asked for it and once no task is open. First export everything (within the last hour)."
    >
      <div className="flex flex-wrap items-center gap-2">
        <Button disabled={download.isPending} onClick={() => download.mutate()}>
          <Download aria-hidden strokeWidth={1.75} />
          Export everything
        </Button>
        {!saved.deletion && (
          <Button variant="danger" onClick={() => setAsking(true)}>
            Delete {saved.name}…
          </Button>
        )}
      </div>
      {saved.deletion && <PendingDeletion deletion={saved.deletion} held={saved.hold !== null} />}
      <p className="text-[13px] text-muted">
        {saved.exportedAt ? (
          <>
            Last exported <TimeAgo at={saved.exportedAt} />.
          </>
        ) : (
          "Never exported."
        )}{" "}
        An export holds no secrets: no keys, tokens or passwords.
      </p>
      {download.error && <Notice live tone="bad" title={errorSentence(download.error)} />}
      <DeleteDialog saved={saved} open={asking} onOpenChange={setAsking} />
    </Section>
  );
}
