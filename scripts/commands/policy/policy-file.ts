/** A policy in a file, as the screen has it: JSON, or YAML by the file's ending, with `$schema` for editors. */
import { readFile } from "node:fs/promises";
import { AppError, type FieldError } from "../../../lib/base/errors.ts";
import { keyTwice } from "../../../lib/policy/json-keys.ts";
import { type Policy, policyInputSchema } from "../../../lib/policy/policy-schema.ts";
import { readYaml } from "../../../lib/policy/yaml.ts";
import { CommandError } from "../usage.ts";

/** Throws CommandError with the place of each problem. */
export async function readPolicyFile(path: string): Promise<Policy> {
  const { $schema: _, ...given } = objectIn(path, await textOf(path));
  const parsed = policyInputSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw invalidPolicy(
    path,
    parsed.error.issues.map(({ path: place, message }) => ({ field: place.join("."), message })),
  );
}

/** Runs `work`, and tells the problems of a policy that is refused, each with its place. */
export async function withPlaces<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof AppError && error.errors ? invalidPolicy(path, error.errors) : error;
  }
}

export function invalidPolicy(path: string, errors: FieldError[]): CommandError {
  const lines = errors.map(({ field, message }) => `  ${field || "(the whole)"}: ${message}`);
  return new CommandError([`${path} is no valid policy:`, ...lines].join("\n"));
}

/** Whether a file of this name is YAML. */
export function isYaml(path: string): boolean {
  return /\.ya?ml$/i.test(path);
}

function objectIn(path: string, text: string): Record<string, unknown> {
  const value = isYaml(path) ? yamlIn(path, text) : jsonIn(path, text);
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw new CommandError(`${path} is no policy: it is not an object.`);
}

function yamlIn(path: string, text: string): unknown {
  const read = readYaml(text);
  if ("value" in read) return read.value;
  const { message, at } = read.mistake;
  throw new CommandError(`${path} can't be read as YAML: line ${lineOf(text, at)}: ${message}`);
}

function jsonIn(path: string, text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new CommandError(`${path} is not JSON: ${(error as Error).message}`, { cause: error });
  }
  const twice = keyTwice(text);
  if (twice) throw new CommandError(`${path}, line ${lineOf(text, twice.at)}: “${twice.key}” is there twice`);
  return value;
}

const lineOf = (text: string, at: number) => text.slice(0, at).split("\n").length;

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code ? new CommandError(`${path}: ${code}.`, { cause: error }) : error;
  }
}
