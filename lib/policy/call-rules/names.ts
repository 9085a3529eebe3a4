/** Whether the tools and servers that rules name are there: a rule about others matches no call, and nobody would notice. Pure. */
import { HOOK_PROGRAMS } from "../../agents/hook-programs.ts";
import { prefixFor, toolName } from "../../agents/tool-names.ts";
import type { FieldError } from "../../base/errors.ts";
import { shorten } from "../../text/labels.ts";
import type { ComparedText } from "../../text/rules/compared.ts";
import type { CallRule } from "./call-rule-schema.ts";
import { callLanguage } from "./facts.ts";

/** A server, and what it listed last. */
export interface ListedServer {
  id: string;
  name: string;
  /** Of its tools' names as agents see them; null: no agent was offered one yet. */
  prefix: string | null;
  /** Names of tools and recipes. */
  tools: string[];
}

/** Comparisons of a part of a name that are looked up at a time: each goes through all names. */
const MOST_SEARCHES = 50;

/**
 * Names that no server and no tool has, by their place in the body. `mistaken`: names that agents see in place of the right
 * ones. `unknown`: any other, which a server may come to have.
 */
export function oddNames(
  rules: CallRule[],
  servers: ListedServer[],
): { mistaken: FieldError[]; unknown: FieldError[] } {
  const all = namesOf(servers);
  const asSeen = once(() => offeredNames(servers));
  const mistaken: FieldError[] = [];
  const unknown: FieldError[] = [];
  let searches = 0;
  for (const [at, { tools, servers: chosen, when }] of rules.entries()) {
    const meant = chosen.length > 0 ? servers.filter(({ id }) => chosen.includes(id)) : servers;
    const names = meant.length < servers.length ? namesOf(meant) : all;
    const listed = tools.map((text, place) => ({
      field: `rules.${at}.tools.${place}`,
      property: "tool.name",
      by: "equals" as const,
      text,
    }));
    for (const { field, ...compared } of [...listed, ...inCondition(when, `rules.${at}.when`)]) {
      if (isPrograms(compared)) continue;
      if (compared.by !== "equals" && ++searches > MOST_SEARCHES) continue;
      if (names(compared) !== null) continue;
      const isElsewhere = names !== all && all(compared) !== null;
      const seen = isElsewhere ? null : asSeen()(compared);
      if (seen) mistaken.push({ field, message: rightWords(compared, seen) });
      else unknown.push({ field, message: unknownWords(compared, names !== all) });
    }
  }
  return { mistaken, unknown };
}

/**
 * Tools of coding agents, and those agents as servers, which hooks ask about: no server lists them. In Claude Code, Codex, and Gemini
 * CLI, the name of a server's tool begins with `mcp_`.
 */
const PROGRAMS: ReadonlySet<string> = new Set(Object.values(HOOK_PROGRAMS));
const PROGRAMS_TOOLS = new Set([
  // Claude Code and Codex
  ...["Bash", "Edit", "MultiEdit", "Write", "Read", "Glob", "Grep", "LS", "NotebookEdit", "WebFetch"],
  ...["WebSearch", "Agent", "Task", "TodoWrite", "Skill", "SlashCommand", "ExitPlanMode", "PowerShell"],
  "apply_patch",
  // Gemini CLI
  ...["run_shell_command", "write_file", "replace", "read_file", "read_many_files", "list_directory"],
  ...["grep_search", "google_web_search", "save_memory", "write_todos"],
  // Copilot CLI and opencode
  ...["bash", "powershell", "view", "create", "edit", "write", "read", "list", "glob", "grep", "rg", "task"],
  ...["web_fetch", "webfetch", "web_search", "websearch", "todowrite", "skill", "sql"],
]);

function isPrograms({ property, text }: ComparedText): boolean {
  if (property === "server.name") return PROGRAMS.has(text);
  return property === "tool.name" && (PROGRAMS_TOOLS.has(text) || text.startsWith("mcp_"));
}

function inCondition(when: string | null, field: string): (ComparedText & { field: string })[] {
  const read = when === null ? null : callLanguage.read(when);
  if (!read || "problem" in read) return [];
  const { compared } = read.condition;
  return compared
    .filter(({ property }) => Object.hasOwn(NOUNS, property))
    .map((each) => ({ ...each, field }));
}

/** What is looked up, and how a sentence calls one. */
const NOUNS: Record<string, string> = {
  "tool.name": "tool",
  "server.name": "server",
  "server.id": "server",
};

/** Looks a comparison up: what fits, or null. */
type Names<T> = (compared: ComparedText) => T | null;

function namesOf(servers: ListedServer[]): Names<string> {
  const lists = new Map(
    Object.keys(NOUNS).map((property) => [
      property,
      once(() => lookup(valuesOf(property, servers).map((name) => ({ name })))),
    ]),
  );
  return (compared) => lists.get(compared.property)?.()(compared)?.name ?? null;
}

function valuesOf(property: string, servers: ListedServer[]): string[] {
  if (property === "tool.name") return servers.flatMap(({ tools }) => tools);
  return servers.map(({ id, name }) => (property === "server.id" ? id : name));
}

/** A whole name is found at once, a part of one by going through all. */
function lookup<T extends { name: string }>(items: T[]): Names<T> {
  const byName = new Map(items.map((item) => [item.name, item]));
  return ({ by, text }) => {
    if (by === "equals") return byName.get(text) ?? null;
    return items.find(({ name }) => (by === "contains" ? name.includes(text) : name[by](text))) ?? null;
  };
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** A name as agents see it, and in words what it stands for. */
interface Offered {
  name: string;
  words: string;
}

/** As agents see them: tools by their whole name, servers by its beginning. */
function offeredNames(servers: ListedServer[]): Names<Offered> {
  const taken = new Set(servers.flatMap(({ prefix }) => prefix ?? []));
  const prefixed = servers.map((server) => ({
    ...server,
    prefix: server.prefix ?? prefixFor(server, taken),
  }));
  const ofServers = lookup(prefixed.map(({ name, prefix }) => ({ name: prefix, words: `“${name}”` })));
  const ofTools = lookup(
    prefixed.flatMap(({ name, prefix, tools }) =>
      tools.map((tool) => ({ name: toolName(prefix, tool), words: `“${tool}” of ${name}` })),
    ),
  );
  return (compared) => {
    if (compared.property === "tool.name") return ofTools(compared);
    return compared.property === "server.name" ? ofServers(compared) : null;
  };
}

function rightWords({ property }: ComparedText, { name, words }: Offered): string {
  const owner = property === "tool.name" ? "its server calls it" : "it is called in Intray";
  return `A rule names a ${NOUNS[property]} as ${owner}: ${words}, not “${name}” as agents see it`;
}

const BY_WORDS: Record<ComparedText["by"], string> = {
  equals: "is called",
  startsWith: "has a name that begins with",
  endsWith: "has a name that ends with",
  contains: "has a name that contains",
};

function unknownWords({ property, by, text }: ComparedText, amongChosen: boolean): string {
  const words = property === "server.id" ? "has the id" : BY_WORDS[by];
  const among = amongChosen ? (property === "tool.name" ? " of these servers" : " of those chosen") : "";
  return `No ${NOUNS[property]}${among} ${words} “${shorten(text, 100)}”`;
}
