/**
 * The platforms on which members have messages of Intray's. Each has tables of its own for the organization's app, members' accounts,
 * messages and presses: the columns that are named here differ, all others that this folder uses are the same.
 */
import { Prisma } from "../../base/db/db.ts";

export interface Platform {
  name: "slack" | "teams";
  /** In words. */
  title: string;
  app: Prisma.Sql;
  account: Prisma.Sql;
  message: Prisma.Sql;
  press: Prisma.Sql;
  /** Of the app: where it is installed, and the name of that in events. */
  place: { column: Prisma.Sql; inEvents: string };
  /** Of an account and of a press: the person, by the platform's own id. */
  person: Prisma.Sql;
  /** Of an account: the person's name there. */
  personName: Prisma.Sql;
  /** Of a message: by which the platform knows it. */
  messageId: Prisma.Sql;
  /** Of a press: the digest of the platform's own id. */
  pressDigest: Prisma.Sql;
  /** The conversation of account `a` with the app. */
  conversation: Prisma.Sql;
  /** Of a notice: to be told there from then on. */
  after: Prisma.Sql;
  /** Of a member's choices. */
  chosen: Prisma.Sql;
}

export const SLACK: Platform = {
  name: "slack",
  title: "Slack",
  app: Prisma.raw("slack_app"),
  account: Prisma.raw("slack_account"),
  message: Prisma.raw("slack_message"),
  press: Prisma.raw("slack_press"),
  place: { column: Prisma.raw("team_name"), inEvents: "team" },
  person: Prisma.raw("slack_user_id"),
  personName: Prisma.raw("slack_name"),
  messageId: Prisma.raw("ts"),
  pressDigest: Prisma.raw("trigger_digest"),
  conversation: Prisma.raw("a.channel"),
  after: Prisma.raw("slack_after"),
  chosen: Prisma.raw("slack"),
};

export const TEAMS: Platform = {
  name: "teams",
  title: "Teams",
  app: Prisma.raw("teams_app"),
  account: Prisma.raw("teams_account"),
  message: Prisma.raw("teams_message"),
  press: Prisma.raw("teams_press"),
  place: { column: Prisma.raw("tenant_id"), inEvents: "tenant" },
  person: Prisma.raw("oid"),
  personName: Prisma.raw("name"),
  messageId: Prisma.raw("activity_id"),
  pressDigest: Prisma.raw("activity_digest"),
  conversation: Prisma.raw(
    "(SELECT c.conversation FROM teams_conversation c WHERE c.organization_id = a.organization_id AND c.oid = a.oid)",
  ),
  after: Prisma.raw("teams_after"),
  chosen: Prisma.raw("teams"),
};

export const PLATFORMS = [SLACK, TEAMS];
