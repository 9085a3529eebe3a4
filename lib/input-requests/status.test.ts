import { expect, test } from "vitest";
import { mayGo as deliveryMayGo, judgeStillAsked } from "../deliveries/status.ts";
import { DELIVERY_STATES, REQUEST_STATES } from "./schema.ts";
import { mayGo, settlementAtEnd } from "./status.ts";

const requestMoves = new Set([
  ...["answered", "withdrawn", "expired", "undeliverable"].map((to) => `open>${to}`),
  ...["settled", "open", "withdrawn", "expired", "undeliverable"].map((to) => `answered>${to}`),
  "undeliverable>open",
]);

test.each(REQUEST_STATES.flatMap((from) => REQUEST_STATES.map((to) => ({ from, to }))))(
  "a request goes from $from to $to only as designed",
  ({ from, to }) => {
    expect(mayGo(from, to)).toBe(requestMoves.has(`${from}>${to}`));
  },
);

const deliveryMoves = new Set([
  ...["pending", "undone", "failed"].map((to) => `held>${to}`),
  ...["sending", "confirmed", "failed"].map((to) => `pending>${to}`),
  ...["accepted", "pending", "confirmed", "failed"].map((to) => `sending>${to}`),
  ...["confirmed", "pending", "failed"].map((to) => `accepted>${to}`),
]);

test.each(DELIVERY_STATES.flatMap((from) => DELIVERY_STATES.map((to) => ({ from, to }))))(
  "a delivery goes from $from to $to only as designed",
  ({ from, to }) => {
    expect(deliveryMayGo(from, to)).toBe(deliveryMoves.has(`${from}>${to}`));
  },
);

test.each([
  { request: "open", delivery: null, task: "completed", becomes: ["withdrawn", null] },
  { request: "open", delivery: null, task: "expired", becomes: ["expired", null] },
  { request: "answered", delivery: "held", task: "completed", becomes: ["withdrawn", "failed"] },
  { request: "answered", delivery: "pending", task: "failed", becomes: ["withdrawn", "failed"] },
  { request: "answered", delivery: "sending", task: "completed", becomes: ["settled", "confirmed"] },
  { request: "answered", delivery: "sending", task: "lost", becomes: ["undeliverable", "failed"] },
  { request: "answered", delivery: "accepted", task: "completed", becomes: ["settled", "confirmed"] },
  { request: "answered", delivery: "accepted", task: "cancelled", becomes: ["settled", "confirmed"] },
] as const)("a $request request with a $delivery delivery, when its task is $task", (row) => {
  const settled = settlementAtEnd(row.request, row.delivery, row.task);
  expect([settled.request, settled.delivery]).toEqual(row.becomes);
});

test.each([
  ["completed", "settled"],
  ["failed", "settled"],
  ["cancelled", "withdrawn"],
  ["lost", "withdrawn"],
] as const)("an answer that was taken, and asked for again before its task was %s: %s", (task, becomes) => {
  expect(settlementAtEnd("answered", "pending", task, true).request).toBe(becomes);
});

test.each([
  { polls: 0, unreachable: false, resends: 0, verdict: "wait" },
  { polls: 1, unreachable: true, resends: 0, verdict: "wait" },
  { polls: 2, unreachable: false, resends: 0, verdict: "flag" },
  { polls: 2, unreachable: true, resends: 0, verdict: "resend" },
  { polls: 2, unreachable: true, resends: 3, verdict: "flag" },
])(
  "after $polls polls that still ask (unreachable: $unreachable, resent $resends times): $verdict",
  (row) => {
    expect(
      judgeStillAsked({
        pollsSinceAccepted: row.polls,
        unreachableSinceAccepted: row.unreachable,
        automaticResends: row.resends,
      }),
    ).toBe(row.verdict);
  },
);
