"use client";

import { useQuery } from "@tanstack/react-query";
import { AwayForm } from "@/components/people/away-form.tsx";
import { useMe } from "@/components/shell/session/me.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { away } from "@/lib/web/client/settings/working-time.ts";
import { Section } from "../section.tsx";

/** When the user is away, and who stands in. */
export function AwayScreen() {
  const me = useMe();
  const mayAnswer = me.may("requests:answer");
  const current = useQuery({ ...away(null), enabled: mayAnswer });
  if (!mayAnswer)
    return (
      <Notice title="Nobody stands in for you.">Viewers answer nothing, so nothing waits for them.</Notice>
    );
  if (current.isError && current.data === undefined)
    return <LoadFailure what="Your absence" error={current.error} onRetry={() => void current.refetch()} />;
  if (current.data === undefined) return <div aria-hidden className="skeleton h-96" />;
  return (
    <Section
      title="Away"
      description={`Who votes for you in ${me.organization.name} while you are away. You can still vote yourself, if they have not.`}
    >
      <AwayForm
        // Begins anew with what was saved.
        key={current.data?.setAt ?? "none"}
        absent={{ memberId: null, name: me.user.name, not: [me.user.id] }}
        current={current.data}
      />
    </Section>
  );
}
