import { part } from "@/components/ui/part.tsx";
import { decisionOf } from "@/lib/format/decision.ts";
import type { InputRequestDetail } from "@/lib/input-requests/schema.ts";
import type { SimilarRequests } from "@/lib/input-requests/similar-schema.ts";

// What some requests show and the first one of a list mostly does not. All of it comes when the page is used.

const warm = { warm: true };

export const FormAnswerArea = part(
  () => import("./form-answer-area.tsx").then((file) => file.FormAnswerArea),
  warm,
);
export const UrlQuestion = part(() => import("./url-question.tsx").then((file) => file.UrlQuestion), warm);
export const RequestClosed = part(
  () => import("./request-closed.tsx").then((file) => file.RequestClosed),
  warm,
);
export const QuestionChanged = part(
  () => import("./question-change.tsx").then((file) => file.QuestionChanged),
  warm,
);
export const AskedBefore = part(() => import("./question-change.tsx").then((file) => file.AskedBefore), warm);
export const RepeatNotice = part(() => import("./repeat-notice.tsx").then((file) => file.RepeatNotice), warm);
export const DecidedBefore = part(
  () => import("./similar-requests.tsx").then((file) => file.DecidedBefore),
  warm,
);

/** What a request needs to be shown as a whole: a part that came late would move what is about to be pressed. */
export function partsOf(request: InputRequestDetail, similar: SimilarRequests | null) {
  const open = request.state === "open";
  return [
    isForm(request) && FormAnswerArea,
    request.mode === "url" && UrlQuestion,
    !open && RequestClosed,
    open && wasAskedBefore(request) && AskedBefore,
    open && similar?.repeats && RepeatNotice,
    similar && similar.items.length > 0 && DecidedBefore,
  ].filter((each) => !!each);
}

export function isForm({ fields }: InputRequestDetail): boolean {
  return decisionOf(fields).kind === "form";
}

export function wasAskedBefore({ previous, askedAgain }: InputRequestDetail): boolean {
  return Boolean(previous || askedAgain);
}
