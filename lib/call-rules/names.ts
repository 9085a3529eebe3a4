/** Whether the tools and servers that rules name are there: a rule about others matches no call, and nobody would notice. Pure. */
import { prefixFor, toolName } from "../agents/tool-names.ts";
import type { FieldError } from "../base/errors.ts";
import type { ComparedText } from "../rules/compared.ts";
import { shorten } from "../text/labels.ts";
import { callLanguage } from "./facts.ts";
import type { CallRule } from "./schema.ts";

/** A server, and what it listed last. */
export interface ListedServer {
  id: string;
  name: string;
  /** Of its tools' names as agents see them; null: no agent was offered one yet. */
  prefix: string | null;
  /** Names of tools and recipes. */
  tools: string[];
}

/**
 * Names that no server and no tool has, by their place in the body. `mistaken`: names that agents see in place of the right
 * ones. `unknown`: any other, which a server may come to have.
 */
export function oddNames(
  rules: CallRule[],
  servers: ListedServer[],
): { mistaken: FieldError[]; unknown: FieldError[] } {
  const offered = offeredNames(servers);
  const mistaken: FieldError[] = [];
  const unknown: FieldError[] = [];
  for (const [at, { tools, servers: chosen, when }] of rules.entries()) {
    const meant = chosen.length > 0 ? servers.filter(({ id }) => chosen.includes(id)) : servers;
    const named = tools.map((text, place) => ({
      field: `rules.${at}.tools.${place}`,
      property: "tool.name",
      by: "equals" as const,
      text,
    }));
    for (const { field, ...compared } of [...named, ...inCondition(when, `rules.${at}.when`)]) {
      const has = (name: string) => fits(compared, name);
      if (valuesOf(compared.property, meant).some(has)) continue;
      const hint = valuesOf(compared.property, servers).some(has) ? null : rightName(compared, offered);
      if (hint) mistaken.push({ field, message: hint });
      else unknown.push({ field, message: unknownWords(compared, meant.length < servers.length) });
    }
  }
  return { mistaken, unknown };
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

function valuesOf(property: string, servers: ListedServer[]): string[] {
  if (property === "tool.name") return servers.flatMap(({ tools }) => tools);
  return servers.map(({ id, name }) => (property === "server.id" ? id : name));
}

function fits({ by, text }: Pick<ComparedText, "by" | "text">, name: string): boolean {
  if (by === "equals") return name === text;
  return by === "contains" ? name.includes(text) : name[by](text);
}

/** A name as agents see it, and what it stands for. */
interface Offered {
  property: string;
  name: string;
  words: string;
}

/** As agents see them: tools by their whole name, servers by its beginning. */
function offeredNames(servers: ListedServer[]): Offered[] {
  const taken = new Set(servers.flatMap(({ prefix }) => prefix ?? []));
  return servers.flatMap((server) => {
    const prefix = server.prefix ?? prefixFor(server, taken);
    return [
      { property: "server.name", name: prefix, words: `“${server.name}”` },
      ...server.tools.map((tool) => ({
        property: "tool.name",
        name: toolName(prefix, tool),
        words: `“${tool}” of ${server.name}`,
      })),
    ];
  });
}

function rightName(compared: ComparedText, offered: Offered[]): string | null {
  const seen = offered.find(({ property, name }) => property === compared.property && fits(compared, name));
  if (!seen) return null;
  const owner = seen.property === "tool.name" ? "its server calls it" : "it is called in Intray";
  return `A rule names a ${NOUNS[seen.property]} as ${owner}: ${seen.words}, not “${seen.name}” as agents see it`;
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
