import { expect, test } from "vitest";
import { scaleOf } from "./columns.tsx";

test.each([
  [0, 1, [1]],
  [1, 1, [1]],
  [3, 3, [1, 2, 3]],
  [7, 10, [5, 10]],
  [112, 150, [50, 100, 150]],
  [1_001, 1_500, [500, 1_000, 1_500]],
])("an axis for %d ends at %d", (most, top, ticks) => {
  expect(scaleOf(most)).toEqual({ top, ticks });
});
