"use client";

import { Upload } from "lucide-react";
import { useId, useRef, useState } from "react";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import type { Holiday } from "@/lib/policy/calendar/calendar-schema.ts";
import { type HolidayFile, MOST_BYTES, readHolidayFile } from "@/lib/policy/calendar/holiday-file.ts";
import { plural } from "@/lib/text/labels.ts";

type Read = { name: string; found: HolidayFile; chosen: string[] } | { name: string; problem: string };

/**
 * Reads holidays from an iCalendar file, in the browser, and shows each of them before it is added. `known`: the dates that are
 * holidays already.
 */
export function HolidayFileChooser({ known, onAdd }: { known: string[]; onAdd(holidays: Holiday[]): void }) {
  const input = useRef<HTMLInputElement>(null);
  const [read, setRead] = useState<Read | null>(null);
  const choose = async (file: File) => setRead(await readFile(file, known));
  return (
    <div className="flex max-w-xl flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <Button onClick={() => input.current?.click()}>
          <Upload aria-hidden strokeWidth={1.75} />
          Add from a file…
        </Button>
        <span className="text-[13px] text-muted">An .ics file, as calendar programs export it.</span>
      </div>
      <input
        ref={input}
        type="file"
        accept=".ics,text/calendar"
        aria-label="Calendar file"
        tabIndex={-1}
        className="hidden"
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file) void choose(file);
          // The same file can be chosen once more.
          target.value = "";
        }}
      />
      {read && "problem" in read && (
        <Notice live tone="bad" title={read.problem}>
          <p>
            <PlainText text={read.name} />
          </p>
        </Notice>
      )}
      {read && "found" in read && (
        <Found
          {...read}
          known={known}
          onChosen={(chosen) => setRead({ ...read, chosen })}
          onClose={() => setRead(null)}
          onAdd={(holidays) => {
            onAdd(holidays);
            setRead(null);
          }}
        />
      )}
    </div>
  );
}

async function readFile(file: File, known: string[]): Promise<Read> {
  const { name } = file;
  if (file.size > MOST_BYTES)
    return { name, problem: `The file is too large: at most ${MOST_BYTES / 1_000} KB are read` };
  let text: string;
  try {
    text = await file.text();
  } catch {
    return { name, problem: "The browser can’t read the file" };
  }
  const found = readHolidayFile(text, today());
  if (!found) return { name, problem: "This is no calendar file (.ics)" };
  return { name, found, chosen: found.holidays.flatMap(({ date }) => (known.includes(date) ? [] : date)) };
}

/** In the zone of whoever looks. */
function today(): string {
  const now = new Date();
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
}

function Found({
  name,
  found,
  chosen,
  known,
  onChosen,
  onClose,
  onAdd,
}: {
  name: string;
  found: HolidayFile;
  /** Dates. */
  chosen: string[];
  known: string[];
  onChosen(dates: string[]): void;
  onClose(): void;
  onAdd(holidays: Holiday[]): void;
}) {
  const id = useId();
  const { holidays, leftOut, moreLeftOut, past } = found;
  return (
    <section
      aria-labelledby={id}
      className="flex flex-col gap-3 rounded-lg border border-line bg-panel p-4 text-[13px]"
    >
      <h3 id={id} className="font-semibold" aria-live="polite">
        {plural(holidays.length, "holiday")} in <PlainText text={name} />
      </h3>
      {holidays.length > 0 && (
        <ul aria-label="Found in the file" className="flex max-h-72 flex-col overflow-y-auto">
          {holidays.map(({ date, name: its }) => {
            const isKnown = known.includes(date);
            return (
              <li key={date}>
                <label className="flex items-baseline gap-2.5 py-1 max-md:min-h-11 max-md:items-center">
                  <input
                    type="checkbox"
                    className="size-4 shrink-0 self-center accent-accent"
                    checked={isKnown || chosen.includes(date)}
                    disabled={isKnown}
                    onChange={({ target }) =>
                      onChosen(target.checked ? [...chosen, date] : chosen.filter((each) => each !== date))
                    }
                  />
                  <span className="shrink-0 font-mono tabular-nums">{date}</span>
                  <span className="min-w-0">
                    <PlainText text={its} />
                    {isKnown && <span className="text-muted"> · already a holiday</span>}
                  </span>
                </label>
              </li>
            );
          })}
        </ul>
      )}
      {past > 0 && <p className="text-muted">{plural(past, "day")} before today left out.</p>}
      {leftOut.length > 0 && (
        <details>
          <summary className="cursor-pointer max-md:py-3">
            {plural(leftOut.length + moreLeftOut, "event")} left out
          </summary>
          <ul
            aria-label="Events left out"
            className="mt-1 flex max-h-48 flex-col gap-1 overflow-y-auto text-muted"
          >
            {leftOut.map(({ name: its, why }, at) => (
              // The same event may be in a file twice.
              // biome-ignore lint/suspicious/noArrayIndexKey: the list does not change
              <li key={at}>
                <PlainText text={its} />: {why}
              </li>
            ))}
            {moreLeftOut > 0 && <li>and {moreLeftOut} more</li>}
          </ul>
        </details>
      )}
      {leftOut.length === 0 && moreLeftOut > 0 && (
        <p className="text-muted">
          {plural(moreLeftOut, "day")} left out: a calendar has at most 1000 holidays.
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        {holidays.length > 0 && (
          <Button
            variant="primary"
            disabled={chosen.length === 0}
            onClick={() => onAdd(holidays.filter(({ date }) => chosen.includes(date)))}
          >
            Add {plural(chosen.length, "holiday")}
          </Button>
        )}
        <Button variant="ghost" onClick={onClose}>
          Close
        </Button>
      </div>
    </section>
  );
}
