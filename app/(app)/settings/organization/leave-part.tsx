"use client";

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useMe } from "@/components/shell/session/me.tsx";
import { leadAll } from "@/components/shell/session/other-tabs.ts";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { ConfirmDialog } from "@/components/ui/overlay/confirm-dialog.tsx";
import { api, errorSentence } from "@/lib/api-client/base/client.ts";
import { Section } from "../section.tsx";

/** Leaves the organization. */
export function LeavePart() {
  const me = useMe();
  const [asking, setAsking] = useState(false);
  const leave = useMutation({
    mutationFn: () => api.delete("/api/v1/me/membership"),
    onSuccess: () => leadAll("/"),
  });
  const { name } = me.organization;
  return (
    <Section title="Leave" description="You can come back only by invitation. The last owner cannot leave.">
      <span>
        <Button variant="danger" onClick={() => setAsking(true)}>
          Leave {name}…
        </Button>
      </span>
      <ConfirmDialog
        open={asking}
        onOpenChange={() => {
          setAsking(false);
          leave.reset();
        }}
        title={`Leave ${name}?`}
        description="You are out at once, in every tab. Your account stays."
        confirm="Leave"
        destructive
        pending={leave.isPending || leave.isSuccess}
        onConfirm={() => leave.mutate()}
      >
        <ul className="flex list-disc flex-col gap-1 pl-5 text-muted">
          <li>API keys that you made stop working.</li>
          <li>What you claimed, or were assigned, is open to everybody again.</li>
          <li>What you decided stays, under your name.</li>
        </ul>
        {leave.error && (
          <Notice live tone="bad" title={errorSentence(leave.error)}>
            <p>You are still a member.</p>
          </Notice>
        )}
      </ConfirmDialog>
    </Section>
  );
}
