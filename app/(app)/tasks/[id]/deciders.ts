import { actorWords } from "@/lib/access/actor-words.ts";
import type { InputRequestSummary } from "@/lib/requests/request-schema.ts";

/** Who decided a request: of several votes, each person whose vote was that of the last. Null: nobody has. */
export function decidersOf({
  answer,
  approval,
}: Pick<InputRequestSummary, "answer" | "approval">): string | null {
  if (!answer) return null;
  const votes = approval?.stages.flatMap((stage) => stage.votes) ?? [];
  const last = votes.toSorted((one, other) => one.at.localeCompare(other.at)).at(-1);
  const agreed = last ? votes.filter(({ agrees }) => agrees === last.agrees) : [answer];
  const names = [...new Set(agreed.map(({ by }) => actorWords(by)))];
  return new Intl.ListFormat("en").format(names);
}
