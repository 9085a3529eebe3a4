/** Who answers for an automatic rule: those who wrote what it says, or how far it goes since then. Pure. */
import { createHash } from "node:crypto";
import { z } from "zod";
import { canonicalJson } from "../../mcp/forms/jcs.ts";
import type { WithPeople } from "../difference.ts";
import type { AutomaticRule } from "./automatic-schema.ts";

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

/** Whether a condition can ask for groups: it names anything of the requester but these. */
export function mayMeanGroups(when: string | null): boolean {
  return when !== null && /requester(?!\s*\.\s*(id|name|role|kind)\b)/.test(when);
}

/** A policy, and whom its addresses mean. */
type Meaning = Pick<WithPeople, "policy" | "people">;

/** Who is in each of the policy's own groups. */
function peopleOfGroups({ policy, people }: Meaning): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(policy.groups).map(([name, addresses]) => [
      name,
      [...new Set(addresses.flatMap((address) => people[address] ?? []))].sort(),
    ]),
  );
}

/** Of each policy and whom it means: all its rules say the same of groups, which may have thousands of people. */
const toldGroups = new WeakMap<object, WeakMap<object, Buffer>>();

/** The people of the policy's own groups in canonical JSON. */
export function groupsAsTold({ policy, people }: Meaning): Buffer {
  const known = toldGroups.get(policy) ?? new WeakMap<object, Buffer>();
  toldGroups.set(policy, known);
  const told = known.get(people) ?? Buffer.from(canonicalJson(peopleOfGroups({ policy, people })));
  known.set(people, told);
  return told;
}

/**
 * SHA-256 of exactly what a rule says, in canonical JSON: its condition and its answer, with whom the groups mean where the condition can
 * ask for them. What is known of a rule by its record is known of rules with this fingerprint alone, whatever their name.
 */
export function fingerprintOf(
  { when, answer }: Pick<AutomaticRule, "when" | "answer">,
  meaning: Meaning,
): string {
  const { action } = answer;
  const content = action === "accept" ? (answer.content ?? {}) : null;
  // `groups` stands between `content` and `v`.
  const [first, last] = [canonicalJson({ action, content }), canonicalJson({ v: 1, when })];
  const hash = createHash("sha256").update(first.slice(0, -1));
  if (mayMeanGroups(when)) hash.update(',"groups":').update(groupsAsTold(meaning));
  return hash.update(`,${last.slice(1)}`).digest("hex");
}

/**
 * The authors of the next version. A rule that says what one of any earlier version said (`earlier`) has its authors too, whatever
 * its name. `makers`: who saves it, and who proposed it. `frees`: live rules answer more by it, though they are as they were.
 */
export function authorsOf(
  before: WithPeople,
  after: WithPeople,
  version: number,
  makers: string[],
  { earlier, frees }: { earlier: Authors[string][]; frees: boolean },
): Authors {
  const was = new Map((before.policy.automatic ?? []).map((rule) => [rule.name, rule]));
  return Object.fromEntries(
    (after.policy.automatic ?? []).map((rule) => {
      const fingerprint = fingerprintOf(rule, after);
      const same = earlier.filter((each) => each.fingerprint === fingerprint);
      if (same.length === 0) return [rule.name, { fingerprint, since: version, makers }];
      const isAsBefore = canonicalJson(was.get(rule.name) ?? null) === canonicalJson(rule);
      const isTheirs = !isAsBefore || (frees && rule.mode === "live");
      return [
        rule.name,
        {
          fingerprint,
          since: Math.min(...same.map(({ since }) => since)),
          makers: [...new Set([...same.flatMap((each) => each.makers), ...(isTheirs ? makers : [])])],
        },
      ];
    }),
  );
}
