/** Jobs that inform people and programs: notices, mail, webhooks. */
import { noteEndingAgents } from "../../agents/agent-writes.ts";
import { Prisma } from "../../base/db/db.ts";
import { env } from "../../base/env.ts";
import { organizationsBehind, takeEvents } from "../../history/events/follow.ts";
import { sendAccountMail } from "../../outbound/mail/account-mail.ts";
import { forgetOldMail } from "../../outbound/mail/mail-writes.ts";
import { sendPasswordReset } from "../../outbound/mail/password-reset.ts";
import { sendDueMail } from "../../outbound/mail/send.ts";
import { mailer } from "../../outbound/mail/smtp.ts";
import { NO_SUBJECTS } from "../../outbound/notices/audience.ts";
import { peopleBehind, subjectsOf } from "../../outbound/notices/follow.ts";
import {
  forgetOldNotices,
  markOwnRead,
  syncNotices,
  withdrawNotices,
} from "../../outbound/notices/notice-writes.ts";
import {
  deliverNext,
  forgetOldDeliveries,
  forgetOldSecrets,
  webhooksDue,
} from "../../outbound/webhooks/delivery.ts";
import { recordDeliveries } from "../../outbound/webhooks/outbox.ts";
import { noteWarnings } from "../../people/api-keys/api-key-writes.ts";
import { unassignUnable } from "../../people/members/unassign.ts";
import { noteCertificateEnds } from "../../people/saml/ending.ts";
import { noteMissingOwners } from "../../people/service-accounts/service-account-writes.ts";
import { noteMoves } from "../../policy/away/away-writes.ts";
import { wake } from "../../requests/snoozes/snooze-writes.ts";
import {
  followAskers,
  followGroups,
  followMakers,
  followRequests,
  followRoles,
} from "../../requests/voting/groups.ts";
import {
  ABSENCES_MS,
  EVENTS_A_TURN,
  FORGET_BATCH,
  FORGET_EVERY_MS,
  KEEP_DELIVERIES_MS,
  KEEP_NOTICES_MS,
  KEY_WARNINGS_MS,
  MAIL_EVERY_MS,
  NOTIFY_EVERY_MS,
  SNOOZES_MS,
  WEBHOOK_SENDS,
  WEBHOOK_SENDS_EACH,
} from "../tunables.ts";
import type { Job, JobContext } from "./jobs.ts";
import { Senders } from "./senders.ts";

/** Creates and withdraws notices according to new history lines. */
export const NOTICES: Job = {
  name: "notices",
  everyMs: NOTIFY_EVERY_MS,
  isTold: true,
  due: () => organizationsBehind("notices"),
  run: ({ database }, organizationId) =>
    database.withOrganization(organizationId, async (tx) => {
      const from = { follower: "notices", begins: "now" } as const;
      const events = await takeEvents(tx, from, EVENTS_A_TURN);
      const { own, groups, roles, ...found } = subjectsOf(events);
      const { makers, askers } = peopleBehind(events);
      await followRequests(tx, found.requests);
      // By the rule of a second person. Whoever changes a service account can't do it: `lib/people/service-accounts` is below `lib/people/members`.
      if (askers) await unassignUnable(tx, null);
      const followed = [
        ...(await followGroups(tx, groups)),
        ...(await followRoles(tx, roles)),
        ...(makers ? await followMakers(tx) : []),
        ...(askers ? await followAskers(tx) : []),
      ];
      const subjects = { ...found, requests: [...new Set([...found.requests, ...followed])] };
      await syncNotices(tx, subjects, env().smtpUrl !== undefined);
      await markOwnRead(tx, own);
      return events.length === EVENTS_A_TURN;
    }),
};

