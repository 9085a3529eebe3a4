/**
 * Composes a mail: the event, its tool and server, and a link. Beside an assignment, the note that
 * its giver wrote. Never contains the question, a label, arguments or results, since people other than the
 * addressee may read mail. No link decides anything: each opens a page behind the sign-in.
 */

import { aRole, type Role } from "../../access/roles.ts";
import { splitHidden } from "../../text/foreign/hidden.ts";
import type { Cause } from "../notices/notice-schema.ts";
import { accountWords, listPath, manyWords, type NoticeAbout, noticeWords } from "../notices/notice-words.ts";

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
    ...(isLast ? ["Intray shows further notices of this kind today, and does not mail them."] : []),
    "You get this mail because it is about your account. You can’t turn it off.",
  ];
  return {
    subject: `Intray account: ${text}`,
    text: [`${text}.`, line, when, ...advice, url].filter(Boolean).join("\n\n"),
    html: htmlPage(
      `<p><strong>${escapeHtml(text)}</strong>${line && `<br>${escapeHtml(line)}`}<br>${escapeHtml(when)}</p>`,
      ...advice.map((one) => `<p>${escapeHtml(one)}</p>`),
      `<p><a href="${escapeHtml(url)}">Open in Intray</a></p>`,
    ),
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
    lines.length === 1 && first ? sentence(first) : `${notices.length} things in Intray need your attention`;
  const settings = `${appUrl}/settings/channels`;
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
    html: htmlPage(
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
      `<p class="quiet">${escapeHtml(why)}<br><a href="${escapeHtml(settings)}">Notification settings</a></p>`,
    ),
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

/**
 * Composes the mail to an invited person. Its link is in no other mail and on no screen, so a person who opens it can read
 * the mail of the address.
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
  const how = `The link works once, for a week. Keep it to yourself: anybody who opens it joins as ${visibleLine(email)}. If you do not know ${place}, do nothing.`;
  return {
    subject: `${by} invites you to ${place}`,
    text: [what, url, how].join("\n\n"),
    html: htmlPage(
      `<p><strong>${escapeHtml(what)}</strong><br><a href="${escapeHtml(url)}">Open the invitation</a></p>`,
      `<p class="quiet">${escapeHtml(how)}</p>`,
    ),
  };
}

// Text of tenants and servers adds no header, no markup and no link of its own.

const NAME_CHARACTERS = 120;

/** Reduces an untrusted name to one line of at most `NAME_CHARACTERS`. */
export function shorten(name: string): string {
  const line = oneLine(name);
  if (line.length <= NAME_CHARACTERS) return line;
  // Not within a pair of surrogates.
  const end = (line.codePointAt(NAME_CHARACTERS - 1) ?? 0) > 0xffff ? NAME_CHARACTERS - 1 : NAME_CHARACTERS;
  return `${line.slice(0, end)}…`;
}

/** One line, without characters that turn or hide text, and without text that mail programs turn into links. */
export function oneLine(text: string): string {
  return unlinked(visibleLine(text));
}

/** One line, without characters that turn or hide text. */
export function visibleLine(text: string): string {
  const seen = splitHidden(text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ")).filter(
    ({ kind }) => kind !== "hidden",
  );
  return seen.map((run) => run.text).join("");
}

/**
 * Breaks addresses and domains by blanks, as mail programs link `pay.example` without a scheme too. A blank is seen, and no program
 * reads over it; over a word joiner some do, where a scheme stands before it.
 */
function unlinked(text: string): string {
  return text
    .replaceAll(/(?:(?<=\b(?:https?|mailto)):|:(?=\/\/))(?=\S)/gi, ": ")
    .replaceAll(/(?<=\S)@(?=\S)/g, " @ ")
    .replaceAll(/(?<=\S)[.．。｡](?=\p{L})/gu, " $&")
    .replaceAll(/(?<=\d\.\d{1,3}\.\d{1,3})\.(?=\d{1,3}[/:])/g, " $&");
}

const STYLE = `body { font: 14px/1.5 sans-serif; color: #1d2529; background: #fff }
h2 { font-size: 14px; margin: 20px 0 4px }
ul { margin: 0; padding-left: 20px }
li { margin: 6px 0 }
a { color: #0b6a6f }
.quiet { color: #5b666c }
@media (prefers-color-scheme: dark) {
  body { color: #e3e8ea; background: #15191b }
  a { color: #63c5c7 }
  .quiet { color: #a3aeb3 }
}`;

/** The HTML part of a mail, light or dark as the reader's screen is. */
export function htmlPage(...parts: string[]): string {
  return [
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><style>${STYLE}</style></head><body>`,
    ...parts,
    "</body></html>",
  ].join("\n");
}

/** For the HTML part of a mail. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
