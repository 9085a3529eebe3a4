/** Fuzzes cursors: clients may send any text, which is either read as a position or refused. */
import fc from "fast-check";
import { expect } from "vitest";
import { fuzz, oddJson, oddText } from "../../test/random/fuzz.ts";
import { readOrderedPosition, readPosition, readSequence, toPage } from "./cursor.ts";
import { AppError } from "./errors.ts";

const cursor = fc.oneof(
  oddText,
  oddJson.map((json) => Buffer.from(JSON.stringify(json)).toString("base64url")),
  fc
    .tuple(
      fc.constantFrom(
        "2026-11-21T00:00:00.000Z",
        "0000-01-01T00:00:00Z",
        "+275760-09-13T00:00:00Z",
        "1",
        "now",
      ),
      fc.uuid(),
    )
    .map((parts) => Buffer.from(JSON.stringify(parts)).toString("base64url")),
);

fuzz(
  "any cursor is read or refused as invalid input",
  fc.property(cursor, (text) => {
    for (const read of [
      () => readPosition(text),
      () => readSequence(text),
      () => readOrderedPosition(text, "created", "time"),
      () => readOrderedPosition(text, "amount", "number"),
    ]) {
      try {
        const at = read();
        if (at !== null && typeof at === "object" && "createdAt" in at)
          expect(Number.isNaN(at.createdAt.getTime())).toBe(false);
      } catch (error) {
        expect(error).toBeInstanceOf(AppError);
        expect(error).toMatchObject({ code: "invalid_input" });
      }
    }
  }),
);

fuzz(
  "the cursor of a page leads to its last item",
  fc.property(
    fc.date({ min: new Date("2020-01-01"), max: new Date("2100-01-01"), noInvalidDate: true }),
    fc.uuid(),
    (createdAt, id) => {
      const last = { createdAt, id };
      const { nextCursor } = toPage(
        [last, last],
        1,
        (row) => row,
        (row) => row,
      );
      expect(readPosition(nextCursor ?? undefined)).toEqual(last);
    },
  ),
);
