/** Times of calendars hold no event loop, however many there are and however rarely somebody works. */
import { describe, expect, test } from "vitest";
import { busiestTurn, MOST_HELD_MS } from "../../../test/guards/busiest-turn.ts";
import { type Calendar, calendarSchema, WEEKDAYS } from "./calendar-schema.ts";
import { addWorkingTime, putOff, workingTimeBetween } from "./working-time.ts";

const make = (days: Partial<Calendar["days"]>, holidays: string[] = [], zone = "Europe/Berlin"): Calendar =>
  calendarSchema.parse({ zone, days, holidays: holidays.map((date) => ({ date, name: "Holiday" })) });

describe("many times of a calendar of few minutes", () => {
  const spans = Array.from({ length: 6 }, (_, hour) => ({ from: `0${hour}:00`, to: `0${hour}:01` }));
  const holidays = Array.from({ length: 1_000 }, (_, day) =>
    new Date(Date.UTC(1990, 0, 1 + day)).toISOString().slice(0, 10),
  );
  const days = Object.fromEntries(WEEKDAYS.map((day) => [day, spans]));
  const from = (at: number) => new Date(Date.UTC(2026, 10, 29) + at * 60_000);

  test.each([
    ["hours", (calendar: Calendar, at: number) => addWorkingTime(calendar, from(at), `${9_999 - at}h`)],
    ["days", (calendar: Calendar, at: number) => addWorkingTime(calendar, from(at), "3000d")],
    ["weeks", (calendar: Calendar, at: number) => addWorkingTime(calendar, from(at), "520w")],
    ["put off", (calendar: Calendar, at: number) => putOff(calendar, from(at), "1000d", 3_600_000 * 100)],
    ["between", (calendar: Calendar, at: number) => workingTimeBetween(calendar, from(at), from(5_200_000))],
  ])("take a moment of the processor: %s", async (_, compute) => {
    const calendar = make(days, holidays);
    const all = async () => Array.from({ length: 500 }, (_, at) => compute(calendar, at)).at(-1);
    expect(await busiestTurn(all)).toBeLessThan(MOST_HELD_MS);
  });

  test("also where each is of a calendar that was read again", async () => {
    const all = async () =>
      Array.from({ length: 20 }, (_, at) => addWorkingTime(make(days, holidays), from(at), "9999h")).at(-1);
    expect(await busiestTurn(all)).toBeLessThan(MOST_HELD_MS);
  });

  test("is what counting day by day says, over months and years", () => {
    const rare = make({ tue: [{ from: "09:00", to: "10:30" }], sun: [{ from: "02:00", to: "03:00" }] }, [
      "2027-03-28",
    ]);
    const day = (at: number) => new Date(from(0).getTime() + at * 86_400_000);
    for (const length of [63, 64, 65, 129, 500, 3_000]) {
      const sum = Array.from({ length }, (_, at) => workingTimeBetween(rare, day(at), day(at + 1)));
      const whole = workingTimeBetween(rare, day(0), day(length));
      expect(whole).toBe(sum.reduce((one, other) => one + other, 0));
      const end = addWorkingTime(rare, day(0), `${whole / 60_000}m`);
      expect(end.getTime()).toBeLessThanOrEqual(day(length).getTime());
      expect(workingTimeBetween(rare, day(0), end)).toBe(whole);
    }
  });
});
