"use client";

import type { FocusEvent, ReactNode } from "react";
import { chosenDate } from "@/components/time/time.tsx";
import { Input } from "@/components/ui/field.tsx";
import { UNFINISHED } from "@/lib/requests/words/answer-values.ts";
import type { Formats } from "@/lib/text/formats/formats.ts";
import { instantsOf, localZone, offsetAt, offsetOf, offsetText, wallOf } from "@/lib/text/local-time.ts";

interface MomentProps {
  /** Of the label: id, required, description. */
  control: object;
  id: string;
  value: string;
  onChange: (value: string) => void;
  onBlur?: () => void;
}

/** Reads a date and time as the person's zone shows it. `named`: the one instant that the value means. */
export function readMoment(value: string) {
  const zone = localZone();
  const wall = value === UNFINISHED ? "" : wallOf(value, zone);
  const instants = instantsOf(wall, zone);
  // The typed text names no instant yet, though the browser would read it as the earlier one.
  const named =
    value === wall ? undefined : instants.find((instant) => Date.parse(instant) === Date.parse(value));
  const words = `In your time zone, ${zone}${named ? ` (${offsetOf(named)})` : ""}`;
  return { zone, wall, instants, named, words };
}

export function DateInput({ control, value, onChange, onBlur }: MomentProps): ReactNode {
  return (
    <Input
      {...control}
      type="date"
      autoComplete="off"
      className="max-w-52"
      value={value === UNFINISHED ? "" : value}
      onBlur={(event) => {
        noteUnfinished(event, value, onChange);
        onBlur?.();
      }}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

/**
 * A date and a time in the person's own zone. Stored as RFC 3339 once it names one instant, so that it means the same in
 * another zone. When the clock shows a time twice, the person chooses which.
 */
export function DateTimeInput({ control, id, value, onChange, onBlur }: MomentProps): ReactNode {
  const { zone, wall, instants, named } = readMoment(value);
  return (
    <>
      <Input
        {...control}
        type="datetime-local"
        className="max-w-64"
        value={wall}
        onBlur={(event) => {
          noteUnfinished(event, value, onChange);
          onBlur?.();
        }}
        onChange={(event) => {
          const [instant, second] = instantsOf(event.target.value, zone);
          // A skipped or repeated local time stays as typed: the skipped one is refused, the repeated one
          // needs the choice below.
          onChange(instant && !second ? instant : event.target.value);
        }}
      />
      {instants.length === 2 && (
        <div role="radiogroup" aria-label={`Which ${wall.slice(11, 16)}`} className="flex flex-wrap gap-x-5">
          {instants.map((instant, at) => (
            <label key={instant} className="flex min-h-8 items-center gap-2.5 max-md:min-h-11">
              <input
                type="radio"
                name={`${id}-which`}
                className="size-4 shrink-0 accent-(--accent)"
                checked={instant === named}
                onBlur={onBlur}
                onChange={() => onChange(instant)}
              />
              {at === 0 ? "Before" : "After"} the clocks change ({offsetOf(instant)})
            </label>
          ))}
        </div>
      )}
    </>
  );
}

const TIME = /^(\d{2}:\d{2}(?::\d{2})?)(?:\.\d+)?(Z|[+-]\d{2}:\d{2})?$/i;

/** A time of day, stored with its zone's offset as JSON Schema wants it: the value's own, else the person's of today. */
export function TimeInput({ control, value, onChange, onBlur }: MomentProps): ReactNode {
  const [, wall = "", offset = offsetText(offsetAt(Date.now(), localZone()))] = TIME.exec(value) ?? [];
  return (
    <Input
      {...control}
      type="time"
      step={1}
      className="max-w-40"
      value={wall}
      onBlur={(event) => {
        noteUnfinished(event, value, onChange);
        onBlur?.();
      }}
      onChange={({ target }) =>
        onChange(
          target.value && `${target.value.length === 5 ? `${target.value}:00` : target.value}${offset}`,
        )
      }
    />
  );
}

/** Returns what stands beside a picker: the moment as the person reads it, and its zone. */
export function momentHint(format: string | undefined, value: string, formats: Formats): string {
  if (format === "date") return chosenDate(value, formats) ?? "";
  if (format === "time") {
    const [, , offset = offsetText(offsetAt(Date.now(), localZone()))] = TIME.exec(value) ?? [];
    return `Time zone: ${offsetOf(offset)}`;
  }
  if (format !== "date-time") return "";
  const { named, words } = readMoment(value);
  return [named && formats.dateTime(named), words].filter(Boolean).join(" · ");
}

/** Whether the input of a format shows the value. Any other stands in a box of text. */
export function isShown(format: string, value: string): boolean {
  if (value === "" || value === UNFINISHED) return true;
  if (format === "date") return /^\d{4}-\d{2}-\d{2}$/.test(value);
  if (format === "time") return TIME.test(value);
  return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(readMoment(value).wall);
}

/**
 * Marks a date with missing parts as unfinished: browsers report it as empty, so it would be omitted
 * unnoticed.
 */
export function noteUnfinished(
  event: FocusEvent<HTMLInputElement>,
  value: string,
  onChange: (value: string) => void,
): void {
  const unfinished = event.target.validity.badInput;
  if (unfinished && value !== UNFINISHED) onChange(UNFINISHED);
  if (!unfinished && value === UNFINISHED) onChange(event.target.value);
}
