import { aRole, type Role } from "../../access/roles.ts";
import { escapeHtml, oneLine, shorten } from "./untrusted-text.ts";

/**
 * Composes the mail to somebody who is invited. Its link is in no other mail and on no screen, so that whoever opens it
 * reads the mail of the address.
 */
export function composeInvitation({
  organization,
  inviter,
  email,
  role,
  url,
}: {
  organization: string;
  /** Null: an API key of the command line. */
  inviter: string | null;
  email: string;
  role: Role;
  url: string;
}): { subject: string; text: string; html: string } {
  const [place, by] = [shorten(organization), shorten(inviter ?? "Somebody")];
  const what = `${by} invites you to ${place} as ${aRole(role)}.`;
  const how = `The link works once, for a week. Keep it to yourself: anybody who opens it joins as ${oneLine(email)}. If you do not know ${place}, do nothing.`;
  return {
    subject: `${by} invites you to ${place}`,
    text: [what, url, how].join("\n\n"),
    html: [
      `<!doctype html><html lang="en"><body style="font:14px/1.5 sans-serif;color:#1d2529">`,
      `<p><strong>${escapeHtml(what)}</strong><br><a href="${escapeHtml(url)}">Open the invitation</a></p>`,
      `<p style="color:#5b666c">${escapeHtml(how)}</p></body></html>`,
    ].join("\n"),
  };
}
