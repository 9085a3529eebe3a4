import { namedInQuotes } from "../text/foreign/quoted.ts";
import type { Actor } from "./access-schema.ts";

const KINDS: Partial<Record<Actor["kind"], string>> = { key: "API key", agent: "agent", rule: "rule" };

/**
 * An actor within a sentence: a person by their name, and a program or a rule with what it is, `the API key Ben`, since it may be
 * called as a person is. `kind` is left out where only people can be. `begins`: the sentence begins with it.
 */
export function actorWords(
  { kind = "member", name, serviceAccount }: Partial<Actor> & Pick<Actor, "name">,
  { begins = false } = {},
): string {
  const what = serviceAccount ? "service account" : KINDS[kind];
  // An agent names itself, and could go on with a sentence of Intray's.
  const called = kind === "agent" ? namedInQuotes(name) : name;
  return what ? `${begins ? "The" : "the"} ${what} ${called}` : name;
}
