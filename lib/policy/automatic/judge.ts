/** Judges which rule answers a request by itself, and how. Pure. docs/decisions/073 says why an error is no match here. */
import { Budget } from "../../text/rules/budget.ts";
import { RuleFailure } from "../../text/rules/language.ts";
import { type AskedRequest, factsOf, languageOf } from "../facts.ts";
import type { AutomaticRule } from "./automatic-schema.ts";

export interface AutomaticVerdict {
  /** The rule that answers; null: people do. */
  rule: AutomaticRule | null;
  /** Rules that could not be applied, and why: they answer nothing. */
  failed: { rule: string; why: string }[];
}

/**
 * The first rule that matches and says no answers, else the first that matches. A rule that can't be applied matches nothing;
 * and since it may have been the one that says no, no other rule says yes then. Which rules are asked, by their mode, and which
 * of them say no to this form, is the caller's to say.
 */
export function judgeAutomatic(
  rules: AutomaticRule[],
  asked: AskedRequest,
  similar: Similar,
  saysNo: (rule: AutomaticRule) => boolean,
): AutomaticVerdict {
  const failed: AutomaticVerdict["failed"] = [];
  if (rules.length === 0) return { rule: null, failed };
  const budget = new Budget();
  const facts = automaticFactsOf(asked, similar);
  let accepting: AutomaticRule | null = null;
  let mayBeNo = false;
  for (const rule of rules) {
    try {
      if (!holds(rule.when, facts, budget)) continue;
    } catch (error) {
      if (!(error instanceof RuleFailure)) throw error;
      failed.push({ rule: rule.name, why: error.message.slice(0, MOST_WORDS) });
      mayBeNo ||= saysNo(rule);
      continue;
    }
    if (saysNo(rule)) return { rule, failed };
    accepting ??= rule;
  }
  return { rule: mayBeNo ? null : accepting, failed };
}

const MOST_WORDS = 200;

function holds(when: string, facts: ReturnType<typeof automaticFactsOf>, budget: Budget): boolean {
  const read = automaticLanguage.read(when);
  // It was read when it was saved: this version of Intray reads it otherwise.
  if ("problem" in read) throw new RuleFailure(read.problem.message);
  return read.condition.holds(facts, budget);
}

/** What automatic rules can say something about: what rules of the policy can, and what people decided before. */
export const automaticLanguage = languageOf("automatic");

/** Decisions of people about requests like this one (lib/requests/similar). What rules answered never counts. */
export interface Similar {
  /** How many similar requests people accepted. */
  accepted: number;
  /** How many they did not accept. */
  declined: number;
  /** A decided request may be the same one: the same number, or the same party and amount. */
  repeats: boolean;
}

export function automaticFactsOf(asked: AskedRequest, { accepted, declined, repeats }: Similar) {
  const similar = { accepted: BigInt(accepted), declined: BigInt(declined), repeats };
  return Object.assign(factsOf(asked), { similar });
}
