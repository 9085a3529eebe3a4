/** Composes a calendar (RFC 5545, by ical.js, which folds and escapes). Pure: the same requests make the same bytes. */
import ICAL from "ical.js";
import type { WaitingRequest } from "../../requests/lists/deadlines.ts";
import { shorten } from "../mail/compose.ts";

/** How often calendar programs that ask for it read the calendar again. */
const READ_EVERY = "PT15M";
/** ical.js does not count the blank that begins a folded line; a line has at most 75 bytes. */
const FOLDED_BYTES = 74;

/**
 * One event a request, at the time that comes first. It names tool and server, never the question, and takes no time of the day:
 * somebody who is due to decide is not busy.
 */
export function composeCalendar(
  requests: WaitingRequest[],
  { organization, appUrl }: { organization: string; appUrl: string },
): string {
  const calendar = new ICAL.Component("vcalendar");
  calendar.updatePropertyWithValue("version", "2.0");
  calendar.updatePropertyWithValue("prodid", "-//Intray//Requests//EN");
  calendar.updatePropertyWithValue("x-wr-calname", `Intray · ${shorten(organization)}`);
  calendar.updatePropertyWithValue("refresh-interval", ICAL.Duration.fromString(READ_EVERY));
  calendar.updatePropertyWithValue("x-published-ttl", READ_EVERY);
  for (const request of requests) calendar.addSubcomponent(eventOf(request, appUrl));
  ICAL.foldLength = FOLDED_BYTES;
  return `${calendar.toString()}\r\n`;
}

function eventOf(
  { id, tool, server, askedAt, decideBy, expiresAt }: WaitingRequest,
  appUrl: string,
): ICAL.Component {
  const isDue = decideBy !== null && (expiresAt === null || decideBy <= expiresAt);
  const event = new ICAL.Component("vevent");
  event.updatePropertyWithValue("uid", `${id}@${new URL(appUrl).hostname}`);
  event.updatePropertyWithValue("dtstamp", timeOf(askedAt));
  event.updatePropertyWithValue("dtstart", timeOf((isDue ? decideBy : expiresAt) ?? askedAt));
  event.updatePropertyWithValue(
    "summary",
    `${isDue ? "Due" : "Ends"}: ${shorten(tool)} on ${shorten(server)}`,
  );
  event.updatePropertyWithValue("url", `${appUrl}/inbox/${id}`);
  event.updatePropertyWithValue("description", `${appUrl}/inbox/${id}`);
  event.updatePropertyWithValue("transp", "TRANSPARENT");
  return event;
}

const timeOf = (at: Date) => ICAL.Time.fromJSDate(at, true);
