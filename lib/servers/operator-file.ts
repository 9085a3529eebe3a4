/**
 * Servers defined by the installation's operator, in the file at INTRAY_SERVERS_FILE, in the `mcpServers`
 * format of MCP hosts. Commands, environments and headers stay in the file: the database stores only the
 * entry's name.
 */

import { readFileSync } from "node:fs";
import { z } from "zod";
import { ConfigurationError, env } from "../base/env.ts";
import { onePerProcess } from "../base/process/process-wide.ts";
import type { CommandEndpoint, Endpoint, HttpEndpoint } from "../mcp/peer.ts";
import { PeerError } from "../mcp/peer-error.ts";
import { SLUG } from "../text/slug.ts";
import { blockShape, commandShape, httpShape, kindOfEntry } from "./mcp-servers.ts";
import { problemsOf } from "./recipes/check.ts";
import { MOST_RECIPES, type Recipe, recipeSchema } from "./recipes/recipe-schema.ts";
import { type EraSetting, eraSettingSchema, serverName } from "./server-schema.ts";

/** One entry. Its endpoint may contain secrets: never log, store or show it. */
export interface OperatorServer {
  /** The key in the file, to which the rows of organizations refer. */
  entry: string;
  name: string;
  era: EraSetting;
  /** Slugs of the organizations that may use the server. */
  organizations: ReadonlySet<string>;
  endpoint: Endpoint;
  recipes: readonly Recipe[];
}

/** Servers by entry, in the file's order. */
export type OperatorServers = ReadonlyMap<string, OperatorServer>;

/** Thrown if the file does not give the server to the organization (any more). The message is public. */
export class EntryGone extends PeerError {
  constructor() {
    super("address_not_allowed", "no", "The operator has removed this server's entry.");
    this.name = "EntryGone";
  }
}

/** Returns the file's servers, as read at the first call; empty without a file. Throws ConfigurationError. */
export const operatorServers: () => OperatorServers = onePerProcess("operator's servers", () => {
  const { serversFile } = env();
  return serversFile === undefined ? new Map() : parseServersFile(read(serversFile));
});

/** Throws ConfigurationError: one sentence that names the entry and its mistake, but never a value. */
export function parseServersFile(text: string): OperatorServers {
  const { mcpServers } = orThrow("", fileSchema.safeParse(parseJson(text)));
  return new Map(
    Object.entries(mcpServers).map(([entry, value]) => {
      const { name = entry, era, organizations, disabled, recipes, ...where } = parseEntry(entry, value);
      const given = new Set(disabled ? [] : organizations);
      refuseUnreadable(entry, recipes);
      return [entry, { entry, name, era, organizations: given, endpoint: endpointAt(where), recipes }];
    }),
  );
}

const fileSchema = z.strictObject(blockShape);
const common = {
  name: serverName.optional(),
  era: eraSettingSchema.default("auto"),
  organizations: z.array(z.string().regex(SLUG, "is no slug of an organization")).default([]),
  disabled: z.boolean().default(false),
  recipes: z.array(recipeSchema).max(MOST_RECIPES).default([]),
};
/** Higher numbers are probably typing errors, since each process takes memory. */
const MOST_PROCESSES = 64;
const processes = z.int().min(1).max(MOST_PROCESSES).optional();
const commandSchema = z.strictObject({ ...common, ...commandShape, processes });
const httpSchema = z.strictObject({ ...common, ...httpShape });

type Entry = z.infer<typeof commandSchema> | z.infer<typeof httpSchema>;

function parseEntry(entry: string, value: unknown): Entry {
  const where = ` entry ${JSON.stringify(entry)}:`;
  const kind = kindOfEntry(value);
  if (kind === null) throw wrong(where, "needs either a command or a url");
  return kind === "command"
    ? orThrow(where, commandSchema.safeParse(value))
    : orThrow(where, httpSchema.safeParse(value));
}

function refuseUnreadable(entry: string, recipes: Recipe[]): void {
  const names = new Set<string>();
  for (const recipe of recipes) {
    const where = ` entry ${JSON.stringify(entry)}: recipe ${recipe.name}:`;
    if (names.has(recipe.name)) throw wrong(where, "another one has this name");
    names.add(recipe.name);
    const [problem] = problemsOf(recipe);
    if (problem) throw wrong(where, `${problem.field}: ${problem.message}`);
  }
}

function endpointAt(where: CommandEndpoint | HttpEndpoint): Endpoint {
  if ("command" in where) {
    const { command, args, env, processes } = where;
    return { command, args, env, ...(processes !== undefined && { processes }) };
  }
  // In lower case, so that they replace the wire's own headers instead of duplicating them.
  const headers = Object.entries(where.headers).map(([name, value]) => [name.toLowerCase(), value]);
  return { url: where.url, headers: Object.fromEntries(headers) };
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw wrong("", `can't be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The error's message quotes the text, which may contain secrets.
    const [where] = /line \d+ column \d+/.exec((error as Error).message) ?? [];
    throw wrong("", `is not JSON${where ? ` (${where})` : ""}`);
  }
}

function orThrow<T>(where: string, parsed: z.ZodSafeParseResult<T>): T {
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw wrong(where, [issue?.path.join("."), issue?.message].filter(Boolean).join(": "));
}

function wrong(where: string, what: string): ConfigurationError {
  return new ConfigurationError(`INTRAY_SERVERS_FILE:${where} ${what}.`);
}
