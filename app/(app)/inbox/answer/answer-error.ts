import { endedWords } from "@/lib/requests/words/request-labels.ts";
import { formatAgo } from "@/lib/text/time.ts";
import { ApiError, ConnectionError, errorSentence } from "@/lib/web/client/base/client.ts";

/** Why a decision was not recorded. `errors` belong to fields. */
export interface AnswerError {
  code: string;
  title: string;
  detail: string;
  errors: { field: string; message: string }[];
}

/** Describes a failed answer. `me`: the id of the person who answered. */
export function answerErrorOf(error: unknown, me: string): AnswerError {
  const api = error instanceof ApiError ? error : null;
  const say = (title: string, detail: string): AnswerError => ({
    code: api?.code ?? "offline",
    title,
    detail,
    errors: api?.errors ?? [],
  });
  switch (api?.code) {
    case "already_answered":
      // An earlier attempt was recorded, but its reply was lost.
      if (idIn(api) === me)
        return { ...say(`You answered this ${agoIn(api)}.`, "Your first answer counts."), code: "mine" };
      return say(
        `${nameIn(api)} answered this ${agoIn(api)}.`,
        "Their decision counts. Yours was not recorded.",
      );
    case "question_changed":
      // A wording that never rests is nothing that several people can agree on.
      if (api.extra.onlyDecline === true)
        return say(
          "This question can’t be approved, only declined.",
          "The server keeps changing the text, but your policy requires people to agree to the same text. Nothing was sent.",
        );
      return say(
        "The question changed before your answer arrived.",
        "Nothing was sent. Read the new question and decide again.",
      );
    case "content_differs":
      return say(
        `${nameIn(api)} agreed to something else.`,
        "Your vote was not recorded. To propose your answer, press the same button again. The votes for the other answer are then discarded, and everybody votes again.",
      );
    case "approval_differs":
      return say(
        "Other people must decide about these arguments.",
        `${api.detail ?? ""} Nothing was recorded.`,
      );
    case "denied_by_rule":
      return say(
        // Without a rule it is the agent's grant, or the agent is gone.
        api.extra.rule ? "A call rule denies this call." : "This call can’t be approved any more.",
        `${api.detail ?? ""} Nothing was recorded.`,
      );
    case "invalid_arguments":
      // `errors` are of the tool's arguments, which may have a name like a field's.
      return {
        ...say(
          "The tool does not take these arguments.",
          `${api.errors.map(({ message }) => message).join(" ")} Nothing was recorded.`,
        ),
        errors: [],
      };
    case "no_longer_open": {
      const reason = typeof api.extra.reason === "string" ? api.extra.reason : null;
      const words = endedWords("withdrawn", reason);
      return say(api.detail ?? `${words.what} Nothing was sent.`, words.next);
    }
    case "claimed_by_other":
      return say(
        `${nameIn(api)} claimed this ${agoIn(api)}.`,
        "Your answer was not sent. They keep the claim until they release it, or until 15 minutes pass without activity.",
      );
    case "reason_required":
      // `errors` are of the form's fields, which may have a name like it.
      return {
        ...say("This stage requires a reason.", "Nothing was recorded. Write a comment, and press again."),
        errors: [],
      };
    case "invalid_content":
      return say("The server’s form does not take this answer.", api.detail ?? "Nothing was sent.");
    default: {
      const quote = api?.requestId ? ` (If you ask for help, give this id: ${api.requestId}.)` : "";
      const unknown = api?.isUnknown || (error instanceof ConnectionError && error.sent === null);
      const title = unknown ? "Your decision may not have arrived." : "Your decision was not recorded.";
      return say(title, `${errorSentence(error)}${quote}`);
    }
  }
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