/** Warns of API keys that end, and of those that have ended. */
export const KEY_WARNINGS: Job = {
  name: "key warnings",
  everyMs: KEY_WARNINGS_MS,
  isTold: false,
  due: () => Prisma.sql`SELECT id FROM gate.organizations_with_ending_keys()`,
  run: ({ database }, organizationId) =>
    database.withOrganization(organizationId, async (tx) => {
      const keys = await noteWarnings(tx);
      await syncNotices(tx, { ...NO_SUBJECTS, keys }, env().smtpUrl !== undefined);
      return false;
    }),
};

/** Warns of agents whose secret ends, and of those whose secret has ended. */
export const AGENT_WARNINGS: Job = {
  name: "agent warnings",
  everyMs: KEY_WARNINGS_MS,
  isTold: false,
  due: () => Prisma.sql`SELECT id FROM gate.organizations_with_ending_agents()`,
  run: ({ database }, organizationId) =>
    database.withOrganization(organizationId, async (tx) => {
      const agents = await noteEndingAgents(tx);
      await syncNotices(tx, { ...NO_SUBJECTS, agents }, env().smtpUrl !== undefined);
      return false;
    }),
};

/** Tells of service accounts that rest for want of an owner, and of those that do no more. */
export const RESTING_ACCOUNTS: Job = {
  name: "resting service accounts",
  everyMs: KEY_WARNINGS_MS,
  isTold: false,
  due: () => Prisma.sql`SELECT id FROM gate.organizations_with_resting_accounts()`,
  run: ({ database }, organizationId) =>
    database.withOrganization(organizationId, async (tx) => {
      const serviceAccounts = await noteMissingOwners(tx);
      await syncNotices(tx, { ...NO_SUBJECTS, serviceAccounts }, env().smtpUrl !== undefined);
      return false;
    }),
};

/** Tells owners of SAML certificates that end soon. */
export const ENDING_CERTIFICATES: Job = {
  name: "ending SAML certificates",
  everyMs: KEY_WARNINGS_MS,
  isTold: false,
  due: () => Prisma.sql`SELECT id FROM gate.organizations_with_saml()`,
  run: ({ database }, organizationId) =>
    database.withOrganization(organizationId, async (tx) => {
      const samlProviders = await noteCertificateEnds(tx);
      await syncNotices(tx, { ...NO_SUBJECTS, samlProviders }, env().smtpUrl !== undefined);
      return false;
    }),
};

/** Tells those who stand in of what waits already when somebody leaves, and no more once they are back. */
export const ABSENCES: Job = {
  name: "absences",
  everyMs: ABSENCES_MS,
  isTold: false,
  due: () => Prisma.sql`SELECT id FROM gate.organizations_with_absences()`,
  run: ({ database }, organizationId) =>
    database.withOrganization(organizationId, async (tx) => {
      const requests = await noteMoves(tx);
      await syncNotices(tx, { ...NO_SUBJECTS, requests }, env().smtpUrl !== undefined);
      return false;
    }),
};

/** Tells members that what they had put off is back. */
export const SNOOZES: Job = {
  name: "snoozes",
  everyMs: SNOOZES_MS,
  isTold: false,
  due: () => Prisma.sql`SELECT id FROM gate.organizations_with_ended_snoozes()`,
  run: ({ database }, organizationId) =>
    database.withOrganization(organizationId, async (tx) => {
      const { woken, isMore } = await wake(tx);
      for (const { requestId, userId } of woken) await withdrawNotices(tx, "request.woke", requestId, userId);
      const requests = [...new Set(woken.map(({ requestId }) => requestId))];
      await syncNotices(tx, { ...NO_SUBJECTS, requests }, env().smtpUrl !== undefined);
      return isMore;
    }),
};

/** Queues webhook deliveries for new history lines. */
export const WEBHOOK_OUTBOX: Job = {
  name: "webhook outbox",
  everyMs: NOTIFY_EVERY_MS,
  isTold: true,
  due: () => organizationsBehind("webhooks"),
  run: ({ database }, organizationId) =>
    database.withOrganization(organizationId, async (tx) => {
      const from = { follower: "webhooks", begins: "now" } as const;
      const events = await takeEvents(tx, from, EVENTS_A_TURN);
      await recordDeliveries(tx, events);
      return events.length === EVENTS_A_TURN;
    }),
};

