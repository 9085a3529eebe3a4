/**
 * Invites people: by mail where Intray has a mail server, and else by a link for the inviter to pass on. A token is
 * either mailed or shown, never both, since opening a mailed link proves the address.
 */

import type { Principal } from "../access/principal.ts";
import type { Tx } from "../base/db/db.ts";
import { env } from "../base/env.ts";
import { notFound } from "../base/errors.ts";
import { uuidv7 } from "../base/ids.ts";
import { log } from "../base/log.ts";
import { composeInvitation } from "../outbound/mail/compose.ts";
import { MailError, mailer } from "../outbound/mail/smtp.ts";
import { readInvitation } from "../people/invitations/invitation-reads.ts";
import type {
  CreateInvitation,
  Invitation,
  NewInvitation,
  UpdateInvitation,
} from "../people/invitations/invitation-schema.ts";
import {
  createInvitation,
  replaceUnmailedLink,
  updateInvitation,
} from "../people/invitations/invitation-writes.ts";
import type { Caller } from "./auth/authenticate.ts";
import { holdCredential } from "./auth/person.ts";
import { database } from "./database.ts";
import { mayTry, throttle } from "./http/throttle.ts";
import { within } from "./tenant.ts";
import { INVITATIONS_MAILED_PER_ORGANIZATION } from "./tunables.ts";

/** Throws as `createInvitation`, and `throttled` after too many mails. */
export async function invite(
  caller: Caller,
  { showLink, ...input }: CreateInvitation,
): Promise<NewInvitation> {
  const mailed = await mayMail(caller, showLink);
  return handOver(caller, mailed, (tx, principal) => createInvitation(tx, principal, input, { mailed }));
}

/** Throws as `updateInvitation`, and `throttled` after too many mails. */
export async function changeInvitation(
  caller: Caller,
  id: string,
  { showLink, ...input }: UpdateInvitation,
): Promise<NewInvitation> {
  const mailed = input.renew === true && (await mayMail(caller, showLink));
  return handOver(caller, mailed, async (tx, principal) => {
    const { token } = await updateInvitation(tx, principal, id, input, { mailed });
    return { id, token };
  });
}

async function mayMail({ principal }: Caller, showLink: boolean | undefined): Promise<boolean> {
  if (env().smtpUrl === undefined || showLink) return false;
  await throttle(`invitation mail ${principal.organizationId}`, INVITATIONS_MAILED_PER_ORGANIZATION);
  return true;
}

/** Commits the link, then mails it, or returns it to be shown. */
async function handOver(
  caller: Caller,
  mailed: boolean,
  make: (tx: Tx, principal: Principal) => Promise<{ id: string; token: string | null }>,
): Promise<NewInvitation> {
  const { token, invitation, organization } = await within(caller, async (tx, principal) => {
    await holdCredential(tx, caller);
    const { id, token } = await make(tx, principal);
    const invitation = await readInvitation(tx, id);
    const { name } = await tx.organization.findUniqueOrThrow({
      where: { id: tx.organizationId },
      select: { name: true },
    });
    return { token, invitation, organization: name };
  });
  if (token === null) return invitation;
  if (!mailed) return { ...invitation, url: joinUrl(token) };
  if (await sent(invitation, organization, token)) return invitation;
  return within(caller, async (tx) => {
    const shown = await replaceUnmailedLink(tx, invitation.id, token);
    // Delivered for all that, and used: there is nothing left to show.
    if (shown === null) throw notFound("invitation");
    const changed = await readInvitation(tx, invitation.id);
    return { ...changed, url: joinUrl(shown), mailFailed: true };
  });
}

/** Whether invitations that an organization's directory makes are mailed. */
export function directoryMails(): boolean {
  return env().smtpUrl !== undefined;
}

/**
 * Mails an invitation of the directory's. One that could not be mailed, or comes after too many, stays as one that was
 * not mailed: people renew it on the page of members.
 */
export async function mailForDirectory(
  organizationId: string,
  { id, token }: { id: string; token: string },
): Promise<void> {
  const db = await database();
  const mayMail = await mayTry(`invitation mail ${organizationId}`, INVITATIONS_MAILED_PER_ORGANIZATION);
  const { invitation, name } = await db.withOrganization(organizationId, async (tx) => ({
    invitation: await readInvitation(tx, id),
    ...(await tx.organization.findUniqueOrThrow({ where: { id: organizationId }, select: { name: true } })),
  }));
  if (mayMail && (await sent(invitation, name, token))) return;
  await db.withOrganization(organizationId, (tx) => replaceUnmailedLink(tx, id, token));
}

/** False: the mail server did not take the mail, or did not say so. */
async function sent(invitation: Invitation, organization: string, token: string): Promise<boolean> {
  const letters = mailer();
  if (!letters) return false;
  const { email, role, invitedBy } = invitation;
  const letter = composeInvitation({
    organization,
    inviter: invitedBy?.name ?? null,
    email,
    role,
    url: joinUrl(token),
  });
  try {
    await letters.send({ id: uuidv7(), to: { name: "", address: email }, isFixed: true, ...letter });
    return true;
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    // Nothing of the mail: its link would prove the address to whoever reads the log.
    log.warn({ reason: error.message }, "An invitation could not be mailed");
    return false;
  }
}

/**
 * The address of an invitation. The token appears in it only, and is logged nowhere: it stands in the fragment, which
 * no browser sends to a server, a proxy or another site.
 */
function joinUrl(token: string): string {
  return `${env().url}/join#token=${token}`;
}
