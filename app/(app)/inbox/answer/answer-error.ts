import { ApiError, ConnectionError, errorSentence } from "@/lib/api-client/base/client.ts";
import { endedWords } from "@/lib/format/requests/requests.ts";
import { decidedWord } from "@/lib/input-requests/decision.ts";
import type { InputRequestDetail } from "@/lib/input-requests/schema.ts";
import { formatAgo } from "@/lib/text/time.ts";

/** Why a decision was not taken. `errors` belong to fields. */
export interface Refusal {
  code: string;
  title: string;
  detail: string;
  errors: { field: string; message: string }[];
}

/** What to say where the person `me` is when a decision was not taken. */
export function refusalOf(error: unknown, me: string): Refusal {
  const api = error instanceof ApiError ? error : null;
  const refusal = (title: string, detail: string): Refusal => ({
    code: api?.code ?? "offline",
    title,
    detail,
    errors: api?.errors ?? [],
  });
  switch (api?.code) {
    case "already_answered":
      // A first try whose reply was lost on the way.
      if (idIn(api) === me)
        return { ...refusal(`You answered this ${agoIn(api)}.`, "That first answer stands."), code: "mine" };
      return refusal(
        `${nameIn(api)} answered this ${agoIn(api)}.`,
        "Your decision was not recorded; theirs stands.",
      );
    case "question_changed":
      return refusal(
        "The question changed before your answer arrived.",
        "Nothing was sent. Read the new question and decide again.",
      );
    case "no_longer_open": {
      const reason = typeof api.extra.reason === "string" ? api.extra.reason : null;
      const words = endedWords("withdrawn", reason);
      return refusal(api.detail ?? `${words.what} Nothing was sent.`, words.next);
    }
    case "claimed_by_other":
      return refusal(
        `${nameIn(api)} claimed this ${agoIn(api)}.`,
        "Nothing of yours was sent. It is theirs until they release it, or leave it for 15 minutes.",
      );
    case "invalid_content":
      return refusal("The server’s form does not take this answer.", api.detail ?? "Nothing was sent.");
    default: {
      const quote = api?.requestId ? ` (Quote ${api.requestId} if you ask for help.)` : "";
      const unknown = api?.isUnknown || (error instanceof ConnectionError && error.sent === null);
      const title = unknown ? "Your decision may not have arrived." : "Your decision was not recorded.";
      return refusal(title, `${errorSentence(error)}${quote}`);
    }
  }
}

/** The same, with what the other one decided, once that is known: `Cleo approved this 2 min ago.` */
export function withTheirs(refusal: Refusal, { answer }: InputRequestDetail, now: number): Refusal {
  if (refusal.code !== "already_answered" || !answer) return refusal;
  const word = decidedWord(answer.action, answer.content).toLowerCase();
  return { ...refusal, title: `${answer.by.name} ${word} this ${formatAgo(answer.at, now)}.` };
}

function nameIn({ extra }: ApiError): string {
  const name = (extra.by as { name?: unknown } | null | undefined)?.name;
  return typeof name === "string" ? name : "Someone";
}

function idIn({ extra }: ApiError): unknown {
  return (extra.by as { id?: unknown } | null | undefined)?.id;
}

function agoIn({ extra }: ApiError): string {
  return typeof extra.at === "string" ? formatAgo(extra.at, Date.now()) : "a moment ago";
}
