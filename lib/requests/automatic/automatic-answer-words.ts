/** Words about rules that answer by themselves. */

import { FEWEST_SHADOWED } from "../../policy/automatic/automatic-status.ts";
import type { Tone } from "../../text/labels.ts";
import { plural } from "../../text/labels.ts";
import type { ReplayExclusion } from "../replay/replay-schema.ts";
import type { AutomaticRuleState } from "./automatic-answer-schema.ts";

const EXCLUDED: Record<ReplayExclusion, string> = {
  own_question: "asked by Intray itself",
  url: "asked to visit a site",
  secret: "asked for a secret",
  unsupported: "with a form that Intray can’t display",
  asked_again: "asked again",
  reworded: "changed while they were open",
  flagged: "with a warning, or of a destructive tool",
  private: "private",
  people_agree: "with a rule that says who has to agree",
  does_not_fit: "with a form that the answer does not fit",
};

/** Why requests that a rule matches stay with people: `4 asked again · 2 asked to visit a site`. */
export function excludedWords(excluded: Partial<Record<ReplayExclusion, number>>): string {
  return (Object.entries(excluded) as [ReplayExclusion, number][])
    .sort(([, a], [, b]) => b - a)
    .map(([reason, count]) => `${count} ${EXCLUDED[reason]}`)
    .join(" · ");
}

export const MODE_WORDS = { off: "Off", shadow: "Shadow", live: "Live" } as const;
export const MODE_TONES: Record<AutomaticRuleState["mode"], Tone> = {
  off: "neutral",
  shadow: "accent",
  live: "good",
};

/** What is missing until a rule may go live: `14 of 20 decisions compared, 1 disagreement`. */
export function readinessWords({
  mode,
  agreed,
  disagreed,
}: Pick<AutomaticRuleState, "mode" | "agreed" | "disagreed">): string {
  const decided = agreed + disagreed;
  if (mode === "off" && decided === 0) return "Set it to Shadow to compare it with what people decide";
  if (disagreed === 0 && agreed >= FEWEST_SHADOWED)
    return `May go live: ${plural(agreed, "decision")} compared, no disagreement`;
  const count =
    decided >= FEWEST_SHADOWED
      ? `${plural(decided, "decision")} compared`
      : `${decided} of ${FEWEST_SHADOWED} decisions compared`;
  return `Not ready to go live: ${count}${disagreed > 0 ? `, ${plural(disagreed, "disagreement")}` : ""}`;
}

/** The figures of a rule, as far as there are any. */
export function figuresInWords(rule: AutomaticRuleState): string[] {
  const { mode, answered, answeredToday, dailyCap, undone, kept, undecided, failed, agreed } = rule;
  const some = (count: number, words: string) => (count > 0 ? [words] : []);
  return [
    ...(mode === "live" || answeredToday > 0 ? [`${answeredToday} of ${dailyCap} answered today`] : []),
    ...some(answered, `${answered} answered in all`),
    ...some(undone, `${undone} taken back`),
    ...some(agreed, `${agreed} agreed with people`),
    ...some(undecided, `${undecided} not decided yet`),
    ...some(kept.sample, `${kept.sample} left to people as the sample`),
    ...some(kept.cap, `${kept.cap} left to people over the day’s cap`),
    ...some(kept.stopped, `${kept.stopped} left to people while stopped`),
    ...some(failed, `${failed} with a form that its answer did not fit`),
  ];
}
