"use client";

import { Plus } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { Field, FieldErrorLine, Select, Textarea } from "@/components/ui/field.tsx";
import { celOf, problemOfRow, type Row, type Rows } from "@/lib/policy/conditions/rows.ts";
import { rowsIn } from "@/lib/policy/conditions/rows-from-cel.ts";
import { namesOf, type Rules } from "@/lib/policy/conditions/vocabulary.ts";
import { focusOn } from "../policy/form/ordered-list.tsx";
import { useNoteUnreadable } from "../policy/form/problems.tsx";
import { Segments } from "../segments.tsx";
import { ConditionRow } from "./condition-row.tsx";

/**
 * A condition as rows, or as CEL under *Advanced*. The CEL is what counts: rows write it, and show it where they can say the same. While
 * a row is not filled in the condition stays as it was, and its place is noted as unreadable.
 */
export function ConditionField({
  place,
  rules,
  value,
  everything,
  required = false,
  error,
  hint,
  onChange,
}: {
  /** The id of what has the focus for a problem. */
  place: string;
  rules: Rules;
  /** In CEL; empty: there is none. */
  value: string;
  /** Said while there is none. */
  everything: string;
  required?: boolean;
  error: string | undefined;
  /** Said below the CEL. */
  hint?: ReactNode;
  onChange: (value: string) => void;
}) {
  const [shown, setShown] = useState(value);
  /** Null: rows can't say it. */
  const [rows, setRows] = useState(() => rowsIn(value, rules));
  const [isAdvanced, setAdvanced] = useState(rows === null);
  if (shown !== value) {
    const read = rowsIn(value, rules);
    setShown(value);
    setRows(read);
    if (read === null) setAdvanced(true);
  }
  const isFilled = rows?.rows.every((row) => problemOfRow(row) === null) ?? true;
  useNoteUnreadable(place, isAdvanced || isFilled ? null : "Fill in each row of the condition, or remove it");
  const change = (now: Rows) => {
    const next = now.rows.length < 2 ? { ...now, join: "all" as const } : now;
    setRows(next);
    if (next.rows.some((row) => problemOfRow(row) !== null)) return;
    setShown(celOf(next));
    onChange(celOf(next));
  };
  const show = (pane: "Rows" | "Advanced") => {
    if (pane === "Advanced") setRows(rowsIn(value, rules));
    setAdvanced(pane === "Advanced");
  };
  const ways = (
    <Segments
      label="Condition as"
      value={isAdvanced ? "Advanced" : "Rows"}
      options={["Rows", "Advanced"]}
      disabled={rows === null ? ["Rows"] : []}
      onChange={show}
    />
  );
  if (isAdvanced || rows === null)
    return (
      <div className="flex min-w-0 flex-col gap-2">
        {ways}
        <Field
          id={place}
          label="Condition in CEL"
          required={required}
          hint={
            <>
              {rows === null && "Rows can’t show this condition, so it stays here. "}
              {hint}
            </>
          }
          error={error}
        >
          {(control) => (
            <Textarea
              {...control}
              rows={3}
              className="font-mono text-[13px]"
              spellCheck={false}
              autoComplete="off"
              placeholder="amount != null && amount > 5000.0"
              value={value}
              onChange={({ target }) => onChange(target.value)}
            />
          )}
        </Field>
        <Names rules={rules} />
      </div>
    );
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {ways}
      <fieldset
        id={place}
        tabIndex={-1}
        aria-describedby={error ? `${place}-error` : undefined}
        className="flex min-w-0 flex-col gap-2 rounded-lg bg-sunken p-3"
      >
        <legend className="float-left mb-1 w-full font-medium text-[13px]">Condition</legend>
        {rows.rows.length === 0 && <p className="text-[13px] text-muted">{everything}</p>}
        {rows.rows.length > 1 && (
          <p className="flex items-center gap-2 text-[13px]">
            <Select
              aria-label="Rows that have to hold"
              className="w-40"
              value={rows.join}
              onChange={({ target }) => change({ ...rows, join: target.value as Rows["join"] })}
            >
              <option value="all">All of these</option>
              <option value="any">Any of these</option>
            </Select>
            have to hold
          </p>
        )}
        {rows.rows.map((row, at) => (
          <ConditionRow
            // biome-ignore lint/suspicious/noArrayIndexKey: a row is what is at its place
            key={at}
            id={`${place}-row-${at}`}
            name={`Row ${at + 1}`}
            rules={rules}
            row={row}
            onChange={(now) => change({ ...rows, rows: rows.rows.with(at, now) })}
            onRemove={() => {
              change({ ...rows, rows: rows.rows.toSpliced(at, 1) });
              focusOn(`${place}-add`);
            }}
          />
        ))}
        <div>
          <Button
            size="sm"
            id={`${place}-add`}
            onClick={() => {
              change({ ...rows, rows: [...rows.rows, NEW_ROW] });
              focusOn(`${place}-row-${rows.rows.length}`);
            }}
          >
            <Plus aria-hidden strokeWidth={1.75} />
            Add a condition
          </Button>
        </div>
      </fieldset>
      {error && <FieldErrorLine id={`${place}-error`} message={error} />}
    </div>
  );
}

const NEW_ROW: Row = { field: "amount", operator: "moreThan", value: "" };

/** The names that a condition in CEL can use. */
function Names({ rules }: { rules: Rules }) {
  return (
    <details className="text-[13px]">
      <summary className="w-fit cursor-pointer text-muted max-md:py-2.5">Names that it can use</summary>
      <dl className="mt-2 grid gap-x-3 gap-y-1 sm:grid-cols-[max-content_1fr]">
        {namesOf(rules).map(({ name, type, words }) => (
          <div key={name} className="contents">
            <dt>
              <code>{name}</code>
            </dt>
            <dd className="text-muted max-sm:mb-1">
              {words.replaceAll("`", "")}. <span className="whitespace-nowrap">({type})</span>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
