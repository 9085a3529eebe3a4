"use client";

import { useQuery } from "@tanstack/react-query";
import { PlainText } from "@/components/text/plain-text.tsx";
import { rowsIn } from "@/lib/policy/conditions/rows-from-cel.ts";
import type { Rules } from "@/lib/policy/conditions/vocabulary.ts";
import { agentList } from "@/lib/web/client/agents.ts";
import { serverList } from "@/lib/web/client/servers.ts";
import { rowsInWords } from "./condition-words.ts";

/** A condition in words if rows can say it, else in CEL. */
export function ConditionText({ condition, rules }: { condition: string; rules: Rules }) {
  const words = useConditionWords()(condition, rules);
  if (words !== null)
    return (
      <span className="block break-words text-[13px] text-ink">
        <PlainText text={`When ${words}`} />
      </span>
    );
  return (
    <code className="mt-1 block whitespace-pre-wrap break-words rounded-md bg-sunken px-2 py-1 font-mono text-[13px]">
      <PlainText text={condition} />
    </code>
  );
}

/** Returns what says a condition in words; null: rows can't say it. */
export function useConditionWords(): (condition: string, rules: Rules) => string | null {
  const { nameOf } = useValueNames();
  return (condition, rules) => {
    const rows = rowsIn(condition, rules);
    return rows && rowsInWords(rows, nameOf);
  };
}

interface Choice {
  value: string;
  label: string;
}

/** The values of fields that have few, with what they are called. */
const FIXED: Record<string, Choice[]> = {
  "requester.role": ["viewer", "approver", "operator", "admin", "owner"].map((role) => ({
    value: role,
    label: role,
  })),
  "requester.kind": [
    { value: "member", label: "a member" },
    { value: "key", label: "an API key" },
    { value: "agent", label: "an agent" },
  ],
};

/** The values that fields can have, where these are few. Servers and agents are those of the organization. */
export function useValueNames() {
  const servers = useQuery(serverList()).data?.items;
  const agents = useQuery(agentList()).data?.items;
  const choicesOf = (field: string): Choice[] | null => {
    if (field === "server.id") return (servers ?? []).map(({ id, name }) => ({ value: id, label: name }));
    if (field === "agent") return (agents ?? []).map(({ id, name }) => ({ value: id, label: name }));
    return Object.hasOwn(FIXED, field) ? FIXED[field]! : null;
  };
  const nameOf = (field: string, value: string): string =>
    choicesOf(field)?.find((choice) => choice.value === value)?.label ?? `“${value}”`;
  return { choicesOf, nameOf };
}
