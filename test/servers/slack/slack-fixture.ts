/** An organization with Slack set up, and helpers to link accounts, to ask, and to send what is due. */
import { expect } from "vitest";
import type { Principal } from "../../../lib/access/principal.ts";
import { uuidv7 } from "../../../lib/base/ids.ts";
import { NOTICES } from "../../../lib/engine/jobs/notice-jobs.ts";
import { beginLink, finishLink } from "../../../lib/outbound/slack/account-writes.ts";
import { askWorkspace, setUpSlack } from "../../../lib/outbound/slack/app-writes.ts";
import { sendToSlack, slackDue } from "../../../lib/outbound/slack/delivery.ts";
import type { LinkRefusal } from "../../../lib/outbound/slack/slack-schema.ts";
import { recordDecision } from "../../../lib/requests/answers/answer-writes.ts";
import {
  createNotificationsFixture,
  type NotificationsFixture,
} from "../../fixtures/notifications-fixture.ts";
import { insertRequest, insertServer, insertTask } from "../../fixtures/rows.ts";
import { SECRETS, type SlackServer, startSlack, textsOf } from "./slack.ts";

export const APP = "https://intray.test.example";
export type Member = Principal & { userId: string };

type Asked = Parameters<typeof insertRequest>[3] & {
  /** The vote, as stored. */
  approval?: object;
  task?: Parameters<typeof insertTask>[3];
  /** An approval in front of the task's call, which waits. */
  isGate?: boolean;
};

export interface SlackFixture extends NotificationsFixture {
  slack: SlackServer;
  finance: { id: string; connectionId: string };
  /** An approver and an admin. */
  ben: Member;
  ana: Member;
  means(): { network: NotificationsFixture["context"]["network"]; slackUrl: string };
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
  /** Sends to all members who are due, until none is. */
  send(): Promise<void>;
  /** As if so much time were over; then sends. */
  sendLater(minutes?: number): Promise<void>;
  later(minutes?: number): Promise<void>;
  asked(more?: Asked): Promise<{ id: string; questionHash: string; taskId: string }>;
  /** Declines, as a person who uses the screen. */
  decide(request: { id: string; questionHash: string }, by?: Member): Promise<void>;
  titles(): (string | undefined)[];
}

export async function createSlackFixture(): Promise<SlackFixture> {
  const slack = await startSlack();
  const fixture = await createNotificationsFixture([slack.hostAndPort]);
  const finance = await insertServer(fixture.database, fixture.organizationId);
  const ben = await fixture.member("approver", "Benno");
  const ana = await fixture.member("admin", "Ana");
  const means = () => ({ network: fixture.context.network, slackUrl: slack.url });
  const its: SlackFixture = {
    ...fixture,
    slack,
    finance,
    ben,
    ana,
    means,
    async reset() {
      slack.clear();
      for (const table of ["slack_press", "slack_app", "notice", "notice_preference", "claim"])
        await fixture.sql(`DELETE FROM ${table}`);
      await fixture.sql(
        "UPDATE input_request SET state = 'withdrawn', ended_at = now() WHERE state = 'open'",
      );
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
    async send() {
      const { context, organizationId } = fixture;
      for (;;) {
        const due = await context.database.withOrganization(organizationId, slackDue);
        if (due.length === 0) return;
        for (const id of due) {
          await sendToSlack(context, organizationId, id, { appUrl: APP, slackUrl: slack.url });
          // The pause between two messages of a conversation. Times are kept in whole milliseconds, which may be rounded up.
          await fixture.sql(
            `UPDATE slack_account SET not_before = now() - interval '1 second', due_at = due_at - interval '10 milliseconds'
              WHERE error IS NULL AND not_before < now() + interval '2 seconds'`,
          );
        }
      }
    },
    async later(minutes = 1) {
      const by = `${minutes} minutes`;
      await fixture.sql(
        "UPDATE notice SET slack_after = slack_after - $1::interval WHERE slack_after > now()",
        [by],
      );
      await fixture.sql(
        "UPDATE slack_account SET due_at = due_at - $1::interval, not_before = not_before - $1::interval",
        [by],
      );
      await fixture.sql("UPDATE slack_app SET not_before = not_before - $1::interval", [by]);
    },
    async sendLater(minutes) {
      await its.later(minutes);
      await its.send();
    },
    async asked({ approval, task, isGate, ...more } = {}) {
      // A label without a number: it is no repetition of the others.
      const unlike = { label: "Payment", ...task };
      const taskId = await insertTask(fixture.database, fixture.organizationId, finance, unlike);
      const request = await insertRequest(fixture.database, fixture.organizationId, taskId, more);
      if (approval)
        await fixture.sql("UPDATE input_request SET approval = $2 WHERE id = $1", [
          request.id,
          JSON.stringify(approval),
        ]);
      if (isGate) {
        await fixture.sql(
          "UPDATE task SET gate = 'waiting', gate_digest = sha256('x'), watched = false, sealed_handle = NULL WHERE id = $1",
          [taskId],
        );
        await fixture.sql("UPDATE input_request SET origin = 'intray' WHERE id = $1", [request.id]);
      }
      await fixture.happened({ type: "request.opened", taskId, inputRequestId: request.id });
      await fixture.run(NOTICES);
      return { taskId, ...request };
    },
    async decide({ id, questionHash }, by = ana) {
      const input = { action: "decline" as const, questionHash, holdMs: 60_000 };
      await fixture.within((tx) => recordDecision(tx, by, id, input));
      await fixture.run(NOTICES);
    },
    titles: () => slack.messages.map((message) => textsOf(message)[0]),
    async close() {
      await fixture.close();
      await slack.close();
    },
  };
  return its;
}

/** A vote in one stage of approvers and admins, as a request stores it. */
export function voteOf(
  stage: { need?: number; stepUp?: boolean; requireReason?: string[]; requester?: string } = {},
) {
  const { need = 2, stepUp = false, requireReason = [], requester = "allowed" } = stage;
  const roles = ["approver", "admin"];
  return {
    rule: "Two",
    version: 1,
    askedAt: new Date().toISOString(),
    dueAt: null,
    requester,
    failed: [],
    open: { stage: 0, roles, people: [], voted: [] },
    stages: [{ name: "Finance", roles, people: [], groups: [], need, rejections: 1, stepUp, requireReason }],
  };
}
