import { expect, test } from "vitest";
import type { WaitingRequest } from "../../requests/lists/deadlines.ts";
import { composeDigest } from "./compose-digest.ts";

const APP = "https://intray.test.example";
const now = new Date("2026-12-01T07:00Z");
const request = (id: string, more: Partial<WaitingRequest> = {}): WaitingRequest => ({
  ...{ id, tool: "process_invoice", server: "Finance ERP", askedAt: new Date("2026-11-20T09:00Z") },
  ...{ decideBy: null, expiresAt: null, ...more },
});
const compose = (
  requests: WaitingRequest[],
  more: { count?: number; overdue?: number; organization?: string } = {},
) =>
  composeDigest(
    {
      ...{ requests, count: requests.length, overdue: 0, organization: "Acme", zone: "Europe/Vienna" },
      ...{ locale: null, now, ...more },
    },
    { appUrl: APP, unsubscribePage: `${APP}/unsubscribe#token=t` },
  );

test("what is overdue stands first, then what is due or ends within a day, then the rest and how many more", () => {
  const { subject, text } = compose(
    [
      request("1", { decideBy: new Date("2026-11-30T13:00Z") }),
      request("2", { decideBy: new Date("2026-12-03T13:00Z"), expiresAt: new Date("2026-12-02T06:00Z") }),
      request("3", { expiresAt: new Date("2026-12-24T11:00Z") }),
      request("4"),
    ],
    { count: 16, overdue: 1 },
  );
  expect(subject).toBe("16 requests wait for you, 1 overdue");
  expect(text).toMatchInlineSnapshot(`
    "16 requests wait for you.

    Overdue
    - process_invoice on Finance ERP: overdue since 30 Nov, 14:00
      https://intray.test.example/inbox/1

    Within a day
    - process_invoice on Finance ERP: ends 2 Dec, 07:00 · due 3 Dec, 14:00
      https://intray.test.example/inbox/2

    Waiting
    - process_invoice on Finance ERP: ends 24 Dec, 12:00
      https://intray.test.example/inbox/3
    - process_invoice on Finance ERP
      https://intray.test.example/inbox/4

    And 12 more: https://intray.test.example/inbox

    Times are in the zone Europe/Vienna. You get this daily digest as a member of Acme, because you turned it on. The links open Intray; none of them decides anything.

    Change it: https://intray.test.example/settings/channels
    Turn it off: https://intray.test.example/unsubscribe#token=t"
  `);
});

test("one request waits, and none is overdue", () => {
  const { subject, text, html } = compose([request("1")]);
  expect(subject).toBe("1 request waits for you");
  expect(text).not.toMatch(/Overdue|Within a day|more/);
  expect(html).toContain("color-scheme");
});

test("names make no line, no header, no markup and no link", () => {
  const name = 'x\r\nBcc: all@test.example\r\n\r\n<img src="//evil.example">\u202e https://evil.example';
  const { subject, text, html } = compose([request("1", { tool: name, server: name })], {
    organization: name,
  });
  for (const part of [text, html, subject]) {
    expect(part).not.toMatch(/^Bcc/m);
    expect(part).not.toContain("\u202e");
    expect(part).not.toContain("//evil.example");
  }
  expect(html).not.toContain("<img");
  const links = [...`${text} ${html}`.matchAll(/https?:\/\/[^\s"<]+/g)].map(([link]) => new URL(link).host);
  expect(new Set(links)).toEqual(new Set(["intray.test.example"]));
});
