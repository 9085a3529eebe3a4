import type { Actor } from "./access-schema.ts";

const KINDS: Partial<Record<Actor["kind"], string>> = { key: "API key", agent: "agent", rule: "rule" };

/** Signs that may read as the end of a quotation; an apostrophe alone does not. */
const QUOTATION = /(?!['’])\p{Quotation_Mark}|[″‶ʺ˝״〃❝❞❠\u{1f676}-\u{1f678}]|['’ʼ′`´]{2,}/gu;

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
  const called = kind === "agent" ? `“${name.replace(QUOTATION, "")}”` : name;
  return what ? `${begins ? "The" : "the"} ${what} ${called}` : name;
}
