"use client";

import { useMutation } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";
import type { ReactNode } from "react";
import { tellError, useChange } from "@/components/form/change.ts";
import { TimeAgo } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import type { OwnAccount } from "@/lib/outbound/channel/account-schema.ts";
import { api } from "@/lib/web/client/base/client.ts";
import { Section } from "../section.tsx";

interface Props {
  /** Also the name of what came of a link, in the page's address. */
  platform: { name: "slack" | "teams"; title: string };
  description: string;
  account: OwnAccount | null;
  path: string;
  queryKey: readonly unknown[];
  /** Why a link did not come about, by the words in the address. */
  refusals: Record<string, string>;
  children?: ReactNode;
}

/** The member's own account on a platform: link, test, unlink. */
export function ChannelAccount({
  platform,
  description,
  account,
  path,
  queryKey,
  refusals,
  children,
}: Props) {
  const { name, title } = platform;
  const came = useSearchParams().get(name) ?? "";
  const refusal = Object.hasOwn(refusals, came) ? refusals[came] : undefined;
  const keys = [queryKey];
  const link = useMutation({
    mutationFn: async () => {
      const { url } = await api.post<{ url: string }>(path);
      window.location.assign(url);
    },
    onError: tellError,
  });
  const test = useChange(keys, () => api.post(`${path}/test`), { onError: tellError });
  const unlink = useChange(keys, () => api.delete(path), { done: "Unlinked", onError: tellError });
  return (
    <Section title={title} description={description}>
      {refusal && !account && <Notice live tone="bad" title={refusal} />}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <div className="flex min-w-52 flex-1 flex-col gap-0.5">
          <span className="truncate font-medium">{account ? account.name : "Not linked"}</span>
          <span role="status" className="text-muted text-xs">
            {account && <Status account={account} />}
          </span>
        </div>
        {account ? (
          <div className="flex gap-2">
            <Button
              size="sm"
              disabled={test.isPending}
              aria-label={`Send me a test in ${title}`}
              onClick={() => test.mutate()}
            >
              Send me a test
            </Button>
            <Button
              size="sm"
              disabled={unlink.isPending}
              aria-label={`Unlink ${title} account`}
              onClick={() => unlink.mutate()}
            >
              Unlink
            </Button>
          </div>
        ) : (
          <Button size="sm" disabled={link.isPending} onClick={() => link.mutate()}>
            Link {title} account
          </Button>
        )}
      </div>
      {account?.failure && (
        <Notice tone="bad" title={account.failure.error}>
          <p>
            Since <TimeAgo at={account.failure.since} />. Intray tries again for a day, then at the next
            notification.
          </p>
        </Notice>
      )}
      {children}
    </Section>
  );
}

/** What became of the last test, or when the member was last told of something. */
function Status({ account: { test, sentAt, linkedAt } }: { account: OwnAccount }): ReactNode {
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
