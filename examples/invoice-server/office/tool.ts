import { z } from "zod";
import { invalidParams } from "../protocol/rpc.ts";
import type { FormParams } from "../question.ts";
import type { ToolDescription } from "../tasks.ts";
import { IDEMPOTENCY_KEY } from "../tool.ts";

/** An office tool. Each one is a file of tools/: its question, and the meaning of its answers. */
export type OfficeTool<A> = {
  name: string;
  title: string;
  description: string;
  arguments: z.ZodType<A>;
  annotations?: Partial<ToolDescription["annotations"]>;
  /** The task's status messages: before the question, while it is open, and after. */
  saying: { before: string; asking: string; after: string };
  /** The deadline of the question; by default INVOICE_ANSWER_WITHIN_MS after asking. */
  deadline?: (args: A) => Date;
  /** Returns how the task ends without a question, or null if a person must be asked. */
  endsBy?: (args: A) => Ending | null;
  question?: OfficeQuestion<A>;
};

type OfficeQuestion<A> =
  | {
      mode: "form";
      /** `round`: how many times the question has changed while open. */
      ask: (args: A, round: number) => Omit<FormParams, "mode">;
      /** The schema of valid answers; all others are refused. */
      answer: (args: A, round: number) => z.ZodType<Ending>;
      /** How many times the question changes, each time a while after it was shown. */
      changes: number;
    }
  | { mode: "url"; message: (args: A) => string; page: (args: A) => Page };

/** A page with two buttons: the first ends the task successfully, the second does not. */
export type Page = {
  title: string;
  lead: string;
  facts: [label: string, value: string][];
  choices: [Choice, Choice];
};
type Choice = { label: string; ending: Ending };

/** The tool's result. `status` is its outcome in a word or two. */
export type Ending = { status: string; text: string; details?: Record<string, unknown>; isError?: true };

// biome-ignore lint/suspicious/noExplicitAny: the arguments of a tool are its own business
export type AnyOfficeTool = OfficeTool<any>;

export function describeTool({ name, title, description, arguments: schema, annotations }: AnyOfficeTool) {
  return {
    name,
    title,
    description,
    inputSchema: z.toJSONSchema(schema, { io: "input" }) as ToolDescription["inputSchema"],
    annotations: {
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
      openWorldHint: false,
      ...annotations,
    },
    _meta: { [IDEMPOTENCY_KEY]: true },
  } satisfies ToolDescription;
}

/** Returns the arguments as the tool's schema parses them. Throws -32602. */
export function readArguments<A>({ name, arguments: schema }: OfficeTool<A>, args: unknown): A {
  const parsed = schema.safeParse(args ?? {});
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => ({ path: path.join("."), message }));
  const words = issues.map(({ path, message }) => `${path}: ${message}`).join("; ");
  throw invalidParams(`Invalid arguments for ${name}: ${words}`, { issues });
}

/** Returns `$1,234.50`; other currencies are formatted by their ISO codes. */
export function money(amount: number, currency = "USD"): string {
  return new Intl.NumberFormat("en-US", { style: "currency", currency }).format(amount);
}

/** Adds amounts in cents, without the errors of binary fractions. */
export function sum(amounts: number[]): number {
  return amounts.reduce((cents, amount) => cents + Math.round(amount * 100), 0) / 100;
}

export const text = (title: string, most = 200) => z.string().trim().min(1).max(most).meta({ title });
export const amount = (title: string) => z.number().min(0.01).max(1_000_000_000).meta({ title });
export const day = (title: string) => z.iso.date().meta({ title });