/** The webhook senders of each engine in this process. */
const senders = new WeakMap<JobContext, Senders>();

/** Starts due webhook deliveries without waiting, so that a slow receiver delays no others. */
export const WEBHOOK_DELIVERIES: Job = {
  name: "webhook deliveries",
  everyMs: NOTIFY_EVERY_MS,
  isTold: true,
  due: () => Prisma.sql`SELECT id FROM gate.organizations_with_webhooks()`,
  async run(context, organizationId) {
    const own =
      senders.get(context) ??
      new Senders(context.log, { all: WEBHOOK_SENDS, each: WEBHOOK_SENDS_EACH }, () => context.tell?.());
    senders.set(context, own);
    const due = await context.database.withOrganization(organizationId, (tx) => webhooksDue(tx));
    for (const id of due)
      own.begin(`${organizationId} ${id}`, () => deliverNext(context, organizationId, id));
    return false;
  },
  async settled(context) {
    await senders.get(context)?.end();
  },
};

/** Sends due mail, if a mail server is configured. */
export const MAIL: Job = {
  name: "mail",
  everyMs: MAIL_EVERY_MS,
  isTold: true,
  due: () => (env().smtpUrl === undefined ? null : Prisma.sql`SELECT id FROM gate.organizations_with_mail()`),
  async run({ database }, organizationId) {
    const letters = mailer();
    return letters !== null && sendDueMail(database, organizationId, letters, env().url);
  },
};

/** Sends due mail about accounts. Its turns are people: an account is of no organization. */
export const ACCOUNT_MAIL: Job = {
  name: "account mail",
  everyMs: MAIL_EVERY_MS,
  isTold: true,
  due: () => (env().smtpUrl === undefined ? null : Prisma.sql`SELECT id FROM gate.people_with_mail()`),
  async run({ database }, userId) {
    const letters = mailer();
    return letters !== null && sendAccountMail(database, userId, letters, env().url);
  },
};

/** Mails links to people who forgot their passwords. Its turns are addresses that somebody asked for. */
export const PASSWORD_RESETS: Job = {
  name: "password resets",
  everyMs: MAIL_EVERY_MS,
  isTold: true,
  due: () => (env().smtpUrl === undefined ? null : Prisma.sql`SELECT id FROM gate.password_resets_waiting()`),
  async run({ database }, resetId) {
    const letters = mailer();
    if (!letters) return false;
    await sendPasswordReset(database, resetId, letters, env().url);
    return false;
  },
};

/** Deletes old notices about accounts, in one turn for all people. */
export const DELETE_OLD_ACCOUNT_NOTICES: Job = {
  name: "forget what accounts were told",
  everyMs: FORGET_EVERY_MS,
  isTold: false,
  due: () => Prisma.sql`SELECT 'everybody'::text AS id`,
  async run({ database }) {
    const [row] = await database.gate<{ gone: number }>(
      Prisma.sql`SELECT gate.sweep_account_notices() AS gone`,
    );
    return row?.gone === 1_000;
  },
};

/** Deletes old notices, mail, webhook secrets and deliveries. */
export const DELETE_OLD_NOTIFICATIONS: Job = {
  name: "forget what was told",
  everyMs: FORGET_EVERY_MS,
  isTold: false,
  due: () => Prisma.sql`SELECT id FROM gate.organizations_without_hold()`,
  run: ({ database }, organizationId) =>
    database.withOrganization(organizationId, async (tx) => {
      const more = await forgetOldNotices(tx, KEEP_NOTICES_MS, FORGET_BATCH);
      await forgetOldMail(tx, KEEP_NOTICES_MS);
      await forgetOldSecrets(tx);
      return (await forgetOldDeliveries(tx, KEEP_DELIVERIES_MS, FORGET_BATCH)) || more;
    }),
};
