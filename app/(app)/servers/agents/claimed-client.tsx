import type { Agent } from "@/lib/agents/agent-schema.ts";
import { clientWords } from "@/lib/agents/agent-words.ts";

/** What the program says it is: anybody may say that. */
export function ClaimedClient({ client }: Pick<Agent, "client">) {
  if (!client) return <>No client yet</>;
  return (
    <span title="The program says so itself. Intray can’t check it.">
      <span className="break-all">{clientWords(client)}</span> (unverified)
    </span>
  );
}
