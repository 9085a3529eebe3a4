import { describe, expect, test } from "vitest";
import { busiestTurn, MOST_HELD_MS } from "../../../test/guards/busiest-turn.ts";
import {
  BODY_BYTES,
  bodyOf,
  compose,
  countWords,
  cutBytes,
  type Item,
  keyOf,
  type Matter,
  MOST_SHOWN,
  messageOf,
  type Shown,
} from "./notifications.ts";

const EMPTY: Shown = { version: 0, keys: [], items: [] };
const APP = "https://intray.test.example";
const NOW = 1_000_000;

const request = (id: string, more: Partial<Matter> = {}): Matter => ({
  ...{ id, keys: [keyOf("request.waiting", id)], isRequest: true, path: `/inbox/${id}` },
  ...{ title: "A request waits for an answer", body: `Pay ${id}?`, revision: `hash of ${id}` },
  ...more,
});
const other = (id: string): Matter => request(id, { isRequest: false, path: `/tasks/${id}` });
const counts = (shown: Shown, matters: Matter[], now = NOW) =>
  compose(shown, matters, { withText: false, now });
const texts = (shown: Shown, matters: Matter[], now = NOW) =>
  compose(shown, matters, { withText: true, now });
const told = ({ items, next }: ReturnType<typeof compose>) =>
  items.map(({ title, path, since, alert }) => [title, path, since === next.version, alert]);

describe("counts", () => {
  test.each([
    [1, 0, "1 request waits for you"],
    [2, 0, "2 requests wait for you"],
    [0, 1, "1 notification"],
    [0, 3, "3 notifications"],
    [1, 1, "1 request waits for you, and 1 other notification"],
    [2, 3, "2 requests wait for you, and 3 other notifications"],
  ])("%i requests and %i others", (requests, others, words) => {
    expect(countWords(requests, others)).toBe(words);
  });

  test("are one notification, which leads to the card of a single matter, else to the list", () => {
    const one = counts(EMPTY, [request("a")]);
    expect(told(one)).toEqual([["1 request waits for you", "/inbox/a", true, true]]);
    const two = counts(one.next, [request("a"), request("b")], NOW + 60_000);
    expect(told(two)).toEqual([["2 requests wait for you", "/inbox", true, true]]);
    expect(two.items.map(({ tag }) => tag)).toEqual(one.items.map(({ tag }) => tag));
    const mixed = counts(two.next, [request("a"), other("t")], NOW + 120_000);
    expect(told(mixed)).toEqual([
      ["1 request waits for you, and 1 other notification", "/notices", true, true],
    ]);
    for (const { items, next } of [one, two, mixed])
      for (const text of ["Pay", "hash of"]) expect(JSON.stringify([items, next])).not.toContain(text);
  });

  test("change without a sound when a matter ends, and go with the last", () => {
    const two = counts(EMPTY, [request("a"), request("b")]);
    const one = counts(two.next, [request("b")], NOW + 60_000);
    expect(told(one)).toEqual([["1 request waits for you", "/inbox/b", true, false]]);
    const none = counts(one.next, [], NOW + 120_000);
    expect([none.items, none.next.version]).toEqual([[], NOW + 120_000]);
    expect(counts(none.next, []).next).toBe(none.next);
  });

  test("make a sound for news of the same number, once in half a minute", () => {
    const a = counts(EMPTY, [request("a"), request("b")]);
    const soon = counts(a.next, [request("b"), request("c")], NOW + 10_000);
    expect(told(soon)).toEqual([["2 requests wait for you", "/inbox", true, false]]);
    const later = counts(soon.next, [request("b"), request("d")], NOW + 31_000);
    expect(told(later)).toEqual([["2 requests wait for you", "/inbox", true, true]]);
    const reminded = request("b", { keys: [keyOf("request.waiting", "b"), keyOf("request.reminded", "b")] });
    const again = counts(later.next, [reminded, request("d")], NOW + 90_000);
    expect(told(again)).toEqual([["2 requests wait for you", "/inbox", true, true]]);
  });

  test("are told once", () => {
    const first = counts(EMPTY, [request("a")]);
    const again = counts(first.next, [request("a")], NOW + 60_000);
    expect(again.next).toBe(first.next);
    expect(again.items).toEqual(first.items);
  });
});

