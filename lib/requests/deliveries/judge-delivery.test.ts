/** Judges every state of a delivery against every observation, in both eras. */
import { describe, expect, test } from "vitest";
import type { DeliveryFacts } from "./delivery-facts.ts";
import {
  CALL_DOUBT_MS,
  GONE_CONFIRM_MS,
  judgeDelivery,
  type Observation,
  type Verdict,
} from "./judge-delivery.ts";

const FRESH: DeliveryFacts = {
  id: "d",
  state: "pending",
  attempts: 0,
  accepted: false,
  inDoubt: false,
  flagged: false,
  sentAgoMs: 0,
  pollsSinceAccepted: 0,
  unreachableSinceAccepted: false,
  automaticResends: 0,
  statusBefore: null,
  anyWording: false,
};
const sent = { attempts: 1, sentAgoMs: 60_000 };
const taken = { ...sent, accepted: true };

/** In the order of the table's columns. `again`: waits to be sent once more. */
const DELIVERIES: Record<string, DeliveryFacts | null> = {
  open: null,
  held: { ...FRESH, state: "held" },
  pending: FRESH,
  "in doubt": { ...FRESH, ...sent, inDoubt: true },
  again: { ...FRESH, ...taken },
  sending: { ...FRESH, ...sent, state: "sending" },
  "sending again": { ...FRESH, ...taken, attempts: 2, state: "sending" },
  accepted: { ...FRESH, ...taken, state: "accepted" },
  flagged: { ...FRESH, ...taken, state: "accepted", flagged: true, pollsSinceAccepted: 3 },
};

const reworded = { kind: "reworded", restless: false, fits: true, polls: 0 } as const;
const OBSERVED: Record<string, Observation> = {
  asked: { kind: "asked", polls: 1 },
  "asked twice": { kind: "asked", polls: 2 },
  reworded,
  "reworded, restless": { ...reworded, restless: true },
  "gone once": { kind: "gone", forMs: 0 },
  "gone twice": { kind: "gone", forMs: GONE_CONFIRM_MS },
  moved: { kind: "moved", certain: true },
  "one of several that moved": { kind: "moved", certain: false },
  said: { kind: "said" },
  "asked again": { kind: "asked_again" },
  "asked elsewhere": { kind: "asked_again", isLost: true },
  retracted: { kind: "retracted" },
  refused: { kind: "refused" },
  broken: { kind: "broken" },
  "not asked again": { kind: "not_asked_again" },
  "to be cancelled": { kind: "cancel_requested" },
  completed: { kind: "ended", as: "completed" },
  failed: { kind: "ended", as: "failed" },
  cancelled: { kind: "ended", as: "cancelled" },
  lost: { kind: "ended", as: "lost" },
  expired: { kind: "ended", as: "expired" },
};

// "withdraw" of what is in doubt, or being sent, is told as "nobody knows whether the server got it".
const BOTH = `
to be cancelled    | withdraw   | withdraw   | withdraw   | withdraw   | await   | keep     | keep    | keep    | keep
completed          | withdraw   | withdraw   | withdraw   | confirm    | confirm | confirm  | confirm | confirm | confirm
failed             | withdraw   | withdraw   | withdraw   | confirm    | confirm | confirm  | confirm | confirm | confirm
cancelled          | withdraw   | withdraw   | withdraw   | withdraw   | confirm | withdraw | confirm | confirm | confirm
lost               | withdraw   | withdraw   | withdraw   | withdraw   | confirm | withdraw | confirm | confirm | confirm
expired            | withdraw   | withdraw   | withdraw   | withdraw   | confirm | withdraw | confirm | confirm | confirm
asked              | keep       | keep       | keep       | keep       | keep    | keep     | keep    | count   | keep
asked twice        | keep       | keep       | keep       | keep       | keep    | repeat   | repeat  | count   | keep
refused            |            |            |            |            |         | undeliverable | await | |
broken             |            |            |            |            |         | undeliverable | await | |
`;
const MODERN = `
reworded           | replace    | replace    | replace    | replace    | confirm | replace  | confirm | confirm | confirm
reworded, restless | replace    | replace    | replace    | replace    | confirm | keep     | keep    | count   | keep
gone once          | look_again | look_again | look_again | look_again | confirm | look_again | confirm | confirm | confirm
gone twice         | withdraw   | withdraw   | withdraw   | confirm    | confirm | confirm  | confirm | confirm | confirm
`;
const SESSIONS = `
moved              | withdraw   | withdraw   | withdraw   | confirm    | confirm | confirm  | confirm | confirm | confirm
one of several that moved | keep | keep    | keep       | keep       | confirm | keep     | confirm | confirm | confirm
said               | keep       | keep       | keep       | keep       | keep    | keep     | keep    | confirm | confirm
asked again        | keep       | keep       | keep       | keep       | keep    | keep     | keep    | follow  | follow
asked elsewhere    | keep       | keep       | keep       | keep       | keep    | repeat   | repeat  | follow  | follow
retracted          | withdraw   | withdraw   | withdraw   | withdraw   | await   | keep     | keep    | keep    | keep
not asked again    |            |            | undeliverable | undeliverable | await | | | |
`;

