/** Judges a call by an organization's rules and by the agent's grant. Pure. docs/decisions/060 says why it fails closed. */
import { BEFORE, type Before } from "../../agents/agent-schema.ts";
import { Budget } from "../../text/rules/budget.ts";
import { RuleFailure } from "../../text/rules/language.ts";
import type { CallRule, Verdict } from "./call-rule-schema.ts";
import { type Call, callLanguage, factsOf } from "./facts.ts";

/** What an agent was granted. */
export interface Grant {
  /** What the grant itself wants before each call; null: nothing. */
  before: Before | null;
  /** The server describes the tool otherwise than when it was granted. */
  changed: boolean;
}

/**
 * The first rule that matches decides; without one, the grant. A rule that can't be evaluated for this call requires approval,
 * unless a later rule or the grant denies the call. So a broken rule never lets fewer people decide. A tool that changed after
 * its grant requires approval even if the call would be allowed, because nobody has approved its new text.
 */
export function judge(rules: RulesInForce, call: Call, grant: Grant | null): Verdict {
  const verdict = byRules(rules, call, grant) ?? byGrant(grant);
  if (grant?.changed && verdict.before === "allow")
    return { before: "ask", rule: null, why: "tool_changed", failure: null };
  return verdict;
}

interface RulesInForce {
  version: number;
  rules: CallRule[];
}

/** Null: no rule says anything about the call. */
function byRules({ version, rules }: RulesInForce, call: Call, grant: Grant | null): Verdict | null {
  const budget = new Budget();
  let facts: Record<string, unknown> | null = null;
  let failed: Verdict | null = null;
  for (const { name, when, servers, tools, before } of rules) {
    if (servers.length > 0 && !servers.includes(call.server.id)) continue;
    if (tools.length > 0 && !tools.includes(call.tool.name)) continue;
    // A rule for servers' tools was not written with a shell in mind: only one that lists the program's tool lets it through.
    if (call.isPrograms && before === "allow" && tools.length === 0) continue;
    const rule = { name, version };
    try {
      if (when !== null) {
        facts ??= factsOf(call);
        if (!holds(when, facts, budget)) continue;
      }
    } catch (error) {
      if (!(error instanceof RuleFailure)) throw error;
      failed ??= { before: "ask", rule, why: "rule_failed", failure: error.message };
      continue;
    }
    const decided: Verdict = { before, rule, why: "rule", failure: null };
    return failed ? stricter(failed, decided) : decided;
  }
  return failed && stricter(failed, byGrant(grant));
}

function byGrant(grant: Grant | null): Verdict {
  const before = grant?.before ?? null;
  return { before: before ?? "allow", rule: null, why: before ? "grant" : "no_rule", failure: null };
}

function stricter(a: Verdict, b: Verdict): Verdict {
  return BEFORE.indexOf(b.before) > BEFORE.indexOf(a.before) ? b : a;
}

function holds(when: string, facts: Record<string, unknown>, budget: Budget): boolean {
  const read = callLanguage.read(when);
  // It was read when it was saved: this version of Intray reads it otherwise.
  if ("problem" in read) throw new RuleFailure(read.problem.message);
  return read.condition.holds(facts, budget);
}
