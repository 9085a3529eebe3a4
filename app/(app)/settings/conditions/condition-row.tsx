"use client";

import { X } from "lucide-react";
import { type ComponentProps, useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { FieldErrorLine, Input, Select } from "@/components/ui/field.tsx";
import { fieldsOf, kindOf, problemOfRow, type Row, SHAPES } from "@/lib/policy/conditions/rows.ts";
import type { Rules } from "@/lib/policy/conditions/vocabulary.ts";
import { localZone } from "@/lib/text/local-time.ts";
import { useValueNames } from "./condition-text.tsx";
import { FIELD_WORDS, filled, operatorWords, withField } from "./condition-words.ts";

/** One row: a field, an operator, and a value of that field. */
export function ConditionRow({
  id,
  name,
  rules,
  row,
  onChange,
  onRemove,
}: {
  id: string;
  /** Which row it is, for screen readers. */
  name: string;
  rules: Rules;
  row: Row;
  onChange: (row: Row) => void;
  onRemove: () => void;
}) {
  /** Somebody was in the row and left it, but not for another window: then it says what is missing. */
  const [isLeft, setLeft] = useState(false);
  const { field, operator } = row;
  const problem = isLeft ? problemOfRow(row) : null;
  const described = problem === null ? {} : { "aria-invalid": true, "aria-describedby": `${id}-error` };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend on screen
    <div
      role="group"
      aria-label={name}
      className="flex min-w-0 flex-col gap-1"
      onBlur={({ currentTarget, relatedTarget }) =>
        !currentTarget.contains(relatedTarget) && document.hasFocus() && setLeft(true)
      }
    >
      <div className="flex min-w-0 items-start gap-1.5">
        <div className="flex min-w-0 flex-1 flex-wrap gap-1.5">
          <Select
            id={id}
            aria-label="Field"
            className="min-w-36 flex-1"
            value={field}
            onChange={({ target }) => onChange(withField(row, target.value, row.zone ?? localZone()))}
          >
            {fieldsOf(rules).map((each) => (
              <option key={each} value={each}>
                {FIELD_WORDS[each]}
              </option>
            ))}
          </Select>
          {row.path !== undefined && (
            <Input
              {...described}
              aria-label="Argument’s name"
              placeholder="invoice.total"
              className="w-auto min-w-32 flex-1 font-mono text-[13px]"
              autoComplete="off"
              spellCheck={false}
              value={row.path}
              onChange={({ target }) => onChange({ ...row, path: target.value })}
            />
          )}
          <Select
            aria-label="Operator"
            className="min-w-32 flex-1"
            value={operator}
            onChange={({ target }) => onChange(filled({ ...row, operator: target.value }))}
          >
            {Object.keys(SHAPES[kindOf(field)!]).map((each) => (
              <option key={each} value={each}>
                {operatorWords(field, each)}
              </option>
            ))}
          </Select>
          {row.until === undefined ? (
            row.value !== undefined && <Value row={row} described={described} onChange={onChange} />
          ) : (
            <TimesOfDay row={row} described={described} onChange={onChange} />
          )}
        </div>
        <Button variant="ghost" size="icon" aria-label={`Remove ${name.toLowerCase()}`} onClick={onRemove}>
          <X aria-hidden strokeWidth={1.75} />
        </Button>
      </div>
      {problem !== null && <FieldErrorLine id={`${id}-error`} message={problem} />}
    </div>
  );
}

type ValueProps = { row: Row; described: object; onChange: (row: Row) => void };

/** A value to type, or to choose where there are few. */
function Value({ row, described, onChange }: ValueProps) {
  const { field, operator, value = "" } = row;
  const names = useValueNames();
  const choices = operator === "oneOf" ? null : names.choicesOf(field);
  const common = {
    ...described,
    "aria-label": "Value",
    value,
    onChange: ({ target }: { target: { value: string } }) => onChange({ ...row, value: target.value }),
  };
  if (choices !== null)
    return (
      <Select {...common} className="min-w-36 flex-1">
        {!choices.some((choice) => choice.value === value) && (
          <option value={value}>{value || "Choose"}</option>
        )}
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </Select>
    );
  const isNumber = /\$(number|whole)/.test(SHAPES[kindOf(field)!][operator]!);
  return (
    <Input
      {...common}
      className="w-auto min-w-28 flex-1"
      inputMode={isNumber ? "decimal" : undefined}
      placeholder={operator === "oneOf" ? "One, another" : undefined}
      autoComplete="off"
      spellCheck={false}
    />
  );
}

function TimesOfDay({ row, described, onChange }: ValueProps) {
  const zones = Intl.supportedValuesOf("timeZone");
  const { value = "", until = "", zone = "" } = row;
  /** The end of a day is no time that a browser's field knows. */
  const type = (time: string): ComponentProps<"input">["type"] => (time === "24:00" ? "text" : "time");
  return (
    <>
      <Input
        {...described}
        type={type(value)}
        aria-label="From"
        className="w-auto min-w-28 flex-1"
        value={value}
        onChange={({ target }) => onChange({ ...row, value: target.value })}
      />
      <Input
        {...described}
        type={type(until)}
        aria-label="Until"
        className="w-auto min-w-28 flex-1"
        value={until}
        onChange={({ target }) => onChange({ ...row, until: target.value })}
      />
      <Select
        aria-label="Time zone"
        className="min-w-40 flex-1"
        value={zone}
        onChange={({ target }) => onChange({ ...row, zone: target.value })}
      >
        {(zones.includes(zone) ? zones : [zone, ...zones]).map((each) => (
          <option key={each}>{each}</option>
        ))}
      </Select>
    </>
  );
}
