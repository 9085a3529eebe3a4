import { Plus, X } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { Select } from "@/components/ui/field.tsx";
import { type Labelled, ProblemLine, TypedLine } from "./fields.tsx";
import { focusOn } from "./ordered-list.tsx";

const UNITS = { m: "minutes", h: "hours", d: "days", w: "weeks" };
type Unit = keyof typeof UNITS;

/** The parts of a time such as `4h!`; null: it is none. */
function partsOf(text: string | null | undefined): { number: string; unit: Unit; clock: "" | "!" } | null {
  const [, number = "", unit = "", clock = ""] = /^([1-9]\d{0,3})([mhdw])(!?)$/.exec(text ?? "") ?? [];
  return number === "" ? null : { number, unit: unit as Unit, clock: clock as "" | "!" };
}

/** How long something takes: a number, a unit, and whether nights and holidays count. */
export function DurationLine({
  value,
  onChange,
  ...labelled
}: Labelled & { value: string | null | undefined; onChange: (value: string | undefined) => void }) {
  /** What is chosen before there is a number. */
  const [chosen, setChosen] = useState({ unit: "d" as Unit, clock: "" as "" | "!" });
  const parts = partsOf(value);
  const { unit, clock } = parts ?? chosen;
  const choose = (now: Partial<typeof chosen>) => {
    const next = { unit, clock, ...now };
    setChosen(next);
    if (parts) onChange(`${parts.number}${next.unit}${next.clock}`);
  };
  return (
    <TypedLine
      {...labelled}
      numeric
      wrong="Use a whole number from 1 to 9999"
      value={value ?? undefined}
      read={(text) => {
        if (text.trim() === "" && !labelled.required) return { value: undefined };
        const read = `${text.trim()}${unit}${clock}`;
        return partsOf(read) && { value: read };
      }}
      write={(text) => partsOf(text)?.number ?? ""}
      onChange={onChange}
      beside={
        <>
          <Select
            aria-label={`${labelled.label}: unit`}
            className="w-28"
            value={unit}
            onChange={({ target }) => choose({ unit: target.value as Unit })}
          >
            {Object.entries(UNITS).map(([each, words]) => (
              <option key={each} value={each}>
                {words}
              </option>
            ))}
          </Select>
          <Select
            aria-label={`${labelled.label}: counted in`}
            className="w-44"
            value={clock}
            onChange={({ target }) => choose({ clock: target.value as "" | "!" })}
          >
            <option value="">of working time</option>
            <option value="!">by the clock</option>
          </Select>
        </>
      }
    />
  );
}

const SUGGESTED = ["4h", "1d", "2d", "3d", "1w"];

/** Several times, each once. */
export function DurationsLine({
  place,
  label,
  noun,
  description,
  value = [],
  onChange,
}: {
  place: string;
  label: string;
  noun: string;
  description: string;
  value: string[] | undefined;
  onChange: (value: string[] | undefined) => void;
}) {
  const set = (times: string[]) => onChange(times.length > 0 ? times : undefined);
  return (
    <fieldset id={place} tabIndex={-1} className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1 font-medium text-[13px]">
        {label}
        <span className="font-normal text-muted"> · optional</span>
      </legend>
      <p className="text-[13px] text-muted">{description}</p>
      {value.map((time, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a time is what is at its place
        <div key={at} className="flex items-end gap-1.5">
          <DurationLine
            required
            place={`${place}.${at}`}
            label={`${label} ${at + 1}`}
            value={time}
            onChange={(now) => set(value.with(at, now ?? time))}
          />
          <Button
            variant="ghost"
            size="icon"
            aria-label={`Remove ${noun} ${at + 1}`}
            onClick={() => {
              set(value.toSpliced(at, 1));
              focusOn(`${place}-add`);
            }}
          >
            <X aria-hidden strokeWidth={1.75} />
          </Button>
        </div>
      ))}
      <ProblemLine place={place} besides={value.map((_, at) => `${place}.${at}`)} />
      <div>
        <Button
          size="sm"
          id={`${place}-add`}
          onClick={() => {
            set([...value, SUGGESTED.find((time) => !value.includes(time)) ?? "1d"]);
            focusOn(`${place}.${value.length}`);
          }}
        >
          <Plus aria-hidden strokeWidth={1.75} />
          Add a {noun}
        </Button>
      </div>
    </fieldset>
  );
}
