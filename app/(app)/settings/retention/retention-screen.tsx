"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useSave } from "@/components/form/change.ts";
import { useMe } from "@/components/shell/session/me.tsx";
import { TimeAgo } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { Field, Input } from "@/components/ui/field.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { actorWords } from "@/lib/access/actor-words.ts";
import {
  type Hold,
  type Organization,
  setHoldSchema,
} from "@/lib/people/organizations/organization-schema.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";
import { organization, organizationKeys, retention } from "@/lib/web/client/organization.ts";
import { Section } from "../section.tsx";
import { RetentionForm } from "./retention-form.tsx";

const PATH = "/api/v1/organization/hold";

/** The legal hold, which every admin sees, and owners set and lift. */
function LegalHold({ hold }: { hold: Hold | null }) {
  const me = useMe();
  const [reason, setReason] = useState("");
  const [problem, setProblem] = useState<string>();
  const change = useSave(
    organizationKeys.organization,
    (input: { reason: string } | null) =>
      input ? api.put<Organization>(PATH, input) : api.delete<Organization>(PATH),
    {
      done: ({ hold }) => (hold ? "Nothing is deleted until the hold is lifted" : "The legal hold is lifted"),
      onDone: () => setReason(""),
    },
  );
  const mayChange = me.may("organization:hold");
  return (
    <Section
      title="Legal hold"
      description="While a hold is set, Intray deletes nothing, not even the organization. The times above do not count."
    >
      {hold ? (
        <Notice tone="wait" title={`${actorWords(hold.by, { begins: true })} set a legal hold`}>
          <p>
            <TimeAgo at={hold.at} />: {hold.reason}
          </p>
        </Notice>
      ) : (
        !mayChange && <p className="text-muted">None. Owners set one.</p>
      )}
      {mayChange && hold && (
        <span>
          <Button variant="danger" disabled={change.isPending} onClick={() => change.mutate(null)}>
            Lift the hold
          </Button>
        </span>
      )}
      {mayChange && !hold && (
        <form
          noValidate
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            const parsed = setHoldSchema.safeParse({ reason });
            setProblem(parsed.error?.issues[0]?.message);
            if (parsed.data) change.mutate(parsed.data);
          }}
        >
          <Field id="reason" label="What for" required error={problem}>
            {(control) => (
              <Input
                {...control}
                maxLength={500}
                value={reason}
                onChange={(event) => setReason(event.target.value)}
              />
            )}
          </Field>
          <span>
            <Button type="submit" disabled={change.isPending}>
              Set a legal hold
            </Button>
          </span>
        </form>
      )}
      {change.error && <Notice live tone="bad" title={errorSentence(change.error)} />}
    </Section>
  );
}

/** How long the organization keeps finished data. */
export function RetentionScreen() {
  const me = useMe();
  const mayChange = me.may("settings:manage");
  const kept = useQuery({ ...retention(), enabled: mayChange });
  const own = useQuery({ ...organization(), enabled: mayChange });
  if (!mayChange)
    return <Notice title="Only admins change how long things are kept.">Ask one of them.</Notice>;
  const failed = [kept, own].find((query) => query.isError && !query.data);
  if (failed?.error) {
    const retry = () => void Promise.all([kept.refetch(), own.refetch()]);
    return <LoadFailure what="The settings" error={failed.error} onRetry={retry} />;
  }
  if (!kept.data || !own.data) return <div aria-hidden className="skeleton h-80" />;
  return (
    <>
      <RetentionForm
        key={JSON.stringify(kept.data)}
        saved={kept.data}
        slug={own.data.slug}
        atLeast={own.data.keepAtLeastDays}
      />
      <LegalHold hold={own.data.hold} />
    </>
  );
}
