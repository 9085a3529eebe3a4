import { expect, test } from "vitest";
import { stepWords } from "./task-steps.ts";

const START = Date.parse("2026-03-01T12:00:00.000Z");

/** The words beside each step; a step is `type request`, after so many seconds. */
function text(steps: [number, string, object?][]): (string | undefined)[] {
  const list = steps.map(([seconds, words, data = {}], seq) => {
    const [type = "", inputRequestId = null] = words.split(" ");
    return {
      seq,
      at: new Date(START + seconds * 1_000).toISOString(),
      type,
      inputRequestId,
      data: { ...data },
    };
  });
  const words = stepWords(list, new Date(START).toISOString());
  return list.map(({ seq }) => words.get(seq));
}

test("says how long each step took, of what it is about", () => {
  expect(
    text([
      [0, "task.queued"],
      [3, "task.starting"],
      [3.4, "task.started"],
      [21, "request.opened a"],
      [22, "request.opened b"],
      [97_221, "answer.recorded a", { holdMs: 5_000 }],
      [97_226, "delivery.sending a"],
      [97_226.4, "delivery.accepted a"],
      [97_226.45, "answer.recorded b"],
      [97_226.5, "delivery.sending b"],
      [97_226.55, "delivery.accepted b"],
      [97_228, "delivery.confirmed a"],
      [187_200, "task.completed"],
    ]),
  ).toEqual([
    undefined,
    "after 3 s",
    "0.4 s after calling",
    "after 17 s",
    undefined,
    "1 d 3 h after it was asked, held 5 s for undo",
    "after 5 s",
    "0.4 s after sending",
    "1 d 3 h after it was asked",
    undefined,
    "at once",
    "2 s after sending",
    "2 d 4 h after it was started",
  ]);
});

test("of a history without its beginning, or its payloads, tells what is there", () => {
  expect(
    text([
      [50, "answer.recorded a"],
      [55, "delivery.sending a"],
      [59, "answer.undone a"],
    ]),
  ).toEqual([undefined, "after 5 s", "9 s later"]);
  expect(
    text([
      [5, "task.cancel_requested"],
      [8, "task.cancelled"],
    ]),
  ).toEqual([undefined, "3 s after it was asked for"]);
});