test("a device is told also where the database has lost the last states that the device has handled", () => {
  const kept = counts(EMPTY, [request("a")]);
  const lost = counts(kept.next, [request("a"), request("b")], NOW + 60_000);
  const after = counts(kept.next, [request("a"), request("c")], NOW + 120_000);
  expect(after.next.version).toBeGreaterThan(lost.next.version);
  expect(after.items.map(({ since }) => since > lost.next.version)).toEqual([true]);
  // Two at one moment are two.
  expect(counts(lost.next, [request("a")], NOW + 60_000).next.version).toBe(lost.next.version + 1);
});

describe("with text", () => {
  test("a matter is one notification, and only one that changed is shown again", () => {
    const first = texts(EMPTY, [request("a")]);
    const second = texts(first.next, [request("a"), request("b")], NOW + 60_000);
    const versions = [first, second].map(({ next }) => next.version);
    expect(second.items.map(({ tag, body, since }) => [tag, body, since])).toEqual([
      ["a", "Pay a?", versions[0]],
      ["b", "Pay b?", versions[1]],
    ]);
    const reworded = request("a", { body: "Pay more?", revision: "another" });
    const third = texts(second.next, [reworded, request("b")], NOW + 120_000);
    expect(third.items.map(({ tag, since, alert }) => [tag, since, alert])).toEqual([
      ["a", third.next.version, false],
      ["b", versions[1], true],
    ]);
    const fourth = texts(third.next, [request("b")], NOW + 180_000);
    expect(fourth.items.map(({ tag, since }) => [tag, since])).toEqual([["b", versions[1]]]);
    expect(fourth.next.version).toBeGreaterThan(third.next.version);
  });

  test("many are counted", () => {
    const many = Array.from({ length: MOST_SHOWN + 1 }, (_, n) => request(`${n}`));
    expect(texts(EMPTY, many.slice(1)).items).toHaveLength(MOST_SHOWN);
    expect(told(texts(EMPTY, many))).toEqual([["5 requests wait for you", "/inbox", true, true]]);
  });

  test("nothing of it is kept", () => {
    const { next } = texts(EMPTY, [request("a", { body: "Pay INV-100?" })]);
    expect(JSON.stringify(next)).not.toContain("INV-100");
  });
});

describe("the message", () => {
  const state = (items: Item[], version: number, testId: string | null = null) =>
    messageOf({ deviceId: "d", version, items, count: items.length, testId }, APP);

  test("has the device's whole state, and what a browser shows without our worker", () => {
    const { items, next } = counts(EMPTY, [request("a")]);
    expect(state(items, next.version)).toMatchObject({
      web_push: 8030,
      app_badge: "1",
      mutable: true,
      notification: {
        title: "1 request waits for you",
        tag: "d counts",
        navigate: `${APP}/inbox/a`,
        silent: false,
        data: { deviceId: "d", version: next.version, testId: null, items },
      },
    });
    expect(state([], 2)).toMatchObject({
      notification: { title: "No new notifications", silent: true, data: { items: [] } },
    });
    expect(state(items, 2, "t")).toMatchObject({
      notification: { title: "Test: this device shows notifications", tag: "d test", data: { testId: "t" } },
    });
  });

  test.each(["a", '"', "😀", "\u0001", "語"])("fits into a push message, full of %j", (character) => {
    const body = cutBytes(character.repeat(5_000), BODY_BYTES);
    const id = crypto.randomUUID();
    const matters = Array.from({ length: MOST_SHOWN }, (_, n) =>
      request(`${n}${id.slice(1)}`, {
        body,
        title: `The API key “${character.repeat(80)}” handed a request over`,
      }),
    );
    const { items, next } = texts(EMPTY, matters, Date.parse("2100-01-01T00:00Z"));
    const messages = [id, null].map((testId) =>
      messageOf(
        { deviceId: id, version: next.version, items, count: 100, testId },
        `https://${"long.".repeat(20)}example`,
      ),
    );
    expect(body.endsWith("…")).toBe(true);
    expect(body.isWellFormed()).toBe(true);
    // Without header, delimiter and tag, of the 4096 bytes that every push service takes.
    for (const message of messages)
      expect(Buffer.byteLength(JSON.stringify(message))).toBeLessThanOrEqual(4096 - 86 - 17);
  });
});

test("a body is the beginning of a text, which is read no further", async () => {
  expect(bodyOf("Pay INV-100?\n\nNow\u200b!")).toBe("Pay INV-100? Now!");
  const long = "a\u200b".repeat(2_000_000);
  expect(await busiestTurn(async () => bodyOf(long))).toBeLessThan(MOST_HELD_MS);
  expect(bodyOf(long)).toBe(`${"a".repeat(395)}…`);
  expect(bodyOf("\u200b".repeat(20_000))).toBe("…");
});
