"use client";

import { ArrowDown, ArrowUp, Plus, Trash2 } from "lucide-react";
import { useRef, useState } from "react";
import { useSave } from "@/components/form/change.ts";
import { Button } from "@/components/ui/button.tsx";
import { FieldErrorLine, Input } from "@/components/ui/field.tsx";
import { type DeclineReasons, declineReasonsSchema } from "@/lib/people/organizations/organization-schema.ts";
import { ApiError, api, errorSentence } from "@/lib/web/client/base/client.ts";
import { declineReasons } from "@/lib/web/client/organization.ts";
import { Section } from "../section.tsx";

const MOST = 20;

interface Row {
  key: number;
  text: string;
}

let keys = 0;
const toRow = (text: string): Row => ({ key: keys++, text });

/** Adds, edits, orders and removes the reasons for declining; one press saves all. */
export function ReasonsEditor({ saved }: { saved: string[] }) {
  const [rows, setRows] = useState(() => saved.map(toRow));
  const [problems, setProblems] = useState<Record<number, string>>({});
  const list = useRef<HTMLOListElement>(null);
  const save = useSave(
    declineReasons().queryKey,
    (value: DeclineReasons) => api.put<DeclineReasons>("/api/v1/decline-reasons", value),
    { done: "Reasons saved" },
  );
  const texts = rows.map((row) => row.text.trim());
  const changed = JSON.stringify(texts) !== JSON.stringify(saved);
  const focus = (at: number, what: string) =>
    requestAnimationFrame(() =>
      list.current?.children[at]?.querySelector<HTMLElement>(`[data-part=${what}]`)?.focus(),
    );
  const move = (at: number, by: -1 | 1) => {
    const next = [...rows];
    const [row] = next.splice(at, 1);
    if (row) next.splice(at + by, 0, row);
    setRows(next);
    setProblems({});
    // At the end of the list the pressed button is disabled, so the focus moves to the other one.
    const ended = at + by === 0 || at + by === rows.length - 1;
    focus(at + by, (by === -1) !== ended ? "up" : "down");
  };
  const submit = () => {
    const parsed = declineReasonsSchema.safeParse({ reasons: texts });
    if (!parsed.success) {
      const found = problemsOf(texts, parsed.error.issues);
      setProblems(found);
      return focus(Number(Object.keys(found)[0] ?? 0), "text");
    }
    setProblems({});
    save.mutate(parsed.data, { onSuccess: ({ reasons }) => setRows(reasons.map(toRow)) });
  };
  return (
    <Section
      title="Reasons for declining"
      description="Shown as choices to people who decline a request, in this order. The reason is kept in Intray. Servers do not get it."
    >
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        {rows.length === 0 && <p className="text-muted">None. People who decline write their own reason.</p>}
        <ol ref={list} className="flex flex-col gap-2">
          {rows.map((row, at) => (
            <li key={row.key} className="flex flex-col gap-1">
              <div className="flex items-center gap-1">
                <Input
                  data-part="text"
                  aria-label={`Reason ${at + 1}`}
                  aria-invalid={problems[at] ? true : undefined}
                  aria-describedby={problems[at] ? `reason-${at}` : undefined}
                  maxLength={200}
                  value={row.text}
                  onChange={(event) =>
                    setRows(rows.map((each) => (each === row ? { ...each, text: event.target.value } : each)))
                  }
                  className="mr-1"
                />
                <Tool
                  part="up"
                  label={`Move ${nameOf(row, at)} up`}
                  disabled={at === 0}
                  onClick={() => move(at, -1)}
                >
                  <ArrowUp aria-hidden strokeWidth={1.75} />
                </Tool>
                <Tool
                  part="down"
                  label={`Move ${nameOf(row, at)} down`}
                  disabled={at === rows.length - 1}
                  onClick={() => move(at, 1)}
                >
                  <ArrowDown aria-hidden strokeWidth={1.75} />
                </Tool>
                <Tool
                  part="remove"
                  label={`Remove ${nameOf(row, at)}`}
                  onClick={() => {
                    setRows(rows.filter((each) => each !== row));
                    setProblems({});
                    focus(Math.min(at, rows.length - 2), "remove");
                  }}
                >
                  <Trash2 aria-hidden strokeWidth={1.75} />
                </Tool>
              </div>
              {problems[at] && <FieldErrorLine id={`reason-${at}`} message={problems[at]} />}
            </li>
          ))}
        </ol>
        {save.isError && (
          <p role="alert" className="text-bad">
            {save.error instanceof ApiError && save.error.errors[0]
              ? save.error.errors[0].message
              : errorSentence(save.error)}
          </p>
        )}
        <div className="flex flex-wrap gap-2">
          <Button
            disabled={rows.length >= MOST}
            title={rows.length >= MOST ? `${MOST} are the most` : undefined}
            onClick={() => {
              setRows([...rows, toRow("")]);
              focus(rows.length, "text");
            }}
          >
            <Plus aria-hidden strokeWidth={1.75} />
            Add a reason
          </Button>
          <Button type="submit" variant="primary" disabled={!changed || save.isPending}>
            {save.isPending ? "Saving…" : "Save reasons"}
          </Button>
          {changed && (
            <Button
              variant="ghost"
              onClick={() => {
                setRows(saved.map(toRow));
                setProblems({});
              }}
            >
              Discard changes
            </Button>
          )}
        </div>
      </form>
    </Section>
  );
}

function Tool({
  part,
  label,
  ...props
}: { part: string; label: string } & React.ComponentProps<typeof Button>) {
  return <Button variant="ghost" size="icon" data-part={part} aria-label={label} title={label} {...props} />;
}

function nameOf(row: Row, at: number): string {
  return row.text.trim() ? `“${row.text.trim()}”` : `reason ${at + 1}`;
}

/** Errors by row; a duplicate is reported at its second occurrence. */
function problemsOf(
  texts: string[],
  issues: { path: PropertyKey[]; message: string }[],
): Record<number, string> {
  const found: Record<number, string> = {};
  for (const { path, message } of issues) {
    const second = texts.findIndex((text, at) => texts.indexOf(text) !== at);
    found[typeof path[1] === "number" ? path[1] : Math.max(0, second)] = message;
  }
  return found;
}
