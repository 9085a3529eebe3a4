/** Who answers for an automatic rule: those who wrote what it says, or how far it goes since then. Pure. */
import { createHash } from "node:crypto";
import { z } from "zod";
import { canonicalJson } from "../../mcp/forms/jcs.ts";
import type { WithPeople } from "../difference.ts";
import type { AutomaticRule } from "./schema.ts";

/** Of a version of the policy, by the rule's name. */
export const authorsSchema = z.record(
  z.string(),
  z.object({
    fingerprint: z.string(),
    /** The version that brought what the rule says. */
    since: z.int(),
    /** Makers as `makerOf` names them; the organization's own id for the command line. */
    makers: z.array(z.uuid()),
  }),
);
export type Authors = z.infer<typeof authorsSchema>;

/** Anything of the requester but these: the groups may be meant. */
const MAY_MEAN_GROUPS = /requester(?!\s*\.\s*(id|name|role|kind)\b)/;

/**
 * SHA-256 of exactly what a rule says: its condition and its answer, with whom the groups mean where the condition can ask for
 * them. What is known of a rule by its record is known of rules with this fingerprint alone, whatever their name.
 */
export function fingerprintOf(
  { when, answer }: Pick<AutomaticRule, "when" | "answer">,
  { policy, people }: Pick<WithPeople, "policy" | "people">,
): string {
  const { action } = answer;
  const content = action === "accept" ? (answer.content ?? {}) : null;
  const groups = Object.entries(policy.groups).map(([name, addresses]) => [
    name,
    [...new Set(addresses.flatMap((address) => people[address] ?? []))].sort(),
  ]);
  const said = {
    ...{ v: 1, when, action, content },
    ...(MAY_MEAN_GROUPS.test(when) && { groups: Object.fromEntries(groups) }),
  };
  return createHash("sha256").update(canonicalJson(said)).digest("hex");
}

/**
 * The authors of the next version. A rule of another name that says the same has those of before too. `makers`: who saves it, and
 * who proposed it.
 */
export function authorsOf(
  before: WithPeople & { authors: Authors },
  after: WithPeople,
  version: number,
  makers: string[],
): Authors {
  const was = new Map((before.policy.automatic ?? []).map((rule) => [rule.name, rule]));
  return Object.fromEntries(
    (after.policy.automatic ?? []).map((rule) => {
      const fingerprint = fingerprintOf(rule, after);
      const same = Object.values(before.authors).filter((each) => each.fingerprint === fingerprint);
      if (same.length === 0) return [rule.name, { fingerprint, since: version, makers }];
      const isAsBefore = canonicalJson(was.get(rule.name) ?? null) === canonicalJson(rule);
      return [
        rule.name,
        {
          fingerprint,
          since: Math.min(...same.map(({ since }) => since)),
          makers: [...new Set([...same.flatMap((each) => each.makers), ...(isAsBefore ? [] : makers)])],
        },
      ];
    }),
  );
}
