/** What a press on a button of Intray's asks for, on any platform. Pure. */
import { z } from "zod";
import type { OfferedButton } from "./offer.ts";

/** Stands in a button. `questionHash`: of the question that was shown. */
export const pressValueSchema = z.object({
  request: z.uuid(),
  questionHash: z.string(),
  kind: z.enum(["accept", "change", "decline", "revise"]),
  content: z.record(z.string(), z.unknown()).nullable(),
});
export type PressValue = z.infer<typeof pressValueSchema>;

/** Stands in a window: also the conversation and the message whose button opened it, by the platform's own ids. */
const windowValueSchema = pressValueSchema.extend({ channel: z.string(), ts: z.string() });

export const pressSchema = windowValueSchema.extend({
  /** Null: the button itself was pressed. */
  reason: z.string().nullable(),
  /** Of a call that is approved with changes: its arguments, as they were typed. */
  typed: z.record(z.string(), z.string()).nullable(),
  /** Of Slack: opens one window, within three seconds. */
  triggerId: z.string().optional(),
});
export type StoredPress = z.infer<typeof pressSchema>;

/** What a window of the platform has to ask for. */
export interface Asking {
  button: OfferedButton;
  value: z.infer<typeof windowValueSchema>;
  /** The tool and the server. */
  about: string;
  fields: WindowField[];
}

/** A field of a window. `id`: also of what was typed in it. */
export interface WindowField {
  id: string;
  label: string;
  required: boolean;
  kind: "text" | "long text" | "number" | "date" | "yes or no";
  /** As it stands there at first. */
  value: string;
}

const REASON = "reason";
const ARGUMENT = "argument ";

/** Asks why. */
export function askReason(button: OfferedButton, press: StoredPress, about: string): Asking {
  const { kind, reason } = button;
  const label = kind === "revise" ? "What to change" : "Reason";
  const field = { id: REASON, label, required: reason === "required", kind: "long text", value: "" } as const;
  return { button, value: windowValue(press), about, fields: [field] };
}

/** As of an answer's comment. */
export const REASON_CHARACTERS = 3_000;

/** Asks for the arguments of a call, which `shownArguments` let pass. */
export function askChange(
  button: OfferedButton,
  press: StoredPress,
  about: string,
  args: Record<string, unknown>,
): Asking {
  const fields = Object.entries(args).flatMap(([name, value]): WindowField[] => {
    const kind = kindOf(value);
    return kind ? [{ id: ARGUMENT + name, label: name, required: false, kind, value: String(value) }] : [];
  });
  return { button, value: windowValue(press), about, fields };
}

const windowValue = ({ request, questionHash, kind, content, channel, ts }: StoredPress) => ({
  ...{ request, questionHash, kind, content, channel, ts },
});

function kindOf(value: unknown): WindowField["kind"] | null {
  switch (typeof value) {
    case "boolean":
      return "yes or no";
    case "number":
      return "number";
    case "string":
      return /^\d{4}-\d{2}-\d{2}$/.test(value) ? "date" : "text";
    default:
      return null;
  }
}

/** The press of a window that was sent. `typed`: the texts of its fields by their ids. */
export function pressOfWindow(value: unknown, typed: Record<string, string>): StoredPress | null {
  const sent = windowValueSchema.safeParse(value).data;
  if (!sent) return null;
  const args = Object.entries(typed).flatMap(([id, text]): [string, string][] =>
    id.startsWith(ARGUMENT) ? [[id.slice(ARGUMENT.length), text]] : [],
  );
  const reason = Object.hasOwn(typed, REASON) ? (typed[REASON]?.trim() ?? "") : "";
  return { ...sent, reason, typed: sent.kind === "change" ? Object.fromEntries(args) : null };
}

/** The arguments with what was typed, each of the type that it had. Null: a number is none, or has no exact value. */
export function changedBy(
  args: Record<string, unknown>,
  typed: Record<string, string>,
): Record<string, unknown> | null {
  const changed = Object.entries(args).map(([name, value]): [string, unknown] => {
    const text = Object.hasOwn(typed, name) ? typed[name] : undefined;
    if (text === undefined) return [name, value];
    if (typeof value === "boolean") return [name, text === "true"];
    return [name, typeof value === "number" ? exactNumber(text) : text];
  });
  return changed.some(([, value]) => value === INEXACT) ? null : Object.fromEntries(changed);
}

const INEXACT = Symbol("inexact");

function exactNumber(text: string): number | typeof INEXACT {
  const value = Number(text);
  const isExact = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
  return text.trim() !== "" && isExact ? value : INEXACT;
}
