"use client";

import { useQuery } from "@tanstack/react-query";
import { PlainText } from "@/components/text/plain-text.tsx";
import { rowsIn } from "@/lib/policy/conditions/rows-from-cel.ts";
import type { Rules } from "@/lib/policy/conditions/vocabulary.ts";
import { agentList } from "@/lib/web/client/agents.ts";
import { serverList } from "@/lib/web/client/servers.ts";
import { areOrdinary, FIXED, type NameOf, rowsInWords } from "./condition-words.ts";

/** A condition in words if rows can say it, else in CEL; in both where a name or a value could be misread. */
export function ConditionText({ condition, rules }: { condition: string; rules: Rules }) {
  const said = useConditionWords()(condition, rules);
  return (
    <>
      {said && (
        <span className="block break-words text-[13px] text-ink">
          <PlainText text={`When ${said.words}`} />
        </span>
      )}
      {!said?.isOrdinary && (
        <code className="mt-1 block whitespace-pre-wrap break-words rounded-md bg-sunken px-2 py-1 font-mono text-[13px]">
          <PlainText text={condition} />
        </code>
      )}
    </>
  );
}

/** A condition in words. `isOrdinary`: no name or value in it could be misread. */
interface Said {
  words: string;
  isOrdinary: boolean;
}

/** Returns what says a condition in words; null: rows can't say it. */
export function useConditionWords(): (condition: string, rules: Rules) => Said | null {
  const { nameOf } = useValueNames();
  return (condition, rules) => {
    const rows = rowsIn(condition, rules);
    return rows && { words: rowsInWords(rows, nameOf), isOrdinary: areOrdinary(rows, nameOf) };
  };
}

/** The values that fields can have, where these are few. Servers and agents are those of the organization. */
export function useValueNames() {
  const servers = useQuery(serverList()).data?.items;
  const agents = useQuery(agentList()).data?.items;
  const listed = (field: string) =>
    (field === "server.id" ? servers : field === "agent" ? agents : undefined) ?? [];
  const choicesOf = (field: string) =>
    field === "server.id" || field === "agent"
      ? listed(field).map(({ id, name }) => ({ value: id, label: name }))
      : Object.hasOwn(FIXED, field)
        ? FIXED[field]!
        : null;
  // Of several with one name the id says which.
  const nameOf: NameOf = (field, value) => {
    const name = listed(field).find(({ id }) => id === value)?.name;
    if (name === undefined) return null;
    return listed(field).filter((one) => one.name === name).length > 1 ? `${name} (${value})` : name;
  };
  return { choicesOf, nameOf };
}
