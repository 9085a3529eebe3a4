import { expect, test } from "vitest";
import { formatLatency, formatsOf } from "./formats.ts";

test.each([
  [null, "—"],
  [0.7, "< 0.01 s"],
  [42, "0.04 s"],
  [994, "0.99 s"],
  [999, "1 s"],
  [12_340, "12 s"],
])("a latency of %s ms reads %s", (ms, words) => expect(formatLatency(ms, formatsOf("en-GB"))).toBe(words));
