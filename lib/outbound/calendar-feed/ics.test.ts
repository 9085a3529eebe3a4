import ICAL from "ical.js";
import { expect, test } from "vitest";
import type { WaitingRequest } from "../../requests/lists/deadlines.ts";
import { composeCalendar } from "./ics.ts";

const APP = "https://intray.test.example";
const ID = "018f0000-0000-7000-8000-000000000001";
const request = (more: Partial<WaitingRequest> = {}): WaitingRequest => ({
  ...{ id: ID, tool: "process_invoice", server: "Finance ERP", askedAt: new Date("2026-11-30T09:00Z") },
  ...{ decideBy: new Date("2026-12-01T15:00Z"), expiresAt: null, ...more },
});
const compose = (...requests: WaitingRequest[]) =>
  composeCalendar(requests, { organization: "Acme", appUrl: APP });
const eventsOf = (text: string) => new ICAL.Component(ICAL.parse(text)).getAllSubcomponents("vevent");
const valuesOf = (text: string) =>
  eventsOf(text).map((event) =>
    Object.fromEntries(
      event.getAllProperties().map(({ name }) => [name, String(event.getFirstPropertyValue(name))]),
    ),
  );

test("an event has an id of its own, the time that comes first, tool and server, and a link", () => {
  const text = compose(request());
  expect(valuesOf(text)).toEqual([
    {
      uid: `${ID}@intray.test.example`,
      dtstamp: "2026-11-30T09:00:00Z",
      dtstart: "2026-12-01T15:00:00Z",
      summary: "Due: process_invoice on Finance ERP",
      url: `${APP}/inbox/${ID}`,
      description: `${APP}/inbox/${ID}`,
      transp: "TRANSPARENT",
    },
  ]);
  expect(text).toMatch(/^BEGIN:VCALENDAR\r\nVERSION:2\.0\r\nPRODID:/);
  expect(text).toMatch(/\r\nEND:VCALENDAR\r\n$/);
  expect(compose(request())).toBe(text);
});

test.each([
  ["is due before it ends", { expiresAt: new Date("2026-12-02T00:00Z") }, "Due: ", "2026-12-01T15:00:00Z"],
  ["ends before it is due", { expiresAt: new Date("2026-12-01T00:00Z") }, "Ends: ", "2026-12-01T00:00:00Z"],
  [
    "only ends",
    { decideBy: null, expiresAt: new Date("2026-12-03T00:00Z") },
    "Ends: ",
    "2026-12-03T00:00:00Z",
  ],
])("a request that %s", (_, more, begins, at) => {
  const [event] = valuesOf(compose(request(more)));
  expect(event?.dtstart).toBe(at);
  expect(event?.summary).toMatch(new RegExp(`^${begins}`));
});

test.each([
  [
    "line breaks",
    "x\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nSUMMARY:Forged",
    "x END:VEVENT BEGIN:VEVENT SUMMARY:Forged",
  ],
  ["other line breaks", "x\u2028BEGIN:VALARM\u0085y\n\rz\0", "x BEGIN:VALARM y z "],
  ["what separates values", 'a,b;c:d\\n"e"', 'a,b;c:d\\n"e"'],
  ["turned text", "pay \u202e001", "pay 001"],
  ["an address", "see https://evil.example", "see https: //evil .example"],
])("%s in a name stay within their line", (_, name, shown) => {
  const text = compose(request({ tool: name, server: name }), request());
  expect(eventsOf(text)).toHaveLength(2);
  expect(valuesOf(text)[0]?.summary).toBe(`Due: ${shown} on ${shown}`);
  expect(text.match(/^BEGIN:/gm)).toHaveLength(3);
});

test("long lines are folded at 75 bytes at most, between characters", () => {
  const name = `${"Zahlungsbestätigung 支払い 😀 ".repeat(10)}`;
  const text = compose(request({ tool: name, server: name }));
  for (const line of text.split("\r\n")) {
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
    expect(line).not.toContain("\ufffd");
    expect(line).not.toMatch(/[\ud800-\udbff]$/);
  }
  expect(valuesOf(text)[0]?.summary).toContain("支払い 😀 Zahlungs");
});
