import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { roleSchema } from "../../lib/access/access-schema.ts";
import type { Role } from "../../lib/access/roles.ts";

/** Called wrongly; the usage is shown. */
export class UsageError extends Error {}

/** A failure that one sentence explains. `result` still goes to stdout. */
export class CommandError extends Error {
  readonly result: string | undefined;
  constructor(message: string, options: { result?: string; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.result = options.result;
  }
}

/** Reads options by name, all of them texts, and exactly `words` words beside them. Throws UsageError. */
export function read<Name extends string>(args: string[], names: readonly Name[], words = 0) {
  const options: ParseArgsOptionsConfig = Object.fromEntries(
    names.map((name) => [name, { type: "string" as const }]),
  );
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true, strict: true });
    if (positionals.length !== words)
      throw new Error(`Expected ${words} word(s), got ${positionals.length}.`);
    return { values: values as Partial<Record<Name, string>>, words: positionals };
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** Takes a switch out of the arguments. */
export function takeSwitch(args: string[], name: string): { isSet: boolean; rest: string[] } {
  return { isSet: args.includes(name), rest: args.filter((arg) => arg !== name) };
}

/** Takes every `--name value` and `--name=value` out of the arguments. Throws UsageError for one without a value. */
export function takeEvery(args: string[], name: string): { values: string[]; rest: string[] } {
  const values: string[] = [];
  const rest: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg !== name && !arg.startsWith(`${name}=`)) rest.push(arg);
    else values.push(required(arg === name ? args[++at] : arg.slice(name.length + 1), name));
  }
  return { values, rest };
}

export function required(value: string | undefined, name: string): string {
  if (!value?.trim()) throw new UsageError(`${name} is missing.`);
  return value.trim();
}

export function readRole(value: string | undefined): Role {
  const role = roleSchema.safeParse(required(value, "--role"));
  if (!role.success)
    throw new UsageError(`--role: "${value}" is none of owner, admin, operator, approver, viewer.`);
  return role.data;
}
