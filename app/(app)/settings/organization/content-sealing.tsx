"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useFormats, useMe } from "@/components/shell/session/me.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { ConfirmDialog } from "@/components/ui/overlay/confirm-dialog.tsx";
import { Switch } from "@/components/ui/switch.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import type { ContentSealing as Saved } from "@/lib/people/content-sealing/sealing-schema.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";
import { contentSealing, organizationKeys } from "@/lib/web/client/organization.ts";
import { Section } from "../section.tsx";

/** Whether what tasks are about is sealed in the database: admins read it, owners turn the switch. */
export function ContentSealing() {
  const me = useMe();
  const { data, error, isError, refetch } = useQuery(contentSealing());
  return (
    <Section
      title="Sealed content"
      description="What tasks are about (arguments, questions, answers, comments, messages, results) can be stored sealed under a key of this organization. Copies of the database then do not show it."
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
      toast(next.sealed ? "Content is sealed from now on" : "Content is stored plainly from now on");
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
        label="Seal what tasks are about"
        description="Search then finds tools and servers, not what tasks say; requests can't be sorted or filtered by amount, and failures group by code."
      />
      {save.error && <Notice live tone="bad" title={errorSentence(save.error)} />}
      <ConfirmDialog
        open={asked !== null}
        onOpenChange={(open) => !open && setAsked(null)}
        title={on ? "Seal what tasks are about?" : "Stop sealing?"}
        description={
          on
            ? "Everything that is stored from now on is sealed, and what is stored already follows in the background. Lines of the history stay as they are."
            : "Everything that is stored from now on is plain, and what is sealed is opened in the background. Lines of the history stay sealed; they are still shown here."
        }
        confirm={on ? "Seal" : "Stop sealing"}
        dismiss="Cancel"
        pending={save.isPending}
        onConfirm={() => asked !== null && save.mutate(asked)}
      >
        {on && (
          <ul className="flex list-disc flex-col gap-1 pl-5 text-[13px] text-muted">
            <li>Search, and sorting or filtering by amount, no longer reach what tasks say.</li>
            <li>Without INTRAY_KEYS nobody can read it again, from backups neither.</li>
            <li>
              Engines and web processes of an earlier version can't read it: update all of them first, and
              switch this off before you go back to one.
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
        <Notice live tone="bad" title="The organization's key can't be opened">
          What is sealed can't be read, and tasks that need it wait. Nothing is lost. Ask whoever runs Intray
          to check INTRAY_KEYS.
        </Notice>
      )}
      {progress && (
        <p role="status" className="text-[13px] text-muted">
          {sealed ? "Sealing" : "Opening"} what is stored: {count(Math.min(progress.done, progress.of))} of{" "}
          {count(progress.of)} rows.
        </p>
      )}
      {!progress && sealed && (
        <p className="text-[13px] text-muted">
          Everything is sealed, except lines of the history from before.
        </p>
      )}
      {unopened > 0 && (
        <Notice tone="wait" title={`${count(unopened)} values can't be opened`}>
          They were changed, or sealed under a key that is gone.
        </Notice>
      )}
    </>
  );
}
