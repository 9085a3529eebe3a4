/** The form of `AskDialog`, read as the body of POST /api/v1/requests. Pure. */
import { z } from "zod";
import { createRequestSchema } from "@/lib/lifecycle/human-tasks/human-task-schema.ts";
import { readExactNumber } from "@/lib/text/exact-number.ts";

/** What a question is answered with. */
export type AnswerKind = "text" | "yes_no" | "choice";

interface ReadAsk {
  body: Record<string, unknown>;
  /** What is wrong with fields that the body does not have as they are typed. */
  problems: { field: string; message: string }[];
}

/** The body, judged as the API judges it, with the problems of the form's own fields. */
export const askFormSchema = z.custom<ReadAsk>().transform(({ body, problems }, context) => {
  for (const { field, message } of problems) context.addIssue({ code: "custom", path: [field], message });
  const parsed = createRequestSchema.safeParse(body);
  for (const { path, message } of parsed.error?.issues ?? [])
    context.addIssue({ code: "custom", path, message });
  return parsed.data ?? z.NEVER;
});

/** Returns the form's values; an empty field is left out. */
export function readAsk(data: FormData, kind: "approval" | "question", answer: AnswerKind): ReadAsk {
  const text = (name: string) => String(data.get(name) ?? "").trim();
  const lines = (name: string) =>
    text(name)
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "");
  const [isApproval, choices] = [kind === "approval", lines("choices")];
  const amount = isApproval && text("amount") !== "" ? readExactNumber(text("amount")) : null;
  const details = factsOf(lines("details"));
  const links = lines("links");
  const given = {
    to: text("to"),
    label: text("label"),
    expiresAt: moment(text("expiresAt")),
    currency: isApproval ? text("currency") : "",
  };
  return {
    body: {
      kind,
      message: text("message"),
      ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== "")),
      ...(amount && "value" in amount && { amount: amount.value }),
      ...(Object.keys(details).length > 0 && { details }),
      ...(links.length > 0 && { links }),
      ...(!isApproval && { form: formOf(answer, choices) }),
    },
    problems: [
      ...(amount && "error" in amount ? [{ field: "amount", message: amount.error }] : []),
      ...(!isApproval && answer === "choice" && new Set(choices).size < 2
        ? [{ field: "choices", message: "Write two choices or more, one a line" }]
        : []),
    ],
  };
}

/** `Vendor: ACME` is a fact of that name; a line without a name is a note. */
function factsOf(lines: string[]): Record<string, string> {
  const named = lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    return colon > 0 ? [line.slice(0, colon).trim(), line.slice(colon + 1).trim()] : ["Note", line];
  });
  const facts: Record<string, string> = {};
  for (const [name, value] of named)
    facts[name] = Object.hasOwn(facts, name) ? `${facts[name]}\n${value}` : value;
  return facts;
}

function formOf(answer: AnswerKind, choices: string[]): Record<string, unknown> {
  const property = {
    text: { type: "string", title: "Answer" },
    yes_no: { type: "boolean", title: "Answer" },
    choice: { type: "string", title: "Answer", enum: [...new Set(choices)] },
  }[answer];
  return { type: "object", properties: { answer: property }, required: ["answer"] };
}

/** A time without a zone is meant where the person is. */
function moment(typed: string): string {
  const at = new Date(typed);
  return typed === "" || Number.isNaN(at.getTime()) ? typed : at.toISOString();
}
