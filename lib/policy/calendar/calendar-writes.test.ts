import { expect, test } from "vitest";
import { type Calendar, calendarSchema } from "./calendar-schema.ts";
import { differenceOf } from "./calendar-writes.ts";

test("a change of a thousand holidays looks at each a few times", () => {
  let looks = 0;
  const holidays = (name: string): Calendar["holidays"] =>
    Array.from({ length: 1_000 }, (_, day) => ({
      get date() {
        looks++;
        return new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10);
      },
      name,
    }));
  const hours = calendarSchema.parse({ zone: "UTC", days: { mon: [{ from: "09:00", to: "17:00" }] } });
  const [before, after] = ["Before", "After"].map((name) => ({ ...hours, holidays: holidays(name) }));
  const difference = differenceOf(before!, after!);
  expect(difference).toMatchObject({ days: [], added: { length: 1_000 }, removed: { length: 1_000 } });
  expect(looks).toBeLessThan(10_000);
  expect(differenceOf(before!, { ...hours, holidays: before!.holidays.slice(1) })).toMatchObject({
    added: [],
    removed: [{ date: "2026-01-01", name: "Before" }],
  });
});
