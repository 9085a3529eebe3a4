"use client";

import type { LinkRefusal, OwnSlack } from "@/lib/outbound/slack/slack-schema.ts";
import { OWN_SLACK_PATH, ownSlack } from "@/lib/web/client/notices.ts";
import { ChannelAccount } from "./channel-account.tsx";

const REFUSED: Record<LinkRefusal, string> = {
  signed_out: "You were signed out here. Sign in, then link again.",
  cancelled: "You did not allow it at Slack.",
  refused: "Slack’s answer was not valid, or came too late. Link again.",
  other_workspace: "You signed in to another workspace. Choose your organization’s.",
  taken: "This Slack account is linked to another member.",
};

export function SlackAccount({ slack: { team, account } }: { slack: OwnSlack }) {
  return (
    <ChannelAccount
      platform={{ name: "slack", title: "Slack" }}
      description={`Link your account in the workspace ${team}. Intray then writes to you there.`}
      account={account}
      path={OWN_SLACK_PATH}
      queryKey={ownSlack().queryKey}
      refusals={REFUSED}
    />
  );
}
