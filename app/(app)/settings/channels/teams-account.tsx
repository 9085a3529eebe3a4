"use client";

import { Notice } from "@/components/ui/notice.tsx";
import type { LinkRefusal, OwnTeams } from "@/lib/outbound/teams/teams-schema.ts";
import { OWN_TEAMS_PATH, ownTeams } from "@/lib/web/client/notices.ts";
import { ChannelAccount } from "./channel-account.tsx";

const REFUSED: Record<LinkRefusal, string> = {
  signed_out: "You were signed out here. Sign in, then link again.",
  cancelled: "You did not allow it at Microsoft.",
  refused: "Microsoft’s answer was not valid, or came too late. Link again.",
  other_tenant: "You signed in to another organization at Microsoft. Choose your own.",
  taken: "This Teams account is linked to another member.",
};

export function TeamsAccount({ teams: { account } }: { teams: OwnTeams }) {
  const lacksApp = account !== null && !account.hasApp;
  return (
    <ChannelAccount
      platform={{ name: "teams", title: "Teams" }}
      description="Link the account with which you work in Microsoft Teams. Intray then writes to you there."
      // Without the app nothing can be sent, as the notice below says.
      account={lacksApp ? { ...account, failure: null } : account}
      path={OWN_TEAMS_PATH}
      queryKey={ownTeams().queryKey}
      refusals={REFUSED}
    >
      {lacksApp && (
        <Notice tone="wait" title="Add Intray in Teams">
          In Teams open Apps, search for Intray, and press Add. Until then nothing can be sent to you.
        </Notice>
      )}
    </ChannelAccount>
  );
}
