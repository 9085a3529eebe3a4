import { expect, test } from "vitest";
import { type PhaseEvent, phasesOf } from "./phases.ts";

const START = Date.parse("2026-03-01T12:00:00.000Z");
const at = (seconds: number) => new Date(START + seconds * 1_000);
/** A line after so many seconds; `request.opened a` is about the request a. */
const line = (seconds: number, words: string): PhaseEvent => {
  const [type = "", inputRequestId = null] = words.split(" ");
  return { type, at: at(seconds), inputRequestId };
};

/** `working 0-18` and so on, in seconds after the start. */
function phases(lines: [number, string][], end: number | null = null, cut = false): string[] {
  const events = lines.map(([seconds, words]) => line(seconds, words));
  const life = { createdAt: at(0), finishedAt: end === null ? null : at(end) };
  const seconds = (time: string | null) => (time === null ? "now" : (Date.parse(time) - START) / 1_000);
  return phasesOf(events, life, cut).map(({ phase, from, to }) => `${phase} ${seconds(from)}-${seconds(to)}`);
}

test.each<[string, [number, string][], number | null, string[]]>([
  ["nothing has happened yet", [], null, ["queued 0-now"]],
  ["queued to its end", [], 9, ["queued 0-9"]],
  [
    "called and at work",
    [
      [2, "task.starting"],
      [3, "task.started"],
    ],
    null,
    ["queued 0-2", "working 2-now"],
  ],
  ["called at once", [[0, "task.starting"]], 4, ["working 0-4"]],
  [
    "not reached, then reached",
    [
      [1, "task.starting"],
      [2, "task.not_started"],
      [9, "task.starting"],
    ],
    null,
    ["queued 0-1", "working 1-2", "queued 2-9", "working 9-now"],
  ],
  [
    "asked, answered, taken and done",
    [
      [0, "task.starting"],
      [18, "request.opened a"],
      [100, "answer.recorded a"],
      [105, "delivery.sending a"],
      [106, "delivery.accepted a"],
      [107, "delivery.confirmed a"],
    ],
    200,
    ["working 0-18", "waiting 18-100", "delivering 100-107", "working 107-200"],
  ],
  [
    "an answer taken back",
    [
      [0, "task.starting"],
      [1, "request.opened a"],
      [5, "answer.recorded a"],
      [7, "answer.undone a"],
    ],
    null,
    ["working 0-1", "waiting 1-5", "delivering 5-7", "waiting 7-now"],
  ],
  [
    "two questions at once wait until the last is answered",
    [
      [0, "task.starting"],
      [1, "request.opened a"],
      [2, "request.opened b"],
      [3, "answer.recorded a"],
      [4, "delivery.confirmed a"],
      [5, "answer.recorded b"],
      [6, "delivery.confirmed b"],
    ],
    null,
    ["working 0-1", "waiting 1-5", "delivering 5-6", "working 6-now"],
  ],
  [
    "another question instead waits on",
    [
      [0, "task.starting"],
      [1, "request.opened a"],
      [5, "request.withdrawn a"],
      [5, "request.replaced b"],
    ],
    null,
    ["working 0-1", "waiting 1-now"],
  ],
  [
    "a server that keeps asking waits for a person, until it is resent",
    [
      [0, "task.starting"],
      [1, "request.opened a"],
      [2, "answer.recorded a"],
      [9, "delivery.flagged a"],
      [20, "delivery.resend a"],
    ],
    null,
    ["working 0-1", "waiting 1-2", "delivering 2-9", "waiting 9-20", "delivering 20-now"],
  ],
  [
    "a start that nobody knows of, settled",
    [
      [0, "task.starting"],
      [5, "task.start_unknown"],
      [50, "task.start_settled"],
    ],
    null,
    ["working 0-5", "waiting 5-50", "working 50-now"],
  ],
  [
    "what the server says after the end counts no more",
    [
      [0, "task.starting"],
      [5, "request.opened a"],
      [30, "request.opened b"],
    ],
    10,
    ["working 0-5", "waiting 5-10"],
  ],
  [
    "a clock that went back for a moment",
    [
      [0, "task.starting"],
      [5, "request.opened a"],
      [3, "answer.recorded a"],
    ],
    null,
    ["working 0-5", "delivering 5-now"],
  ],
  [
    "lines of kinds that say nothing of it",
    [
      [0, "task.starting"],
      [5, "task.status"],
      [6, "request.claimed a"],
      [7, "of.another.version"],
    ],
    null,
    ["working 0-now"],
  ],
])("%s", (_what, lines, end, expected) => {
  expect(phases(lines, end)).toEqual(expected);
});

test("of a history that was cut the beginning is told as such", () => {
  expect(
    phases(
      [
        [50, "answer.recorded a"],
        [60, "delivery.confirmed a"],
      ],
      null,
      true,
    ),
  ).toEqual(["earlier 0-50", "delivering 50-60", "working 60-now"]);
});
