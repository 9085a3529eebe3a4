/** Rules to start from. Each can be saved as it is where there are two approvers. Pure. */
import type { CallRule } from "@/lib/policy/call-rules/call-rule-schema.ts";
import type { DraftRule } from "../policy/form/draft.ts";

type Example<T> = T & { name: string };

export const POLICY_EXAMPLES: Example<DraftRule>[] = [
  {
    name: "Two people above 5,000",
    when: "amount != null && amount > 5000.0",
    stages: [{ name: "Approvers", approvers: { roles: ["approver"] }, need: 2 }],
  },
  {
    name: "No self-approval",
    stages: [{ name: "Approvers", approvers: { roles: ["approver"] } }],
    requester: "excluded",
  },
];

const call = { servers: [], tools: [] };
export const CALL_EXAMPLES: Example<CallRule>[] = [
  { ...call, name: "Allow read-only tools", when: "tool.readOnly", before: "allow" },
  { ...call, name: "Require approval above 5,000", when: "amount != null && amount > 5000.0", before: "ask" },
  {
    ...call,
    name: "Deny destructive tools to agents",
    when: "agent != null && tool.destructive",
    before: "deny",
  },
];

/** The rules with an example at the end, but before a rule for everything at the end: behind that one it would decide nothing. */
export function withExample<T extends { when?: string | null }>(
  rules: T[],
  example: T,
): { rules: T[]; at: number } {
  const isForAll = example.when && rules.length > 0 && !rules.at(-1)?.when;
  const at = isForAll ? rules.length - 1 : rules.length;
  return { rules: rules.toSpliced(at, 0, example), at };
}
