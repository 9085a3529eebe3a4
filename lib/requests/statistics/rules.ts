/** How decisions by the rules of the policy went: what is counted of one, and what is told of the counts. Pure. */
import { z } from "zod";
import type { Calendar } from "../../policy/calendar/calendar-schema.ts";
import { workingTimeBetween } from "../../policy/calendar/working-time.ts";
import { classOf, percentile } from "./durations.ts";
import type { RuleFigures } from "./statistics-schema.ts";

/** Of a decision by a rule: one count in one rule, and stage. */
export interface RuleCount {
  rule: string;
  /** Its place in the rule and its name, as `0 Finance`. Empty: the whole request. */
  stage: string;
  measure: RuleMeasure;
}

type RuleMeasure =
  /** How long it took, by class of duration (durations.ts): by the clock, and in working time. */
  | `clock:${number}`
  | `work:${number}`
  /** Decisions that had a due time, and those of them that were in time. Of whole requests alone. */
  | "due"
  | "within";

/** What the line `answer.recorded` says of the rule. Lines whose details retention has dropped, or that no rule is about, don't match. */
const decisionSchema = z.object({
  approval: z.object({
    rule: z.string(),
    askedAt: z.iso.datetime().nullable(),
    dueAt: z.iso.datetime().nullable(),
    /** Names, in their order. */
    stages: z.array(z.string()),
  }),
  votes: z.array(z.object({ stage: z.string(), agrees: z.boolean(), at: z.iso.datetime() })),
});

/** What a decision counts as. `openedAt`: of its question, where the line does not say when people were asked. */
export function ruleCountsOf(
  { at, data, openedAt }: { at: Date; data: unknown; openedAt: Date | null },
  calendar: Calendar | null,
): RuleCount[] {
  const read = decisionSchema.safeParse(data);
  if (!read.success) return [];
  const { approval, votes } = read.data;
  const { rule, askedAt, dueAt } = approval;
  const from = askedAt === null ? openedAt : new Date(askedAt);
  if (from === null) return [];
  const lasted = (stage: string, begin: Date, end: Date): RuleCount[] => [
    { rule, stage, measure: `clock:${classOf(end.getTime() - begin.getTime())}` },
    { rule, stage, measure: `work:${classOf(workingTimeBetween(calendar, begin, end))}` },
  ];
  const due: RuleCount[] = dueAt === null ? [] : [{ rule, stage: "", measure: "due" }];
  const within: RuleCount[] =
    dueAt === null || at > new Date(dueAt) ? [] : [{ rule, stage: "", measure: "within" }];
  const stages: RuleCount[] = [];
  const voted = approval.stages.filter((name) => votes.some(({ stage }) => stage === name));
  let begin = from;
  for (const [index, name] of voted.entries()) {
    const last = Math.max(...votes.filter(({ stage }) => stage === name).map((vote) => Date.parse(vote.at)));
    // A stage ends with its last vote, the one that is open with the decision. A vote may be older than the stage's begin, when
    // other content brought an earlier stage back.
    const end = index === voted.length - 1 ? at : new Date(Math.max(begin.getTime(), last));
    stages.push(...lasted(`${approval.stages.indexOf(name)} ${name}`, begin, end));
    begin = end;
  }
  return [...lasted("", from, at), ...due, ...within, ...stages];
}

export interface RuleRow {
  rule: string;
  stage: string;
  measure: string;
  amount: number;
}

/** Rules that are told of: those with the most decisions, and the most that is overdue. */
export const MOST_RULES = 100;

/** The figures of each rule, that with the most decisions first. */
export function ruleFiguresOf(rows: RuleRow[], overdue: { rule: string; count: number }[]): RuleFigures[] {
  const late = new Map(overdue.map(({ rule, count }) => [rule, count]));
  const byRule = Map.groupBy(rows, ({ rule }) => rule);
  const rules = [...new Set([...byRule.keys(), ...late.keys()])];
  return rules
    .map((rule): RuleFigures => {
      const figures = byRule.get(rule) ?? [];
      const whole = figures.filter(({ stage }) => stage === "");
      const sum = (measure: string) => whole.find((row) => row.measure === measure)?.amount ?? 0;
      // A stage that had another place before is one with itself.
      const stages = new Map<string, RuleRow[]>();
      for (const row of figures.toSorted((one, other) => placeOf(one.stage) - placeOf(other.stage))) {
        if (row.stage === "") continue;
        const name = row.stage.slice(row.stage.indexOf(" ") + 1);
        stages.set(name, [...(stages.get(name) ?? []), row]);
      }
      return {
        rule,
        overdue: late.get(rule) ?? 0,
        ...medianOf(whole),
        due: sum("due"),
        within: sum("within"),
        stages: [...stages].map(([stage, theirs]) => ({ stage, ...medianOf(theirs) })),
      };
    })
    .filter(({ count, overdue: open }) => count > 0 || open > 0)
    .sort(
      (one, other) =>
        other.count - one.count || other.overdue - one.overdue || (one.rule < other.rule ? -1 : 1),
    )
    .slice(0, MOST_RULES);
}

function placeOf(stage: string): number {
  return Number(stage.split(" ", 1)[0]);
}

function medianOf(rows: RuleRow[]): Pick<RuleFigures, "count" | "clockMs" | "workMs"> {
  const counts = (prefix: string) => {
    const sums = new Map<number, number>();
    for (const { measure, amount } of rows.filter((row) => row.measure.startsWith(prefix))) {
      const index = Number(measure.slice(prefix.length));
      sums.set(index, (sums.get(index) ?? 0) + amount);
    }
    return sums;
  };
  const clock = counts("clock:");
  return {
    count: [...clock.values()].reduce((sum, amount) => sum + amount, 0),
    clockMs: percentile(clock, 0.5),
    workMs: percentile(counts("work:"), 0.5),
  };
}
