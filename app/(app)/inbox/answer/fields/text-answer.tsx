"use client";

import { useRef, useState } from "react";
import { DateTimeInput, noteUnfinished, readMoment } from "@/components/form/moment-input.tsx";
import { useFormats } from "@/components/shell/session/me.tsx";
import { useFold, useOnCard } from "@/components/text/folds.tsx";
import { useMeasured } from "@/components/text/use-measured.ts";
import { chosenDate } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { cn } from "@/components/ui/cn.ts";
import { Input, Field as LabelledField, Textarea } from "@/components/ui/field.tsx";
import type { Field } from "@/lib/mcp/forms/form.ts";
import { formatHint, numberHint, UNFINISHED } from "@/lib/requests/words/answer-values.ts";
import { readExactNumber } from "@/lib/text/exact-number.ts";
import { hiddenWords } from "@/lib/text/foreign/hidden.ts";

/** Props of every control of a server's form. `id` belongs to the control, or to the group of choices. */
export interface AnswerProps<K extends Field["kind"] = Field["kind"]> {
  id: string;
  field: Extract<Field, { kind: K }>;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
  onBlur: () => void;
}

type TextField = Extract<Field, { kind: "text" }>;

const INPUT_TYPES = new Map([
  ["email", "email"],
  ["uri", "url"],
  ["date", "date"],
]);
/** Servers seldom give a length, so a text field's name decides whether it gets several lines. */
const CALLED_LONG =
  /\b(comments?|notes?|descriptions?|reasons?|messages?|summary|details|feedback|explanations?|justification)\b/i;
const LONG = 120;
/** Longer texts get several lines at once; a shorter one where its box is too narrow. */
const SHORT = 40;
const SUGGESTED = "Suggested by the server";

/** A text field by format: one line, several lines, an e-mail address, a URI or a date. */
export function TextAnswer({ id, field, value, error, onChange, onBlur }: AnswerProps<"text">) {
  const formats = useFormats();
  // By what the box begins with: another kind of box would lose the focus while somebody types.
  const [begun] = useState(value);
  const [long, setLong] = useState(() => isLong(field, value));
  return (
    <LabelledField
      id={id}
      label={field.title}
      description={field.description}
      hint={[
        field.format === "date" && chosenDate(value, formats),
        value !== "" && value === field.default && SUGGESTED,
        formatHint(field),
        hiddenWords(value),
        lengthHint(field, value),
      ]
        .filter(Boolean)
        .join(" · ")}
      error={error}
      required={field.required}
      need={field.need}
    >
      {(control) => {
        const common = { ...control, autoComplete: "off", value: value === UNFINISHED ? "" : value };
        if (long) {
          return (
            <LongText
              {...common}
              begun={begun}
              onBlur={onBlur}
              onChange={(event) => onChange(event.target.value)}
            />
          );
        }
        return (
          <ShortText
            {...common}
            begun={field.format === "date" ? "" : begun}
            onCut={() => setLong(true)}
            type={INPUT_TYPES.get(field.format ?? "") ?? "text"}
            className={field.format === "date" ? "max-w-52" : undefined}
            onBlur={(event) => {
              noteUnfinished(event, value, onChange);
              onBlur();
            }}
            onChange={(event) => onChange(event.target.value)}
          />
        );
      }}
    </LabelledField>
  );
}

/** `begun`: what was filled in at first, of which nothing may be out of sight. */
type BoxProps<Tag extends "input" | "textarea"> = React.ComponentProps<Tag> & {
  value: string;
  begun: string;
};

/** `onCut`: what is filled in does not fit one line. */
function ShortText({ begun, onCut, ...props }: BoxProps<"input"> & { onCut: () => void }) {
  const ref = useRef<HTMLInputElement>(null);
  useMeasured(ref, (box) => {
    const isCut = begun !== "" && props.value === begun && box.scrollWidth > box.clientWidth;
    if (isCut && box !== document.activeElement) onCut();
  });
  return <Input {...props} ref={ref} />;
}

