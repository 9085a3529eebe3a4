/** Server only: judges the arguments of a tool, and refuses those that it does not take. */

import { aside } from "../../base/aside/aside.ts";
import { AppError, FIELD_CHARACTERS, type FieldError } from "../../base/errors.ts";
import { type ArgumentsCheck, MAX_ERRORS, type validateTexts } from "./arguments.ts";

/** Throws `invalid_arguments`. */
export function refuseArguments(args: Record<string, unknown>, check: ArgumentsCheck): void {
  const errors = unreadableIn(args);
  // An unchecked schema uses features that Intray does not read, so the server has to judge.
  if (check.checked) errors.push(...check.errors);
  if (errors.length > 0)
    throw new AppError("invalid_arguments", "The arguments do not fit the tool.", {
      errors: errors.slice(0, MAX_ERRORS),
    });
}

/**
 * Finds what people would read otherwise than it is sent; of many the first. JSON.parse may have rounded a large number, and React and
 * react-query drop a member `__proto__` on its way to the screen.
 */
export function unreadableIn(value: unknown, field = "", found: FieldError[] = []): FieldError[] {
  if (typeof value === "number" && (!Number.isFinite(value) || isLarge(value)))
    found.push({
      field,
      message: `${field || "A number"} is too large to be sent exactly. It can be sent as a text.`,
    });
  if (typeof value !== "object" || value === null) return found;
  for (const [key, inner] of Object.entries(value)) {
    if (found.length >= MAX_ERRORS) break;
    const path = (Array.isArray(value) ? `${field}[${key}]` : field ? `${field}.${key}` : key).slice(
      0,
      FIELD_CHARACTERS,
    );
    if (key === "__proto__")
      found.push({ field: path, message: `${path} can’t be shown, so the call has to be made without it.` });
    unreadableIn(inner, path, found);
  }
  return found;
}

const isLarge = (value: number) => Number.isInteger(value) && !Number.isSafeInteger(value);

/** Processor time. The server judges whatever takes longer. */
const MOST_MS = 1_000;

const judge = aside<typeof validateTexts>("lib/mcp/forms/arguments.ts", "validateTexts", MOST_MS);

/**
 * As `validateArguments`, in a process of its own, since a server's schema may make it cost anything. Arguments are not checked if
 * that takes too long or many wait for it.
 */
export async function judgeArguments(
  organizationId: string,
  inputSchema: Record<string, unknown>,
  args: unknown,
): Promise<ArgumentsCheck> {
  // As texts, which are copied in a fraction of the time.
  const outcome = await judge(organizationId, JSON.stringify(inputSchema), JSON.stringify(args ?? null));
  if (outcome.done) return outcome.value;
  const why =
    outcome.why === "busy" ? "Too many checks were waiting" : "The check took too much time or memory";
  return { checked: false, reason: why };
}
