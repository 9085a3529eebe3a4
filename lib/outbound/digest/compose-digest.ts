/** Composes a digest. As other mails it names tools and servers, never a question, and no link decides anything. */
import type { WaitingRequest } from "../../requests/lists/deadlines.ts";
import { DEFAULT_LOCALE, formatsOf } from "../../text/formats/formats.ts";
import { plural } from "../../text/labels.ts";
import { escapeHtml, htmlPage, oneLine, shorten } from "../mail/compose.ts";
import type { TakenDigest } from "./digest-writes.ts";

/** What is due or ends within this time stands first. */
const SOON_MS = 24 * 3600_000;

type About = Pick<TakenDigest, "requests" | "count" | "overdue" | "organization" | "zone" | "locale" | "now">;

export function composeDigest(
  { requests, count, overdue, organization, zone, locale, now }: About,
  { appUrl, unsubscribePage }: { appUrl: string; unsubscribePage: string },
): { subject: string; text: string; html: string } {
  const formats = formatsOf(locale ?? DEFAULT_LOCALE, zone);
  const lineOf = ({ id, tool, server, decideBy, expiresAt }: WaitingRequest) => {
    const times = [
      { at: decideBy, word: decideBy !== null && decideBy <= now ? "overdue since" : "due" },
      { at: expiresAt, word: "ends" },
    ]
      .flatMap(({ at, word }) => (at === null ? [] : { at: at.getTime(), word }))
      .sort((one, other) => one.at - other.at);
    return {
      about: `${shorten(tool)} on ${shorten(server)}`,
      when: times.map(({ at, word }) => `${word} ${formats.dayAndTime(at)}`).join(" · "),
      url: `${appUrl}/inbox/${id}`,
    };
  };
  const groups = [...Map.groupBy(requests, (request) => urgencyOf(request, now))]
    .sort(([one], [other]) => HEADINGS.indexOf(one) - HEADINGS.indexOf(other))
    .map(([heading, of]) => ({ heading, lines: of.map(lineOf) }));
  const waiting = `${plural(count, "request")} ${count === 1 ? "waits" : "wait"} for you`;
  const more = count - requests.length;
  const inbox = `${appUrl}/inbox`;
  const settings = `${appUrl}/settings/channels`;
  const about = `Times are in the zone ${oneLine(zone)}. You get this daily digest as a member of ${shorten(organization)}, because you turned it on. The links open Intray; none of them decides anything.`;
  return {
    subject: overdue > 0 ? `${waiting}, ${overdue} overdue` : waiting,
    text: [
      `${waiting}.`,
      ...groups.map(({ heading, lines }) =>
        [heading, ...lines.map(({ about, when, url }) => `- ${about}${when && `: ${when}`}\n  ${url}`)].join(
          "\n",
        ),
      ),
      more > 0 ? `And ${more} more: ${inbox}` : `Inbox: ${inbox}`,
      about,
      `Change it: ${settings}\nTurn it off: ${unsubscribePage}`,
    ].join("\n\n"),
    html: htmlPage(
      `<p><strong>${waiting}.</strong></p>`,
      ...groups.flatMap(({ heading, lines }) => [
        `<h2>${heading}</h2>`,
        "<ul>",
        ...lines.map(
          ({ about, when, url }) =>
            `<li><a href="${escapeHtml(url)}">${escapeHtml(about)}</a>${when && `<br><span class="quiet">${escapeHtml(when)}</span>`}</li>`,
        ),
        "</ul>",
      ]),
      `<p><a href="${escapeHtml(inbox)}">${more > 0 ? `And ${more} more` : "Open the inbox"}</a></p>`,
      `<p class="quiet">${escapeHtml(about)}<br><a href="${escapeHtml(settings)}">Change it</a> · <a href="${escapeHtml(unsubscribePage)}">Turn it off</a></p>`,
    ),
  };
}

/** In the order of the mail. */
const HEADINGS = ["Overdue", "Within a day", "Waiting"] as const;

function urgencyOf({ decideBy, expiresAt }: WaitingRequest, now: Date): (typeof HEADINGS)[number] {
  if (decideBy !== null && decideBy <= now) return "Overdue";
  const soon = now.getTime() + SOON_MS;
  return [decideBy, expiresAt].some((at) => at !== null && at.getTime() <= soon) ? "Within a day" : "Waiting";
}
