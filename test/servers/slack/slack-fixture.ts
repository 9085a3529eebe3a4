/** An organization with Slack set up, and helpers to link accounts, to ask, and to send what is due. */
import { expect } from "vitest";
import { uuidv7 } from "../../../lib/base/ids.ts";
import { SLACK } from "../../../lib/outbound/channel/platforms.ts";
import { beginLink, finishLink } from "../../../lib/outbound/slack/account-writes.ts";
import { askWorkspace, setUpSlack } from "../../../lib/outbound/slack/app-writes.ts";
import { sendToSlack } from "../../../lib/outbound/slack/delivery.ts";
import type { LinkRefusal } from "../../../lib/outbound/slack/slack-schema.ts";
import {
  APP,
  type ChannelFixture,
  createChannelFixture,
  type Member,
} from "../../fixtures/channel-fixture.ts";
import { SECRETS, type SlackServer, startSlack, textsOf } from "./slack.ts";

export interface SlackFixture extends ChannelFixture {
  slack: SlackServer;
  means(): { network: ChannelFixture["context"]["network"]; slackUrl: string };
  /** Nothing is told, linked or open any more; Slack is set up. */
  reset(): Promise<void>;
  /** `clientId`: of another app in the workspace. */
  setUp(clientId?: string): Promise<void>;
  /** Signs in at Slack as somebody, and comes back in a session: that which began, unless `back` says otherwise. */
  link(
    member: Member,
    slackUserId: string,
    back?: { sessionId?: string; teamId?: string; as?: Member },
  ): Promise<LinkRefusal | null>;
  titles(): (string | undefined)[];
}

export async function createSlackFixture(): Promise<SlackFixture> {
  const slack = await startSlack();
  const fixture = await createChannelFixture([slack.hostAndPort], SLACK, ({ context, organizationId }, id) =>
    sendToSlack(context, organizationId, id, { appUrl: APP, slackUrl: slack.url }),
  );
  const { ana } = fixture;
  const means = () => ({ network: fixture.context.network, slackUrl: slack.url });
  const its: SlackFixture = {
    ...fixture,
    slack,
    means,
    async reset() {
      slack.clear();
      await fixture.forget();
      await its.setUp();
    },
    async setUp(clientId = SECRETS.clientId) {
      const workspace = await askWorkspace(means(), SECRETS.botToken);
      await fixture.within((tx) => setUpSlack(tx, ana, fixture.seal, { ...SECRETS, clientId }, workspace));
    },
    async link(member, slackUserId, back = {}) {
      const sessionId = uuidv7();
      slack.signedIn = {
        teamId: back.teamId ?? "T1",
        userId: slackUserId,
        name: `${member.actor.name} at Slack`,
      };
      const { organizationId, userId } = member;
      const using = { seal: fixture.seal, slackUrl: slack.url, appUrl: APP };
      const url = await fixture.within((tx) => beginLink(tx, { organizationId, userId, sessionId }, using));
      const returned = new URL(await slack.authorize(url));
      expect(returned.origin + returned.pathname).toBe(`${APP}/oauth/slack`);
      const arriving = { ...means(), seal: fixture.seal, appUrl: APP, within: fixture.within };
      return finishLink(arriving, back.as ?? member, back.sessionId ?? sessionId, returned.searchParams);
    },
    titles: () => slack.messages.map((message) => textsOf(message)[0]),
    async close() {
      await fixture.close();
      await slack.close();
    },
  };
  return its;
}
