/** The facts of a request, for the conditions of a policy. The names are those of conditions/vocabulary.ts. */
import type { Actor } from "../access/access-schema.ts";
import { currencyOfAmount, readLargest } from "../text/amount.ts";
import { createLanguage, type Language, RuleFailure, withOlder } from "../text/rules/language.ts";
import { adviceOn, olderVariablesOf, variablesOf } from "./conditions/vocabulary.ts";

/** The language of policies. Texts are parsed once a process. */
export const policyLanguage = languageOf("policy");

/** The language of rules with facts as `factsOf` makes them. Conditions from before `tool` was an object are read too. */
export function languageOf(rules: "policy" | "automatic"): Pick<Language, "read"> {
  return withOlder(
    createLanguage(variablesOf(rules), adviceOn(rules)),
    createLanguage(olderVariablesOf(rules)),
    // Not spread: reading the amount may throw.
    (facts) =>
      Object.defineProperties(
        {},
        {
          ...Object.getOwnPropertyDescriptors(facts),
          tool: { value: (facts.tool as { name: string }).name, enumerable: true },
        },
      ),
  );
}

/** A request that is about to be asked. */
export interface AskedRequest {
  server: { id: string; name: string };
  tool: string;
  task: { label: string | null; arguments: Record<string, unknown>; createdAt: Date };
  request: {
    message: string;
    /** As the request's card shows it. */
    amount: number | null;
    currency: string | null;
    fields: string[];
    url: string | null;
    askedAgain: boolean;
  };
  requester: { actor: Actor; role: string | null; groups: string[] };
  now: Date;
}

/**
 * Returns the facts of a request. Reading its amount throws RuleFailure where that can't be read, so that only a condition
 * which does read it fails.
 */
export function factsOf({ server, tool, task, request, requester, now }: AskedRequest) {
  const { actor, role, groups } = requester;
  let found: { value: number | null } | null = null;
  // The larger one of what the card shows and what the arguments name: the card's could be one that the caller added.
  const amount = () => {
    found ??= { value: larger(largestAmount(task.arguments), request.amount) };
    return found.value;
  };
  let named: { value: string | null } | null = null;
  // The card shows no amount beside a larger one that the arguments name, and a rule about a currency still has to match.
  const currency = () => {
    named ??= { value: request.currency ?? currencyOfAmount(task.arguments, request.message) };
    return named.value;
  };
  return {
    server: { id: server.id, name: server.name },
    tool: { name: tool },
    arguments: task.arguments,
    get amount() {
      return amount();
    },
    get currency() {
      return currency();
    },
    task: {
      label: task.label ?? "",
      requester: actor.name,
      arguments: task.arguments,
      createdAt: task.createdAt,
    },
    request: {
      message: request.message,
      get amount() {
        return amount();
      },
      get currency() {
        return currency();
      },
      fields: request.fields,
      url: request.url,
      askedAgain: request.askedAgain,
    },
    requester: { id: actor.id ?? "", name: actor.name, role, groups, kind: actor.kind },
    agent: actor.kind === "agent" ? { id: actor.id ?? "", name: actor.name } : null,
    now,
  };
}

function larger(one: number | null, other: number | null): number | null {
  if (other === null) return one;
  return one === null ? Math.abs(other) : Math.max(one, Math.abs(other));
}

/**
 * The largest amount of money in the arguments of a call, or null if there is none. Throws RuleFailure where it is unclear, so
 * that a person is asked.
 */
export function largestAmount(args: Record<string, unknown>): number | null {
  const read = readLargest(args);
  if ("unclear" in read) throw new RuleFailure(read.unclear);
  return read.largest;
}
