/**
 * Dates, times and numbers as one person reads them, by locale and time zone. Months are words, so that no
 * date is read as another. The words around them are English everywhere.
 */

import { formatDuration } from "../duration.ts";
import { RIGHT_TO_LEFT } from "../foreign/hidden.ts";
import { isDateOnly, isZoned } from "../time.ts";

/**
 * Digits are Latin and years Gregorian in every locale: people compare them with what servers and messages
 * say, digit by digit.
 */
const COMPARABLE = { numberingSystem: "latn", calendar: "gregory" } as const;

/** For whoever asks for no language that is known here. It is not among the names of locales, since every page loads this file. */
export const DEFAULT_LOCALE = "en-GB";

export type Formats = ReturnType<typeof createFormats>;

const MOST_CREATED = 300;
const created = new Map<string, Formats>();

/** Returns the formats of a locale. `zone`: the runtime's unless given, thus the person's in a browser. */
export function formatsOf(locale: string, zone?: string): Formats {
  const key = `${locale} ${zone}`;
  const known = created.get(key);
  if (known) return known;
  const formats = createFormats(locale, zone);
  // A zone may be written in any case, so that there is no end of names.
  if (created.size >= MOST_CREATED) created.clear();
  created.set(key, formats);
  return formats;
}

function createFormats(locale: string, zone: string | undefined) {
  const { dated, DAY, TIME } = partsOf(locale);
  const DATE = { ...DAY, year: "numeric" } as const;
  // Created at first use and kept, since creating a format takes far longer than using one.
  const dates = (options: Intl.DateTimeFormatOptions, timeZone = zone, of: string = dated) => {
    let format: Intl.DateTimeFormat | undefined;
    return (at: string | number): string => {
      format ??= new Intl.DateTimeFormat(of, { ...COMPARABLE, timeZone, ...options });
      return format.format(new Date(at));
    };
  };
  const numbers = (options: Intl.NumberFormatOptions) => {
    let format: Intl.NumberFormat | undefined;
    return (value: number): string => {
      format ??= new Intl.NumberFormat(locale, { numberingSystem: "latn", ...options });
      // The minus sign of right-to-left locales brings invisible marks with it.
      return (value < 0 ? "-" : "") + format.format(Math.abs(value));
    };
  };

  const time = dates(TIME);
  const timeOfDay = dates({ ...TIME, second: "2-digit" });
  const day = dates(DAY);
  const date = dates(DATE);
  /** UTC, because a date without a time must not shift with the reader's zone. */
  const dateEverywhere = dates(DATE, "UTC");
  const dayAndTime = dates({ ...DAY, ...TIME });
  const dateTime = dates({ ...DATE, ...TIME });
  /** Of a time that was sent without a zone: its own figures. */
  const dateTimeAnywhere = dates({ ...DATE, ...TIME }, "UTC");
  const dateTimeZone = dates({ ...DATE, ...TIME, timeZoneName: "short" });
  const exact = dates({ ...DATE, ...TIME, second: "2-digit", timeZoneName: "short" });
  /** Swedish dates are ISO 8601. */
  const isoDate = dates({ dateStyle: "short" }, zone, "sv");
  const number = numbers({ maximumFractionDigits: 10 });
  const usualMoney = numbers({ minimumFractionDigits: 2, maximumFractionDigits: 6 });
  const smallMoney = numbers({ minimumFractionDigits: 2, maximumFractionDigits: 20 });
  const money = (value: number) => (Number(value.toFixed(6)) === value ? usualMoney : smallMoney)(value);

  const daysBefore = (at: string, now: number) =>
    Math.round((Date.parse(isoDate(now)) - Date.parse(isoDate(at))) / 86_400_000);
  const isThisYear = (at: string, now: number) => isoDate(at).slice(0, 4) === isoDate(now).slice(0, 4);

  return {
    /** `16:02`, `4:02 PM` */
    time,
    /** `16:02:11`, for lists under day headings. */
    timeOfDay,
    /** `19 Nov`, `Nov 19`, `19. Nov.` */
    day,
    /** `19 Nov, 12:40` */
    dayAndTime,
    /** `19 Nov 2025, 12:40` */
    dateTime,
    /** `19 Nov 2025, 12:40:33 CET`, for hover titles. */
    exact,
    /** `1,204`, `0.5`: all that is there. */
    number,
    /** With separators and at least two decimals: `1,000.00`; all that there are. */
    money,
    /** A timeline's time: `16:02:11` today, `yesterday 16:02`, `19 Nov, 12:40`, `19 Nov 2025, 12:40`. */
    clock(at: string, now: number): string {
      const days = daysBefore(at, now);
      if (days === 0) return timeOfDay(at);
      if (days === 1) return `yesterday ${time(at)}`;
      return (isThisYear(at, now) ? dayAndTime : dateTime)(at);
    },
    /** A day for a sentence: `today`, `yesterday`, `on 12 Nov`, `on 12 Nov 2025`. */
    dayInWords(at: string, now: number): string {
      const days = daysBefore(at, now);
      if (days === 0) return "today";
      if (days === 1) return "yesterday";
      return `on ${(isThisYear(at, now) ? day : date)(at)}`;
    },
    /**
     * A date as sent: `30 Jun 2024`, with the time if it is another than midnight UTC. The zone is the person's, and
     * named; a time that was sent without a zone stays without.
     */
    date(text: string): string {
      if (isDateOnly(text)) return dateEverywhere(text);
      return isZoned(text) ? dateTimeZone(text) : dateTimeAnywhere(`${text}Z`);
    },
    /** `1,204`; averages have one decimal while they are small: `0.4`. */
    count: (value: number): string => number(value < 10 ? Math.round(value * 10) / 10 : Math.round(value)),
    /** `1,000.00 EUR`, `$1,000.00`, `1,000.00`: the currency stands where it was sent. */
    amount({ value, currency }: { value: number; currency: string | null }): string {
      if (currency?.length !== 1) return money(value) + (currency ? ` ${currency}` : "");
      return (value < 0 ? "-" : "") + currency + money(Math.abs(value));
    },
  };
}

/**
 * Returns how a locale writes a day and a time: `3 Mar`, `09:05`; `3. března` where short months are figures. `dated`: the locale of both.
 * Words from right to left would put the figures around them in another order, so those dates are as English as the words around.
 */
function partsOf(locale: string): {
  dated: string;
  DAY: Intl.DateTimeFormatOptions;
  TIME: Intl.DateTimeFormatOptions;
} {
  const format = new Intl.DateTimeFormat(locale, {
    ...COMPARABLE,
    day: "numeric",
    month: "short",
    hour: "numeric",
  });
  const month = format.formatToParts(0).find(({ type }) => type === "month")?.value ?? "";
  if (RIGHT_TO_LEFT.test(month)) return partsOf(DEFAULT_LOCALE);
  const { hour12 } = format.resolvedOptions();
  return {
    dated: locale,
    DAY: { day: "numeric", month: /\d/.test(month) ? "long" : "short" },
    TIME: { hour: hour12 ? "numeric" : "2-digit", minute: "2-digit" },
  };
}

/** Formats a server's latency in ms: `0.04 s`, `1 s`, `12 s`; `—` for null (not measured). */
export function formatLatency(ms: number | null, { number }: Formats): string {
  if (ms === null) return "—";
  if (ms < 10) return `< ${number(0.01)} s`;
  return ms < 995 ? `${number(Math.round(ms / 10) / 100)} s` : formatDuration(Math.round(ms / 100) * 100);
}
