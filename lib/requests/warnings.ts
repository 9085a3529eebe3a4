/** What a person should see before accepting a request, judged when the question is captured. Pure. */

import { z } from "zod";
import type { Form } from "../mcp/forms/form.ts";
import { isLongOverdue, judgeFigures } from "../text/facts/figure-warnings.ts";
import { DEFAULT_LOCALE, formatsOf } from "../text/formats/formats.ts";
import { momentOf } from "../text/time.ts";
import { destructionOf } from "./destruction.ts";
import { type RequestWarning, requestWarningSchema } from "./request-schema.ts";

export interface JudgedQuestion {
  /** The warnings that stand as long as the question does. */
  warnings: Exclude<RequestWarning, "overdue">[];
  /** The earliest due date of the call; null if it has none. */
  dueAt: Date | null;
}

export function judgeQuestion(question: {
  destructive: unknown;
  tool: string;
  message: string;
  form: Form;
  arguments: Record<string, unknown>;
}): JudgedQuestion {
  const { differences, dueDates } = judgeFigures(
    question.arguments,
    question.message,
    // The words are not kept: each person's page makes its own.
    formatsOf(DEFAULT_LOCALE),
  );
  const destructive = typeof question.destructive === "boolean" ? question.destructive : null;
  return {
    warnings: [
      ...(destructionOf({ ...question, destructive }) ? (["destructive"] as const) : []),
      ...new Set(differences.map(({ kind }) => kind)),
    ],
    dueAt: dueDates[0] === undefined ? null : new Date(momentOf(dueDates[0])),
  };
}

/** The warnings of a stored question at a time: what is due becomes overdue. */
export function warningsAt(
  stored: { warnings: string[]; dueAt: Date | null },
  now: number,
): RequestWarning[] {
  const warnings = z.array(requestWarningSchema).parse(stored.warnings);
  return stored.dueAt && isLongOverdue(stored.dueAt, now) ? [...warnings, "overdue"] : warnings;
}
