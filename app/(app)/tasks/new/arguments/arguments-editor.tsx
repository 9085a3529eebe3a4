"use client";

import { type ReactNode, useMemo, useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { cn } from "@/components/ui/cn.ts";
import { Field, Textarea } from "@/components/ui/field.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { TabPanel, Tabs } from "@/components/ui/tabs.tsx";
import { hiddenWords } from "@/lib/text/foreign/hidden.ts";
import { nameInWords } from "@/lib/text/foreign/names.ts";
import { capitalise } from "@/lib/text/labels.ts";
import { ArgumentsTab } from "./arguments-tab.tsx";
import { emptyArguments, readForm, showsProblem } from "./form-schema.ts";
import { idOf, judge, type Problem, pathInWords } from "./judge-arguments.ts";
import type { Json } from "./schema-tree.ts";

/** The arguments of a call as they are edited, by the tool's form or as JSON. `given`: what they begin with; null: the form's own. */
export function useArguments(inputSchema: Json, given: Json | null) {
  const read = useMemo(() => readForm(inputSchema), [inputSchema]);
  const drawn = "form" in read ? read.form : null;
  const [values, setValues] = useState<Json>(() => given ?? (drawn ? emptyArguments(drawn) : {}));
  const [isBroken, setBroken] = useState(false);
  const form = isBroken ? null : drawn;
  const [tab, setTab] = useState(form ? "form" : "json");
  const [jsonValid, setJsonValid] = useState(true);
  return {
    values,
    setValues,
    form,
    /** Why the tool has no form; null: it has one. */
    reason: "reason" in read ? read.reason : isBroken ? "The tool’s schema can’t be shown as a form." : null,
    tab,
    setTab,
    jsonValid,
    setJsonValid,
    setBroken,
    /** What the tool would not take of these arguments. */
    judged: (): Problem[] => (read.judge ? judge(read.judge, values).map(inField) : []),
    focus: (problem: Problem) => focusProblem(problem, tab),
  };
}
export type EditedArguments = ReturnType<typeof useArguments>;

/** The tool's form and its raw JSON: two views of the same arguments. */
export function ArgumentsTabs({
  edited,
  need = "optional",
  problems,
  onChange,
}: {
  edited: EditedArguments;
  /** How fields that are not required are marked. Null: not at all. */
  need?: "optional" | null;
  problems: Problem[];
  onChange: (values: Json) => void;
}) {
  const { form, reason, values } = edited;
  return (
    <Tabs
      value={edited.tab}
      onChange={(next) => {
        edited.setTab(next);
        // Invalid JSON is lost with its tab: the form shows the last valid arguments.
        edited.setJsonValid(true);
      }}
      tabs={[
        { value: "form", label: "Form" },
        { value: "json", label: "JSON" },
      ]}
    >
      <TabPanel value="form">
        <ArgumentsTab
          form={form}
          reason={reason}
          values={values}
          need={need}
          problems={problems}
          onChange={onChange}
          onBroken={() => {
            edited.setBroken(true);
            edited.setTab("json");
          }}
        />
      </TabPanel>
      <TabPanel value="json">
        {reason && <p className="mb-3 text-[13px] text-muted">{reason} Write the arguments as JSON.</p>}
        <JsonInput
          value={values}
          onChange={(next) => {
            edited.setJsonValid(next !== null);
            if (next) onChange(next);
          }}
        />
      </TabPanel>
    </Tabs>
  );
}

/** Turns the message into a sentence beside its field. */
function inField({ path, message }: Problem): Problem {
  return { path, message: `${capitalise(message)}.` };
}

/** Focuses the field, else the nearest group around it; in the JSON tab, the text. */
function focusProblem({ path }: Problem, tab: string): void {
  const ids = path.map((_, at) => idOf(path.slice(0, path.length - at)));
  const fields = (tab === "json" ? ["arguments-json"] : ids).map((id) => document.getElementById(id));
  fields.find((field) => field !== null)?.focus();
}

/**
 * What the tool does not take, with a link to each invalid field. A message that stands at its field is not said twice; on a
 * phone such fields are not listed either.
 */
export function ProblemList({
  sentence,
  problems,
  edited,
  children,
}: {
  sentence: string | null;
  problems: Problem[];
  edited: EditedArguments;
  /** What did not happen. */
  children: ReactNode;
}) {
  const form = edited.tab === "form" ? edited.form : null;
  if (sentence === null && problems.length === 0) return null;
  // Of several at one field, the first.
  const listed = [...Map.groupBy(problems, ({ path }) => path.join("/")).values()].flatMap(
    ([one]) => one ?? [],
  );
  return (
    <Notice live tone="bad" title={sentence ?? "The tool does not take these arguments."}>
      <ul className="flex max-h-32 flex-wrap gap-x-4 overflow-y-auto empty:hidden">
        {listed.map((problem) => {
          const isAtField = form !== null && showsProblem(form, problem.path);
          return (
            <li key={problem.path.join("/")} className={cn(isAtField && "max-md:hidden")}>
              <Button
                variant="link"
                size="sm"
                className="px-0 text-left"
                onClick={() => edited.focus(problem)}
              >
                {nameOf(problem, form) || "Arguments"}
              </Button>{" "}
              {!isAtField && problem.message}
            </li>
          );
        })}
      </ul>
      {children}
    </Notice>
  );
}

/** The form calls its fields by titles, the JSON by names. */
function nameOf({ path }: Problem, form: Json | null): string {
  return pathInWords(form ? path.map((part) => (typeof part === "string" ? nameInWords(part) : part)) : path);
}

/** The arguments as text. Remounts when its tab opens, so it always starts from the form's values. */
function JsonInput({
  value,
  onChange,
}: {
  value: Record<string, unknown>;
  /** Receives the parsed object, or null while the text is invalid. */
  onChange: (value: Record<string, unknown> | null) => void;
}) {
  const [text, setText] = useState(() => JSON.stringify(value, null, 2));
  const parsed = parse(text);
  return (
    <Field
      id="arguments-json"
      label="Arguments"
      description="A JSON object, sent to the tool as it is."
      hint={hiddenWords(text)}
      error={parsed.error}
      required
    >
      {(control) => (
        <Textarea
          {...control}
          rows={14}
          spellCheck={false}
          className="font-mono text-[13px]"
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            onChange(parse(event.target.value).value);
          }}
        />
      )}
    </Field>
  );
}

function parse(text: string): { value: Record<string, unknown> | null; error?: string } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { value: { ...value } };
    return { value: null, error: "An object is needed: { … }" };
  } catch (error) {
    return { value: null, error: error instanceof Error ? error.message : "This is not JSON" };
  }
}
