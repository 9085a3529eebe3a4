import pino from "pino";
import { expect, test } from "vitest";
import { Senders } from "./sending-jobs.ts";

const LIMITS = { all: 8, each: 4 };

/** Receivers that answer once they are let go, and what is sent to each. */
function slowReceivers() {
  const { promise, resolve } = Promise.withResolvers<void>();
  const sent: string[] = [];
  const next = (receiver: string) => async () => {
    sent.push(receiver);
    await promise;
    return true;
  };
  return { sent, next, letGo: resolve };
}

test("slow receivers of one organization leave places to the others", async () => {
  const senders = new Senders(pino({ level: "silent" }), LIMITS, () => undefined);
  const { sent, next, letGo } = slowReceivers();
  for (const receiver of ["a1", "a2", "a3"]) senders.begin("a", receiver, next(receiver));
  expect(sent).toEqual(["a1", "a1"]);
  senders.begin("b", "b1", next("b1"));
  expect(sent).toEqual(["a1", "a1", "b1", "b1"]);
  const ended = senders.end();
  letGo();
  await ended;
});

test("where all places are taken, one is given up after each delivery", async () => {
  let turn = 0;
  const senders = new Senders(pino({ level: "silent" }), LIMITS, () => begin());
  const { sent, next, letGo } = slowReceivers();
  const begin = () => {
    if (turn++ < 20) senders.begin("e", "e1", next("e1"));
  };
  for (const organization of ["a", "b", "c", "d"]) senders.begin(organization, "1", next(organization));
  expect(sent).toHaveLength(8);
  senders.begin("e", "e1", next("e1"));
  expect(sent).toHaveLength(8);
  letGo();
  await expect.poll(() => sent).toContain("e1");
  await senders.end();
});

test("organizations take turns, in whatever order they are named whose deliveries are due", async () => {
  const ends: (() => void)[] = [];
  const sent: string[] = [];
  const due = ["a", "b", "c", "d", "e", "f"];
  // As a look for work does: the same order each time.
  const begin = () => {
    for (const organization of due)
      senders.begin(organization, "1", () => {
        sent.push(organization);
        return new Promise((end) => ends.push(() => end(true)));
      });
  };
  const senders = new Senders(pino({ level: "silent" }), LIMITS, begin);
  begin();
  expect(sent).toEqual(["a", "a", "b", "b", "c", "c", "d", "d"]);
  for (let count = sent.length; count < 20; count++) {
    ends.shift()?.();
    await expect.poll(() => sent.length).toBe(count + 1);
  }
  expect([...new Set(sent.slice(8))].toSorted()).toEqual(due);
  const ended = senders.end();
  for (const end of ends) end();
  await ended;
});
