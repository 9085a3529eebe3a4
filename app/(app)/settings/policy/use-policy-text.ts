"use client";

import { useMemo, useState } from "react";
import { type Draft, readDraft } from "./form/draft.ts";
import { type Format, JSON_FORMAT, loadYaml, type TextFormat } from "./text/policy-text.ts";

/** Something that keeps the policy from being saved; `at`: where in the text. */
export interface Mistake {
  message: string;
  /** The place in the policy; empty: it is no policy yet. */
  field: string;
  at: number;
}

/** The text as it stands, to be brought back by `setWritten`. */
export interface Written {
  format: Format;
  how: TextFormat;
  text: string;
  /** The text in YAML that was left for JSON, which has no comments. */
  left: string | null;
}

/**
 * The policy that is edited. The text is what counts: the form shows what is read from it, and writes it anew with each change.
 * Text that can't be read has a `mistake` and no `draft`.
 */
export function usePolicyText(saved: object) {
  const [written, setWritten] = useState<Written>({
    format: "JSON",
    how: JSON_FORMAT,
    text: JSON_FORMAT.write(saved),
    left: null,
  });
  const { format, how, text } = written;
  const read = useMemo(() => how.read(text), [how, text]);
  const value = "value" in read ? read.value : undefined;
  const shown = useMemo(() => (value === undefined ? null : readDraft(value)), [value]);
  const isChanged = !("value" in read) || JSON.stringify(read.value) !== JSON.stringify(saved);
  return {
    text,
    format,
    written,
    setWritten: (before: Written) => setWritten(before),
    value,
    draft: shown && "draft" in shown ? shown.draft : null,
    mistake: mistakeOf(read, shown, how, text),
    isChanged,
    placeOf: (field: string) => how.placeOf(text, field),
    setText: (now: string) => setWritten((before) => ({ ...before, text: now })),
    setValue: (now: object | Draft) =>
      setWritten((before) => ({ ...before, text: before.how.rewrite(before.text, now) })),
    /** Writes the same in another format. A text that can't be read stays: it may be of that one. */
    setFormat: async (now: Format) => {
      const other = now === "JSON" ? JSON_FORMAT : await loadYaml();
      setWritten((before) => {
        const current = before.how.read(before.text);
        if (before.format === now) return before;
        const left = now === "JSON" ? before.text : null;
        if (!("value" in current)) return { format: now, how: other, text: before.text, left };
        const text =
          before.left === null ? other.write(current.value) : other.rewrite(before.left, current.value);
        return { format: now, how: other, text, left };
      });
    },
  };
}

function mistakeOf(
  read: ReturnType<TextFormat["read"]>,
  shown: ReturnType<typeof readDraft> | null,
  how: TextFormat,
  text: string,
): Mistake | null {
  if ("mistake" in read) return { ...read.mistake, field: "" };
  if (!shown || "draft" in shown) return null;
  const { field, message } = shown.problem;
  return { field, message, at: how.placeOf(text, field) };
}
