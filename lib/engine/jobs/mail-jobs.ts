/** Jobs that send mail, if a mail server is configured. */
import { Prisma } from "../../base/db/db.ts";
import { env } from "../../base/env.ts";
import { sendDueDigest } from "../../outbound/digest/send-digest.ts";
import { sendPasswordReset } from "../../outbound/mail/password-reset.ts";
import { sendAccountMail, sendDueMail } from "../../outbound/mail/send.ts";
import { mailer } from "../../outbound/mail/smtp.ts";
import { MAIL_EVERY_MS } from "../tunables.ts";
import type { Job } from "./job-runner.ts";

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

/** Mails members once a day what waits for them. Looks every `IDLE_LOOK_MS`, which is soon enough for an hour of the day. */
export const DIGESTS: Job = {
  name: "digests",
  everyMs: MAIL_EVERY_MS,
  isTold: true,
  due: () =>
    env().smtpUrl === undefined ? null : Prisma.sql`SELECT id FROM gate.organizations_with_digests()`,
  async run(context, organizationId) {
    const letters = mailer();
    return letters !== null && sendDueDigest(context, organizationId, letters, env().url);
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
