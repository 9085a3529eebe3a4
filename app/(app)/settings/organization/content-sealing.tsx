"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useFormats, useMe } from "@/components/shell/session/me.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { ConfirmDialog } from "@/components/ui/overlay/confirm-dialog.tsx";
import { Switch } from "@/components/ui/switch.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import type { ContentSealing as Saved } from "@/lib/people/content-sealing/sealing-writes.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";
import { contentSealing, organizationKeys } from "@/lib/web/client/organization.ts";
import { Section } from "../section.tsx";

/** Whether what tasks are about is sealed in the database: admins read it, owners turn the switch. */
export function ContentSealing() {
  const me = useMe();
  const { data, error, isError, refetch } = useQuery(contentSealing());
  return (
    <Section
      title="Encryption"
      description="Intray can store task content (arguments, questions, answers, comments, messages, results) encrypted with a key of this organization. Copies of the database then do not show it."
    >
      {!data && isError && <LoadFailure what="The setting" error={error} onRetry={() => void refetch()} />}
      {!data && !isError && <div aria-hidden className="skeleton h-16" />}
      {data &&
        (me.may("content:seal") ? (
          <SealingSwitch saved={data} />
        ) : (
          <p className="text-muted">{data.sealed ? "On." : "Off."} Owners turn it on and off.</p>
        ))}
      {data && <Progress saved={data} />}
    </Section>
  );
}

function SealingSwitch({ saved }: { saved: Saved }) {
  const client = useQueryClient();
  const [asked, setAsked] = useState<boolean | null>(null);
  const save = useMutation({
    mutationFn: (sealed: boolean) => api.put<Saved>("/api/v1/organization/content-sealing", { sealed }),
    onSuccess: (next) => {
      client.setQueryData(organizationKeys.contentSealing, next);
      toast(next.sealed ? "New content is encrypted" : "New content is not encrypted");
    },
    onSettled: () => setAsked(null),
  });
  const on = asked === true;
  return (
    <>
      <Switch
        checked={saved.sealed}
        disabled={save.isPending}
        onChange={setAsked}
        label="Encrypt task content"
        description="Search then finds tools and servers, but no task content. Requests can’t be sorted or filtered by amount, and failures group by code."
      />
      {save.error && <Notice live tone="bad" title={errorSentence(save.error)} />}
      <ConfirmDialog
        open={asked !== null}
        onOpenChange={(open) => !open && setAsked(null)}
        title={on ? "Encrypt task content?" : "Stop encrypting?"}
        description={
          on
            ? "New content is encrypted from now on. Stored content follows in the background. Existing lines of the history stay as they are."
            : "New content is not encrypted. Stored content is decrypted in the background. Existing lines of the history stay encrypted, and are still shown here."
        }
        confirm={on ? "Encrypt" : "Stop encrypting"}
        dismiss="Close"
        pending={save.isPending}
        onConfirm={() => asked !== null && save.mutate(asked)}
      >
        {on && (
          <ul className="flex list-disc flex-col gap-1 pl-5 text-[13px] text-muted">
            <li>Search no longer finds task content. Sorting and filtering by amount end.</li>
            <li>Without INTRAY_KEYS nobody can read it, not even from backups.</li>
            <li>
              Engines and web processes of an earlier version can’t read it. Update all of them first. Switch
              this off before you go back to an earlier version.
            </li>
          </ul>
        )}
      </ConfirmDialog>
    </>
  );
}

function Progress({ saved: { sealed, progress, opens, unopened } }: { saved: Saved }) {
  const { count } = useFormats();
  return (
    <>
      {!opens && (
        <Notice live tone="bad" title="The organization’s key can’t be opened">
          Encrypted content can’t be read, and tasks that need it wait. Nothing is lost. Ask the person who
          runs Intray to check INTRAY_KEYS.
        </Notice>
      )}
      {progress && (
        <p role="status" className="text-[13px] text-muted">
          {sealed ? "Encrypting" : "Decrypting"} stored content: {count(Math.min(progress.done, progress.of))}{" "}
          of {count(progress.of)} rows.
        </p>
      )}
      {!progress && sealed && (
        <p className="text-[13px] text-muted">
          All content is encrypted, except earlier lines of the history.
        </p>
      )}
      {unopened > 0 && (
        <Notice tone="wait" title={`${count(unopened)} values can’t be opened`}>
          They were changed, or the key that encrypted them is gone.
        </Notice>
      )}
    </>
  );
}
