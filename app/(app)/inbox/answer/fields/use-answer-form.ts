"use client";

import { useCallback, useId, useRef, useState } from "react";
import { type Control, type FieldErrors, useForm } from "react-hook-form";
import type { Field, Form } from "@/lib/mcp/forms/form.ts";
import {
  type AnswerValues,
  draftContent,
  type FieldError,
  initialValues,
  readAnswer,
} from "@/lib/requests/words/answer-values.ts";

/**
 * Form values by position (`f0`, `f1`, …): server names may contain dots and brackets, which the library
 * reads as paths.
 */
type FormValues = Record<string, string | string[]>;

export interface AnswerForm {
  fields: Field[];
  control: Control<FormValues>;
  /** The id of a field's control on the page; without a name, of the error summary. */
  idOf: (name?: string) => string;
  /** Errors in the order of the fields; errors of no field come last. */
  errors: FieldError[];
  /**
   * Grows with each refused attempt: the summary takes the focus then, and not while a person fixes errors.
   */
  refusals: number;
  /** Returns the first field that has no answer that can be sent, or null. */
  missing: () => Field | null;
  /** Calls `send` with the content, or shows the errors. */
  submit: (send: (content: Record<string, unknown>) => void) => void;
  /** Shows the API's errors in the same places. */
  refuse: (errors: FieldError[]) => void;
  /** Calls back with the draft's content after each change by the person. */
  watch: (onChange: (content: AnswerValues) => void) => () => void;
  /** Fills a newer draft into the fields that were not typed in. Returns the draft's content afterwards. */
  restore: (draft: Record<string, unknown>) => AnswerValues;
  /** Fills all fields again: with these values, or the server's suggestions. */
  reset: (values: Record<string, unknown> | null) => void;
}

const NO_FIELDS: Field[] = [];

/**
 * The state of a server's form, which must stay the same object. Only `readAnswer` reads the typed values; an
 * error disappears once its field is fixed.
 */
export function useAnswerForm(shown: Form, draft: Record<string, unknown> | null): AnswerForm {
  const fields = shown.kind === "supported" ? shown.fields : NO_FIELDS;
  const id = useId();
  const typed = useRef(new Set<string>());
  const [refusals, setRefusals] = useState(0);
  const {
    control,
    formState,
    handleSubmit,
    setError,
    setValue,
    clearErrors,
    getFieldState,
    getValues,
    subscribe,
  } = useForm<FormValues>({
    defaultValues: toForm(fields, initialValues(fields, draft)),
    shouldFocusError: false,
    resolver: (values) => {
      const { errors } = readAnswer(fields, fromForm(fields, values));
      return errors.length === 0 ? { values, errors: {} } : { values: {}, errors: toErrors(fields, errors) };
    },
  });
  const { errors } = formState;

  return {
    fields,
    control,
    idOf: (name) => `${id}${name === undefined ? "summary" : safeName(fields, name)}`,
    errors: [
      ...fields.flatMap(({ name }, at) => {
        const message = errors[`f${at}`]?.message;
        return message ? [{ field: name, message }] : [];
      }),
      ...(errors.root?.message ? [{ field: "", message: errors.root.message }] : []),
    ],
    refusals,
    missing: () => {
      const [first] = readAnswer(fields, fromForm(fields, getValues())).errors;
      return fields.find(({ name }) => name === first?.field) ?? null;
    },
    submit: (send) =>
      void handleSubmit(
        (values) => send(readAnswer(fields, fromForm(fields, values)).content),
        () => setRefusals((count) => count + 1),
      )(),
    refuse: (refused) => {
      for (const { field, message } of refused)
        setError(safeName(fields, plainName(field)) ?? "root", { type: "server", message });
      if (refused.length > 0) setRefusals((count) => count + 1);
    },
    watch: useCallback(
      (onChange) =>
        subscribe({
          formState: { values: true },
          callback: ({ name, type, values }) => {
            // A restore changes values too; only a person's change has this type.
            if (type !== "change" || !name) return;
            typed.current.add(name);
            // A request that came back has a form that was never submitted, which would keep the error.
            if (getFieldState(name).error?.type === "server") clearErrors([name, "root"]);
            onChange(draftContent(fields, fromForm(fields, values)));
          },
        }),
      [fields, subscribe, getFieldState, clearErrors],
    ),
    restore: useCallback(
      (from) => {
        for (const [name, value] of Object.entries(toForm(fields, initialValues(fields, from))))
          if (!typed.current.has(name)) setValue(name, value);
        return draftContent(fields, fromForm(fields, getValues()));
      },
      [fields, setValue, getValues],
    ),
    reset: (to) => {
      typed.current.clear();
      clearErrors();
      for (const [name, value] of Object.entries(toForm(fields, initialValues(fields, to))))
        setValue(name, value);
    },
  };
}

function safeName(fields: Field[], name: string): string | null {
  const at = fields.findIndex((field) => field.name === name);
  return at < 0 ? null : `f${at}`;
}

function toForm(fields: Field[], values: AnswerValues): FormValues {
  return Object.fromEntries(fields.map(({ name }, at) => [`f${at}`, values[name] ?? ""]));
}

function fromForm(fields: Field[], values: FormValues): AnswerValues {
  return Object.fromEntries(fields.map(({ name }, at) => [name, values[`f${at}`] ?? ""]));
}

function toErrors(fields: Field[], errors: FieldError[]): FieldErrors<FormValues> {
  return Object.fromEntries(
    errors.map(({ field, message }) => [safeName(fields, field) ?? "root", { type: "refused", message }]),
  );
}

/** Removes the `content.` prefix that the API may put before a field's name. */
function plainName(field: string): string {
  return field.replace(/^content\./, "");
}
