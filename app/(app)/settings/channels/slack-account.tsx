"use client";

import { useMutation } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";
import type { ReactNode } from "react";
import { tellError, useChange } from "@/components/form/change.ts";
import { TimeAgo } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import type { LinkRefusal, OwnSlack } from "@/lib/outbound/slack/slack-schema.ts";
import { api } from "@/lib/web/client/base/client.ts";
import { OWN_SLACK_PATH, ownSlack } from "@/lib/web/client/notices.ts";
import { Section } from "../section.tsx";

const REFUSED: Record<LinkRefusal, string> = {
  signed_out: "You were signed out here. Sign in, then link again.",
  cancelled: "You did not allow it at Slack.",
  refused: "Slack’s answer was not valid, or came too late. Link again.",
  other_workspace: "You signed in to another workspace. Choose your organization’s.",
  taken: "This Slack account is linked to another member.",
};
const isRefusal = (came: string): came is LinkRefusal => came in REFUSED;

/** The member's own account at Slack: link, test, unlink. */
export function SlackAccount({ slack: { team, account } }: { slack: OwnSlack }) {
  const came = useSearchParams().get("slack");
  const keys = [ownSlack().queryKey];
  const link = useMutation({
    mutationFn: async () => {
      const { url } = await api.post<{ url: string }>(OWN_SLACK_PATH);
      window.location.assign(url);
    },
    onError: tellError,
  });
  const test = useChange(keys, () => api.post(`${OWN_SLACK_PATH}/test`), { onError: tellError });
  const unlink = useChange(keys, () => api.delete(OWN_SLACK_PATH), { done: "Unlinked", onError: tellError });
  return (
    <Section
      title="Slack"
      description={`Link your account in the workspace ${team}. Intray then writes to you there.`}
    >
      {came !== null && isRefusal(came) && !account && <Notice live tone="bad" title={REFUSED[came]} />}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <div className="flex min-w-52 flex-1 flex-col gap-0.5">
          <span className="truncate font-medium">{account ? account.name : "Not linked"}</span>
          <span role="status" className="text-muted text-xs">
            {account && <Status account={account} />}
          </span>
        </div>
        {account ? (
          <div className="flex gap-2">
            <Button size="sm" disabled={test.isPending} onClick={() => test.mutate()}>
              Send me a test
            </Button>
            <Button size="sm" disabled={unlink.isPending} onClick={() => unlink.mutate()}>
              Unlink
            </Button>
          </div>
        ) : (
          <Button size="sm" disabled={link.isPending} onClick={() => link.mutate()}>
            Link Slack account
          </Button>
        )}
      </div>
      {account?.failure && (
        <Notice tone="bad" title={account.failure.error}>
          Since <TimeAgo at={account.failure.since} />. Intray tries again for a day, then at the next
          notification.
        </Notice>
      )}
    </Section>
  );
}

/** What became of the last test, or when the member was last told of something. */
function Status({
  account: { test, sentAt, linkedAt },
}: {
  account: NonNullable<OwnSlack["account"]>;
}): ReactNode {
  if (test?.deliveredAt)
    return (
      <>
        The test was delivered <TimeAgo at={test.deliveredAt} />
      </>
    );
  if (test)
    return (
      <>
        Test asked for <TimeAgo at={test.askedAt} />. Not delivered yet
      </>
    );
  if (sentAt)
    return (
      <>
        Last message <TimeAgo at={sentAt} />
      </>
    );
  return (
    <>
      Linked <TimeAgo at={linkedAt} />. No message yet
    </>
  );
}
