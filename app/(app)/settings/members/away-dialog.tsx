"use client";

import { useQuery } from "@tanstack/react-query";
import { AwayForm } from "@/components/people/away-form.tsx";
import { useMe } from "@/components/shell/session/me.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { Dialog } from "@/components/ui/overlay/dialog.tsx";
import type { Member } from "@/lib/people/members/member-schema.ts";
import { away } from "@/lib/web/client/settings/working-time.ts";

/** When a member is away, and who stands in for them. */
export function AwayDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const me = useMe();
  const { id, name, userId } = member;
  const current = useQuery(away(id));
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`${name} away`}
      description={`Who votes for ${name} while they are away. You can’t choose yourself. It is recorded in Activity.`}
      className="md:max-w-xl"
    >
      {current.isError && current.data === undefined ? (
        <LoadFailure what="The absence" error={current.error} onRetry={() => void current.refetch()} />
      ) : current.data === undefined ? (
        <div aria-hidden className="skeleton h-96" />
      ) : (
        <AwayForm
          key={current.data?.setAt ?? "none"}
          absent={{ memberId: id, name, not: [userId, me.user.id] }}
          current={current.data}
        />
      )}
    </Dialog>
  );
}
