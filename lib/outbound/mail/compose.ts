/**
 * Composes a mail: the event, its tool and server, and a link. Beside an assignment, the note that
 * its giver wrote. Never contains the question, a label, arguments or results, since people other than the
 * addressee may read mail. No link decides anything: each opens a page behind the sign-in.
 */

import type { Cause } from "../notices/notice-schema.ts";
import { accountWords, listPath, manyWords, type NoticeAbout, noticeWords } from "../notices/notice-words.ts";
import { escapeHtml, oneLine, shorten } from "./untrusted-text.ts";

/** Up to this many notices of one cause are listed, more are only counted. */
const LISTED = 5;

interface Line {
  text: string;
  about: string;
  note: string | null;
  url: string;
}

/** A mail about an account, to its person alone. `isLast`: further ones of this kind today are not mailed. */
export function composeAccountMail(
  { cause, data, isLast, at }: { cause: string; data: Record<string, unknown>; isLast: boolean; at: Date },
  appUrl: string,
): { subject: string; text: string; html: string } {
  const { text, about } = accountWords(cause, data, 0);
  const line = oneLine(shorten(about));
  const url = `${appUrl}/settings/security`;
  const when = `${at.toISOString().slice(0, 16).replace("T", " ")} UTC`;
  const advice = [
    "If this was you, there is nothing to do.",
    "If not: end the other sessions and change your password under Settings, Security, and tell the person who runs Intray.",
    ...(isLast ? ["More of this kind today are shown in Intray and not mailed."] : []),
    "You get this because it concerns your account. It can't be turned off.",
  ];
  return {
    subject: `Intray account: ${text}`,
    text: [`${text}.`, line, when, ...advice, url].filter(Boolean).join("\n\n"),
    html: [
      `<!doctype html><html lang="en"><body style="font:14px/1.5 sans-serif;color:#1d2529">`,
      `<p><strong>${escapeHtml(text)}</strong>${line && `<br>${escapeHtml(line)}`}<br>${escapeHtml(when)}</p>`,
      ...advice.map((one) => `<p>${escapeHtml(one)}</p>`),
      `<p><a href="${escapeHtml(url)}">Open in Intray</a></p></body></html>`,
    ].join("\n"),
  };
}

export function composeMail(
  notices: NoticeAbout[],
  { organization, appUrl }: { organization: string; appUrl: string },
): { subject: string; text: string; html: string } {
  const byCause = Map.groupBy(notices, ({ cause }) => cause);
  const lines = [...byCause].flatMap(([cause, group]) => linesOf(cause, group, appUrl));
  const [first] = lines;
  const subject =
    lines.length === 1 && first ? sentence(first) : `${notices.length} things in Intray want your attention`;
  const settings = `${appUrl}/settings/notifications`;
  const why = `You get this as a member of ${shorten(organization)}. The links open Intray; none of them decides anything.`;
  return {
    subject,
    text: [
      ...lines.map((line) =>
        [sentence(line), line.note && `“${line.note}”`, line.url].filter(Boolean).join("\n"),
      ),
      why,
      `Notification settings: ${settings}`,
    ].join("\n\n"),
    html: [
      `<!doctype html><html lang="en"><body style="font:14px/1.5 sans-serif;color:#1d2529">`,
      ...lines.map(({ text, about, note, url }) =>
        [
          `<p><strong>${escapeHtml(text)}</strong>`,
          about && `<br>${escapeHtml(about)}`,
          note && `<br>“${escapeHtml(note)}”`,
          `<br><a href="${escapeHtml(url)}">Open in Intray</a></p>`,
        ]
          .filter(Boolean)
          .join(""),
      ),
      `<p style="color:#5b666c">${escapeHtml(why)}<br><a href="${escapeHtml(settings)}">Notification settings</a></p></body></html>`,
    ].join("\n"),
  };
}

function linesOf(cause: Cause, group: NoticeAbout[], appUrl: string): Line[] {
  if (group.length > LISTED)
    return [
      { text: manyWords(cause, group.length), about: "", note: null, url: `${appUrl}${listPath(cause)}` },
    ];
  return group.map((notice) => {
    const { text, about, path } = noticeWords({
      ...notice,
      task: notice.task && { ...notice.task, tool: shorten(notice.task.tool), label: null },
      server: notice.server && { ...notice.server, name: shorten(notice.server.name) },
      apiKey: notice.apiKey && { ...notice.apiKey, name: shorten(notice.apiKey.name) },
      agent: notice.agent && { ...notice.agent, name: shorten(notice.agent.name) },
    });
    const note = notice.assignment?.note;
    return { text: oneLine(text), about, note: note ? oneLine(note) : null, url: `${appUrl}${path}` };
  });
}

const sentence = ({ text, about }: Line) => (about ? `${text}: ${about}` : text);