describe.each([
  { era: "2026-07-28", table: BOTH + MODERN },
  { era: "2025-11-25", table: BOTH + SESSIONS },
])("on $era", ({ table }) => {
  const rows = table.split("\n").flatMap((line) => {
    const [observed, ...verdicts] = line.split("|").map((cell) => cell.trim());
    return Object.keys(DELIVERIES).flatMap((delivery, at) =>
      observed && verdicts[at] ? [{ observed, delivery, verdict: verdicts[at] as Verdict }] : [],
    );
  });

  test.each(rows)("an answer that is $delivery, of a question that is $observed: $verdict", (row) => {
    expect(judgeDelivery(DELIVERIES[row.delivery]!, OBSERVED[row.observed]!)).toBe(row.verdict);
  });
});

test.each<{ what: string; more: Partial<DeliveryFacts>; verdict: Verdict }>([
  { what: "two polls still ask", more: { pollsSinceAccepted: 1 }, verdict: "count" },
  { what: "three polls still ask", more: { pollsSinceAccepted: 2 }, verdict: "flag" },
  {
    what: "the server was away meanwhile",
    more: { pollsSinceAccepted: 2, unreachableSinceAccepted: true },
    verdict: "resend",
  },
  {
    what: "it was sent again three times",
    more: { pollsSinceAccepted: 2, unreachableSinceAccepted: true, automaticResends: 3 },
    verdict: "flag",
  },
])("an accepted answer, $what: $verdict", ({ more, verdict }) => {
  expect(judgeDelivery({ ...DELIVERIES.accepted!, ...more }, OBSERVED.asked!)).toBe(verdict);
});

test("an attempt of unknown outcome is repeated only when a slow server would be done with it", () => {
  const justNow = { ...DELIVERIES.sending!, sentAgoMs: 6_000 };
  expect(judgeDelivery(justNow, { kind: "asked", polls: 9 })).toBe("keep");
});

test("an answer that must not be sent twice is never: a person is asked anew, or looks", () => {
  const asked = { kind: "asked", polls: 9, call: "once" } as const;
  const sending = { ...DELIVERIES.sending!, sentAgoMs: CALL_DOUBT_MS - 1 };
  expect(judgeDelivery(sending, asked)).toBe("keep");
  expect(judgeDelivery({ ...sending, sentAgoMs: CALL_DOUBT_MS }, asked)).toBe("undeliverable");
  expect(judgeDelivery({ ...sending, sentAgoMs: CALL_DOUBT_MS }, { ...asked, polls: 1 })).toBe("keep");
  const lost = { ...DELIVERIES.accepted!, pollsSinceAccepted: 2, unreachableSinceAccepted: true };
  expect(judgeDelivery(lost, { ...asked, call: undefined })).toBe("resend");
  expect(judgeDelivery(lost, asked)).toBe("flag");
});

test("a call that may be made twice is made again only when the first one can't be under way any more", () => {
  const asked = { kind: "asked", polls: 9, call: "repeatable" } as const;
  const sending = { ...DELIVERIES.sending!, sentAgoMs: CALL_DOUBT_MS - 1 };
  expect(judgeDelivery(sending, asked)).toBe("keep");
  expect(judgeDelivery({ ...sending, sentAgoMs: CALL_DOUBT_MS }, asked)).toBe("repeat");
});

test("a call that must not be made twice may be under way for a minute, whatever its question says meanwhile", () => {
  const reworded = { kind: "reworded", restless: false, fits: false, polls: 9, call: "once" } as const;
  const sending = { ...DELIVERIES.sending!, sentAgoMs: CALL_DOUBT_MS - 1 };
  expect(judgeDelivery(sending, reworded)).toBe("keep");
  expect(judgeDelivery({ ...sending, sentAgoMs: CALL_DOUBT_MS }, reworded)).toBe("undeliverable");
  const repeatable = { ...reworded, call: "repeatable" } as const;
  expect(judgeDelivery(sending, repeatable)).toBe("keep");
  expect(judgeDelivery({ ...sending, sentAgoMs: CALL_DOUBT_MS }, repeatable)).toBe("replace");
  expect(judgeDelivery(sending, { ...reworded, call: undefined })).toBe("replace");
});

test("an answer that followed its question five times is flagged instead, once", () => {
  const often = { ...DELIVERIES.accepted!, attempts: 5 };
  expect(judgeDelivery(often, OBSERVED["asked again"]!)).toBe("flag");
  expect(judgeDelivery({ ...often, flagged: true }, OBSERVED["asked again"]!)).toBe("keep");
});

test.each(["held", "pending", "in doubt", "again"])(
  "an answer that is %s, and was given to whatever the text says, goes to the new text where it fits that",
  (name) => {
    const agreed = { ...DELIVERIES[name]!, anyWording: true };
    expect(judgeDelivery(agreed, { ...reworded, restless: true })).toBe("keep");
    const verdict = name === "again" ? "confirm" : "replace";
    expect(judgeDelivery(agreed, { ...reworded, restless: true, fits: false })).toBe(verdict);
  },
);
