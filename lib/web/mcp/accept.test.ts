import { expect, test } from "vitest";
import { takesAnswers } from "./protocol.ts";

test.each([
  [null, true],
  ["", true],
  ["*/*", true],
  ["application/json, text/event-stream", true],
  ["Application/JSON,TEXT/Event-Stream", true],
  ["application/json;charset=utf-8, text/event-stream;q=0.5", true],
  ["application/*, text/*", true],
  ["text/html, */*;q=0.1", true],
  ["application/json", false],
  ["text/event-stream", false],
  ["text/html", false],
  ["*/*, text/event-stream;q=0", false],
  ["application/json, text/event-stream; Q = 0.0", false],
  ["*", false],
])("Accept: %s", (header, expected) => {
  expect(takesAnswers(header)).toBe(expected);
});
