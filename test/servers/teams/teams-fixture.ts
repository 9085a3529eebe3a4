/** An organization with Teams set up, and helpers to link accounts, to add the app, to ask, and to send what is due. */
import { expect } from "vitest";
import { uuidv7 } from "../../../lib/base/ids.ts";
import { TEAMS } from "../../../lib/outbound/channel/platforms.ts";
import { beginTeamsLink, finishTeamsLink } from "../../../lib/outbound/teams/account-writes.ts";
import { checkTeams, setUpTeams } from "../../../lib/outbound/teams/app-writes.ts";
import { type Cloud, teamsCloud } from "../../../lib/outbound/teams/cloud.ts";
import { keepConversation } from "../../../lib/outbound/teams/conversation-writes.ts";
import { sendToTeams } from "../../../lib/outbound/teams/delivery.ts";
import type { LinkRefusal } from "../../../lib/outbound/teams/teams-schema.ts";
import {
  APP,
  type ChannelFixture,
  createChannelFixture,
  type Member,
} from "../../fixtures/channel-fixture.ts";
import { textsOf } from "./cards.ts";
import { personOf, SECRETS, startTeams, type TeamsServer } from "./teams.ts";

export interface TeamsFixture extends ChannelFixture {
  teams: TeamsServer;
  means(): { network: ChannelFixture["context"]["network"]; cloud: Cloud };
  /** Nothing is told, linked or open any more; Teams is set up. */
  reset(): Promise<void>;
  setUp(other?: Partial<typeof SECRETS>): Promise<void>;
  /** Signs in at Microsoft as a person, and comes back in a session: that which began, unless `back` says otherwise. */
  link(
    member: Member,
    person: number,
    back?: { sessionId?: string; tenantId?: string; as?: Member },
  ): Promise<LinkRefusal | null>;
  /** The person adds the app in Teams. */
  add(person: number): Promise<void>;
  titles(): (string | undefined)[];
}

/** A person's conversation with the bot. */
export const conversationOf = (person: number): string => `a:1conversation-${person};of`;

export async function createTeamsFixture(): Promise<TeamsFixture> {
  const teams = await startTeams();
  const cloud = teamsCloud(teams.url);
  const fixture = await createChannelFixture([teams.hostAndPort], TEAMS, ({ context, organizationId }, id) =>
    sendToTeams(context, organizationId, id, { appUrl: APP, cloud }),
  );
  const means = () => ({ network: fixture.context.network, cloud });
  const its: TeamsFixture = {
    ...fixture,
    teams,
    means,
    async reset() {
      teams.clear();
      await fixture.forget();
      await its.setUp();
    },
    async setUp(other = {}) {
      const app = { ...SECRETS, ...other };
      const access = await checkTeams(means(), app);
      await fixture.within((tx) => setUpTeams(tx, fixture.ana, fixture.seal, app, access));
    },
    async link(member, person, back = {}) {
      const sessionId = uuidv7();
      const name = `${member.actor.name} at Work`;
      teams.signedIn = { tid: back.tenantId ?? SECRETS.tenantId, oid: personOf(person), name };
      const { organizationId, userId } = member;
      const using = { seal: fixture.seal, cloud, appUrl: APP };
      const url = await fixture.within((tx) =>
        beginTeamsLink(tx, { organizationId, userId, sessionId }, using),
      );
      const returned = new URL(await teams.authorize(url));
      expect(returned.origin + returned.pathname).toBe(`${APP}/oauth/teams`);
      const arriving = { ...means(), seal: fixture.seal, appUrl: APP, within: fixture.within };
      return finishTeamsLink(arriving, back.as ?? member, back.sessionId ?? sessionId, returned.searchParams);
    },
    async add(person) {
      const conversation = { id: conversationOf(person), serviceUrl: `${teams.url}/teams` };
      await fixture.within((tx) => keepConversation(tx, personOf(person), conversation));
    },
    titles: () => teams.messages.map((message) => textsOf(message)[0]),
    async close() {
      await fixture.close();
      await teams.close();
    },
  };
  return its;
}