/** A box of several lines. The end of what is filled in counts as folded away where the box would be too tall. */
function LongText({ begun, ...props }: BoxProps<"textarea">) {
  const { number } = useFormats();
  const box = useRef<HTMLTextAreaElement>(null);
  // The height that the text needs, in px; 0: it fits.
  const [needed, setNeeded] = useState(0);
  const { open, setOpen, ref } = useFold<HTMLButtonElement>(
    needed > 0 ? { what: "text", count: props.value.length } : null,
    { startsOpen: !useOnCard() },
  );
  useMeasured(box, ({ scrollHeight, clientHeight }) => {
    const isCut = scrollHeight > clientHeight + 1;
    if (isCut && begun !== "" && props.value === begun) setNeeded(scrollHeight);
    if (!isCut && !open) setNeeded(0);
  });
  return (
    <>
      <Textarea
        {...props}
        ref={box}
        rows={3}
        className={cn("field-sizing-content min-h-20", !open && "max-h-96")}
        // Not every browser sizes a box by its content.
        style={open && needed > 0 ? { minHeight: needed } : undefined}
      />
      {needed > 0 && (
        <Button
          ref={ref}
          variant="link"
          className="w-fit px-0 font-normal max-md:min-h-11"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          {open ? "Show less" : `Show all ${number(props.value.length)} characters`}
        </Button>
      )}
    </>
  );
}

/** A text input on purpose: number inputs round, and change on scrolling. */
export function NumberAnswer({ id, field, value, error, onChange, onBlur }: AnswerProps<"number">) {
  const { integer, minimum, exclusiveMinimum } = field;
  const suggested = field.default !== null && value === String(field.default) && SUGGESTED;
  const { number } = useFormats();
  const read = readExactNumber(value);
  // Where a point separates thousands, 1.000 is meant otherwise than it is read.
  const asRead = "value" in read && number(read.value);
  return (
    <LabelledField
      id={id}
      label={field.title}
      description={field.description}
      hint={[asRead && asRead !== value.trim() && `Read as ${asRead}`, suggested, numberHint(field)]
        .filter(Boolean)
        .join(" · ")}
      error={error}
      required={field.required}
      need={field.need}
    >
      {(control) => (
        <Input
          {...control}
          inputMode={
            integer && (minimum ?? exclusiveMinimum ?? -1) >= 0 ? "numeric" : integer ? "text" : "decimal"
          }
          autoComplete="off"
          className="max-w-72"
          value={value}
          onBlur={onBlur}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </LabelledField>
  );
}

/** A date and a time in the person's own zone, which is shown. */
export function DateTimeAnswer({ id, field, value, error, onChange, onBlur }: AnswerProps<"text">) {
  const formats = useFormats();
  const { named, words } = readMoment(value);
  const suggested = value !== "" && value === field.default && SUGGESTED;
  return (
    <LabelledField
      id={id}
      label={field.title}
      description={field.description}
      hint={[named && formats.dateTime(named), suggested, words].filter(Boolean).join(" · ")}
      error={error}
      required={field.required}
      need={field.need}
    >
      {(control) => (
        <DateTimeInput control={control} id={id} value={value} onChange={onChange} onBlur={onBlur} />
      )}
    </LabelledField>
  );
}

function isLong(field: TextField, begun: string): boolean {
  // The end of a text that is filled in must not be out of sight, no matter who wrote it.
  const isFilled = [begun, field.default ?? ""].some((text) => text.length > SHORT || /\s{3}|\n/.test(text));
  if (isFilled && !field.format?.startsWith("date")) return true;
  if (field.format !== null) return false;
  if (field.maxLength !== null) return field.maxLength > LONG;
  return CALLED_LONG.test(`${field.name.replaceAll("_", " ")} ${field.title}`);
}

/** Returns the limits; near the upper one, the characters left. */
function lengthHint({ minLength, maxLength }: TextField, value: string): string {
  const length = [...value].length;
  if (maxLength !== null && length > maxLength) return `${length - maxLength} too many`;
  if (maxLength !== null && length > maxLength * 0.8) return `${maxLength - length} characters left`;
  const least = minLength !== null && minLength > 1;
  if (least && maxLength !== null) return `${minLength} to ${maxLength} characters`;
  if (least) return `At least ${minLength} characters`;
  return maxLength !== null && maxLength <= 2_000 ? `At most ${maxLength} characters` : "";
}
