"use client";

import { useQuery } from "@tanstack/react-query";
import { useMe } from "@/components/shell/session/me.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { organization } from "@/lib/api-client/organization.ts";
import { retention } from "@/lib/api-client/retention.ts";
import { LegalHold } from "./legal-hold.tsx";
import { RetentionForm } from "./retention-form.tsx";

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
