import { expect, test } from "vitest";
import { EXPORT_BATCH } from "../tunables.ts";
import { nextLimit } from "./organization-export.ts";

test("batches of an export grow over small rows, and look at few large ones", () => {
  let limit = nextLimit(1, 1);
  const limits = [limit];
  for (const read of [10, 100, 3, 6, 12, 0]) {
    limit = nextLimit(limit, read);
    limits.push(limit);
  }
  expect(limits).toEqual([10, 100, EXPORT_BATCH, 6, 60, 24, 1]);
  expect(nextLimit(EXPORT_BATCH, EXPORT_BATCH)).toBe(EXPORT_BATCH);
});
