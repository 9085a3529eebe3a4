"use client";

import { Field as LabelledField } from "@/components/ui/field.tsx";
import { Input } from "@/components/ui/input.tsx";
import { UNFINISHED } from "@/lib/format/requests/answer-values.ts";
import { instantsOf, localZone, offsetOf, wallOf } from "@/lib/text/local-time.ts";
import type { AnswerProps } from "./answer-field.tsx";
import { noteUnfinished } from "./text-answer.tsx";

/**
 * A date and a time in the person's own zone, which is in view. Held as RFC 3339 as soon as it names one instant, so
 * that a draft means the same in another zone; in the night when the clocks show a time twice, a person says which.
 */
export function DateTimeAnswer({ id, field, value, error, onChange, onBlur }: AnswerProps<"text">) {
  const zone = localZone();
  const wall = value === UNFINISHED ? "" : wallOf(value, zone);
  const instants = instantsOf(wall, zone);
  // As typed it names none yet, though the browser would read it as the earlier one.
  const named =
    value === wall ? undefined : instants.find((instant) => Date.parse(instant) === Date.parse(value));
  const suggested = value !== "" && value === field.default && "Suggested by the server";
  return (
    <LabelledField
      id={id}
      label={field.title}
      description={field.description}
      hint={[suggested, `In your time zone, ${zone}${named ? ` (${offsetOf(named)})` : ""}`]
        .filter(Boolean)
        .join(" · ")}
      error={error}
      required={field.required}
    >
      {(control) => (
        <>
          <Input
            {...control}
            type="datetime-local"
            className="max-w-64"
            value={wall}
            onBlur={(event) => {
              noteUnfinished(event, value, onChange);
              onBlur();
            }}
            onChange={(event) => {
              const [instant, second] = instantsOf(event.target.value, zone);
              // Skipped or shown twice, it stays as typed: the one is refused in words, the other asked below.
              onChange(instant && !second ? instant : event.target.value);
            }}
          />
          {instants.length === 2 && (
            <div
              role="radiogroup"
              aria-label={`Which ${wall.slice(11, 16)}`}
              className="flex flex-wrap gap-x-5"
            >
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
      )}
    </LabelledField>
  );
}
