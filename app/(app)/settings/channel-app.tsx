"use client";

import { useState } from "react";
import { useSave } from "@/components/form/change.ts";
import { ConfirmChange } from "@/components/form/confirm-change.tsx";
import { Clock, TimeAgo } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { Switch } from "@/components/ui/switch.tsx";
import type { Sending } from "@/lib/outbound/channel/account-schema.ts";
import { plural } from "@/lib/text/labels.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";
import { Section } from "./section.tsx";

/** Why messages on a platform are late or missing. */
export function SendingTrouble({
  title,
  app: { revoked, pausedUntil, failing },
  refused,
  remedy,
}: {
  title: string;
  app: Sending;
  /** What the platform takes no more. */
  refused: string;
  remedy: string;
}) {
  return (
    <>
      {revoked && (
        <Notice tone="bad" title={`${refused}: ${revoked.because}`}>
          <p>
            Since <TimeAgo at={revoked.at} />. Nothing is sent. {remedy}
          </p>
        </Notice>
      )}
      {pausedUntil && (
        <Notice tone="wait" title={`${title} asked for a pause`}>
          <p>
            Nothing is sent before <Clock at={pausedUntil} />.
          </p>
        </Notice>
      )}
      {failing && (
        <Notice tone="bad" title={`Messages to ${plural(failing.members, "member")} fail: ${failing.error}`}>
          <p>
            Since <TimeAgo at={failing.since} />. Intray tries again for a day.
          </p>
        </Notice>
      )}
    </>
  );
}

/** Whether messages carry questions. The switch takes effect at once, also on messages that were posted. */
export function TextOfQuestions<T extends { app: Sending | null }>({
  title,
  app,
  path,
  queryKey,
}: {
  title: string;
  app: Sending;
  path: string;
  queryKey: readonly unknown[];
}) {
  const update = useSave(queryKey, (showsText: boolean) => api.patch<T>(path, { showsText }), {
    done: (saved) =>
      saved.app?.showsText
        ? "Messages carry the text of questions"
        : "Messages name only the tool and the server",
  });
  return (
    <Section title="Text of questions">
      <Switch
        checked={update.isPending ? update.variables : app.showsText}
        onChange={(showsText) => update.mutate(showsText)}
        label="Allow the text of questions"
        description={`${title} then stores the questions. Otherwise messages name only the tool and the server.`}
      />
      {update.error && <Notice live tone="bad" title={errorSentence(update.error)} />}
    </Section>
  );
}

/** Leads to the form with the secrets, or removes the platform. */
export function ChangeSecrets({
  title,
  description,
  question,
  path,
  queryKey,
  onChange,
}: {
  title: string;
  description: string;
  /** Asked before the platform is removed. */
  question: string;
  path: string;
  queryKey: readonly unknown[];
  onChange: () => void;
}) {
  const [removing, setRemoving] = useState(false);
  return (
    <Section title="Secrets" description={description}>
      <div className="flex flex-wrap gap-2">
        <Button onClick={onChange}>Enter secrets…</Button>
        <Button variant="danger" onClick={() => setRemoving(true)}>
          Remove {title}…
        </Button>
      </div>
      {removing && (
        <ConfirmChange
          keys={[queryKey]}
          call={() => api.delete(path)}
          done={`${title} is removed`}
          onClose={() => setRemoving(false)}
          title={question}
          description={`All linked accounts are unlinked. Messages that were posted stay in ${title}, and no longer change.`}
          confirm="Remove"
          destructive
        />
      )}
    </Section>
  );
}
