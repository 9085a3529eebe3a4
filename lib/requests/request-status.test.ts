import { expect, test } from "vitest";
import { deliveries } from "./deliveries/delivery-facts.ts";
import { DELIVERY_STATES, REQUEST_STATES } from "./request-schema.ts";
import { judgeRewording, requests } from "./request-status.ts";

const requestMoves = new Set([
  ...["answered", "withdrawn", "expired", "undeliverable"].map((to) => `open>${to}`),
  ...["settled", "open", "withdrawn", "expired", "undeliverable"].map((to) => `answered>${to}`),
  "undeliverable>open",
]);

test.each(REQUEST_STATES.flatMap((from) => REQUEST_STATES.map((to) => ({ from, to }))))(
  "a request goes from $from to $to only as designed",
  ({ from, to }) => {
    expect(requests.before(to).includes(from)).toBe(requestMoves.has(`${from}>${to}`));
  },
);

const deliveryMoves = new Set([
  ...["pending", "undone", "failed"].map((to) => `held>${to}`),
  ...["sending", "accepted", "confirmed", "failed", "undone"].map((to) => `pending>${to}`),
  ...["accepted", "pending", "confirmed", "failed"].map((to) => `sending>${to}`),
  ...["confirmed", "pending", "failed"].map((to) => `accepted>${to}`),
]);

test.each(DELIVERY_STATES.flatMap((from) => DELIVERY_STATES.map((to) => ({ from, to }))))(
  "a delivery goes from $from to $to only as designed",
  ({ from, to }) => {
    expect(deliveries.before(to).includes(from)).toBe(deliveryMoves.has(`${from}>${to}`));
  },
);

const fresh = { ageMs: 5_000, replaced: false, rewordedAgoMs: null, rewordings: 0 };
test.each([
  { what: "for the first time", more: {}, becomes: "replace" },
  { what: "soon after it took another one's place", more: { replaced: true }, becomes: "reword" },
  { what: "long after that", more: { replaced: true, ageMs: 61_000 }, becomes: "replace" },
  { what: "just after it was brought up to date", more: { rewordedAgoMs: 29_000 }, becomes: "keep" },
  { what: "a while after", more: { rewordedAgoMs: 31_000 }, becomes: "reword" },
  { what: "as ever", more: { rewordedAgoMs: 599_000, rewordings: 50 }, becomes: "keep" },
  {
    what: "as ever, after the longest pause",
    more: { rewordedAgoMs: 601_000, rewordings: 50 },
    becomes: "reword",
  },
])("a question that is changed $what: $becomes", ({ more, becomes }) => {
  expect(judgeRewording({ ...fresh, ...more }, false)).toBe(becomes);
});

test("at the maximum number of questions, a new text rewords the last one", () => {
  expect(judgeRewording({ ...fresh, ageMs: 3600_000 }, true)).toBe("reword");
});
